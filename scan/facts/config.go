package facts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"go.yaml.in/yaml/v3"
)

// configLimit bounds each configuration file, in bytes.
const configLimit = 4 << 20

// Policy is a reset policy (spec/state-db.md 5.2). The zero value resets nothing.
type Policy struct {
	Mode    string  // "none", "idle", "daily", "both"; another word resets nothing but is not "none"
	Hour    int     // local hour of the daily reset
	Minutes float64 // of silence before an idle reset
}

// Config is what the configuration files say that a restart depends on.
type Config struct {
	Default     Policy
	ByPlatform  map[string]Policy
	ByType      map[string]Policy
	Multiplex   bool     // one gateway serves several profiles
	Freshness   float64  // seconds within which an interrupted turn is resumed
	Timeout     float64  // seconds that an agent's turn may take; 0 = unset
	SessionsDir string   // of gateway.json: relative to the home, or absolute on the install's machine
	Clean       bool     // .clean_shutdown is there
	Given       bool     // a home was given, so that an absent file means "default" and not "unknown"
	Profiles    []string // the profiles that have a folder in the home, or the home that this one lies in; sorted
	Named       string   // the name of the given folder, which may be a profile's own: "" = none was given
	Failures    map[string]int
	Notes       []string // configuration that could not be read
}

func (f *Facts) readConfig(home *evidence.Home) error {
	c := &f.Config
	*c = Config{Default: Policy{Mode: "none"}, Freshness: 3600, SessionsDir: "sessions"}
	if home == nil {
		return nil
	}
	c.Given = true
	c.listProfiles(home)
	gateway, err := c.readMap(home, "gateway.json", json.Unmarshal)
	if err != nil {
		return err
	}
	doc, err := c.readMap(home, "config.yaml", yaml.Unmarshal)
	if err != nil {
		return err
	}
	c.fromGateway(home, gateway)
	c.fromYAML(doc)
	_, err = home.Read(".clean_shutdown", evidence.RoleRunState, configLimit)
	c.Clean = err == nil
	text, err := home.Read(".restart_failure_counts", evidence.RoleRunState, configLimit)
	if err == nil {
		var counts map[string]any
		if json.Unmarshal(text, &counts) == nil {
			c.Failures = map[string]int{}
			for k, v := range counts {
				if n, ok := number(v); ok {
					c.Failures[k] = int(n)
				}
			}
		}
	}
	return nil
}

// listProfiles lists the folders of profiles beside or below a home.
func (c *Config) listProfiles(home *evidence.Home) {
	if home.Parent() != nil {
		home = home.Parent()
	}
	c.Named = path.Base(path.Clean(filepath.ToSlash(home.Name)))
	entries, err := home.ReadDir("profiles")
	if err != nil { // none, or a file in the place of the folder
		return
	}
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			c.Profiles = append(c.Profiles, e.Name())
		}
	}
}

// readMap reads one configuration file as a map; an unreadable one counts as empty, as it does for the product,
// and is noted.
func (c *Config) readMap(home *evidence.Home, name string, decode func([]byte, any) error) (map[string]any, error) {
	text, err := home.Read(name, evidence.RoleConfig, configLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	var doc map[string]any
	if err := decode(text, &doc); err != nil {
		c.Notes = append(c.Notes, fmt.Sprintf("%s cannot be read (%s): its settings count as unset", name, firstLine(err.Error())))
		return nil, nil
	}
	return doc, nil
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

func (c *Config) fromGateway(home *evidence.Home, doc map[string]any) {
	if v, ok := doc["default_reset_policy"]; ok {
		c.Default = policyOf(v, true)
	}
	c.ByPlatform, c.ByType = policies(doc["reset_by_platform"]), policies(doc["reset_by_type"])
	if dir, ok := doc["sessions_dir"].(string); ok && dir != "" {
		c.SessionsDir = dir
		// A home that lies where it was made names its own folder absolutely; below it the file is in the copy too.
		if rest, inside := strings.CutPrefix(path.Clean(dir), path.Clean(home.Dir)+"/"); inside {
			c.SessionsDir = rest
		}
	}
	if truthy(doc["multiplex_profiles"]) {
		c.Multiplex = true
	}
}

func (c *Config) fromYAML(doc map[string]any) {
	gateway, _ := doc["gateway"].(map[string]any)
	v, top := doc["session_reset"]
	if !top {
		v, top = gateway["session_reset"]
	}
	if top && v != nil {
		c.Default = policyOf(v, true)
	}
	if truthy(gateway["multiplex_profiles"]) || truthy(doc["multiplex_profiles"]) {
		c.Multiplex = true
	}
	agent, _ := doc["agent"].(map[string]any)
	if n, ok := number(agent["gateway_auto_continue_freshness"]); ok {
		c.Freshness = n
	}
	if n, ok := number(agent["gateway_timeout"]); ok {
		c.Timeout = n
	}
}

// SessionsFolder is the folder of sessions.json, of request dumps and of sessions in JSON below the home; "" where it lies outside the copy.
func (c *Config) SessionsFolder() string {
	if path.IsAbs(c.SessionsDir) {
		return ""
	}
	return path.Clean(c.SessionsDir)
}

// sessionsFile is where sessions.json lies below the home; "" where it lies outside the copy.
func (c *Config) sessionsFile() string {
	if path.IsAbs(c.SessionsDir) {
		return ""
	}
	return path.Join(c.SessionsDir, "sessions.json")
}

// policyOf reads one policy. Only the default one has its numbers put right (spec/state-db.md 5.2).
func policyOf(v any, isDefault bool) Policy {
	doc, ok := v.(map[string]any)
	if !ok {
		return Policy{Mode: "none"}
	}
	p := Policy{Mode: "none", Hour: 4, Minutes: 1440}
	if mode, ok := doc["mode"].(string); ok {
		p.Mode = mode
	}
	if n, ok := number(doc["at_hour"]); ok {
		p.Hour = int(n)
	}
	if n, ok := number(doc["idle_minutes"]); ok {
		p.Minutes = n
	}
	if isDefault && (p.Hour < 0 || p.Hour > 23) {
		p.Hour = 4
	}
	if isDefault && p.Minutes <= 0 {
		p.Minutes = 1440
	}
	return p
}

func policies(v any) map[string]Policy {
	doc, _ := v.(map[string]any)
	out := make(map[string]Policy, len(doc))
	for k, v := range doc {
		out[k] = policyOf(v, false)
	}
	return out
}

// number reads a JSON or YAML number.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case int64:
		return float64(v), true
	}
	return 0, false
}

// Policy is the reset policy of a chat: by platform, then by the message's chat type, then the default.
func (c *Config) Policy(platform, chatType string) Policy {
	if p, ok := c.ByPlatform[platform]; ok {
		return p
	}
	if p, ok := c.ByType[chatType]; ok {
		return p
	}
	return c.Default
}
