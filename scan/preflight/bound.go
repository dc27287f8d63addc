package preflight

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
	"github.com/seed-4d3eb737/hermes-doctor/scan/inventory"
)

// named is how many names of one kind a point gives; how many there are it says too.
const named = 5

// some joins the first of a list of names, each in quotes: by these they are told from the sentence.
func (c *checker) some(list []string) string {
	c.out.Names = append(c.out.Names, list...)
	quoted := make([]string, min(len(list), named))
	for i := range quoted {
		quoted[i] = strconv.Quote(list[i])
	}
	if len(list) <= named {
		return strings.Join(quoted, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(quoted, ", "), len(list)-named)
}

// absolute says whether a text is a path of one machine: from its root, its home, or a drive.
func absolute(s string) bool {
	if s == "" || len(s) > 4096 || strings.ContainsAny(s, "\n\x00") {
		return false
	}
	drive := len(s) > 2 && s[1] == ':' && (s[2] == '\\' || s[2] == '/') && (s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
	return strings.HasPrefix(s, "/") || strings.HasPrefix(s, `\\`) || strings.HasPrefix(s, "~/") || drive
}

// local says whether a text names a service of this machine or of its network.
func local(s string) bool {
	s = strings.ToLower(s)
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]", "host.docker.internal", "://192.168.", "://10.", ".local:", ".local/"} {
		if strings.Contains(s, host) {
			return true
		}
	}
	return false
}

// config looks for values of the settings that hold on this machine only. Only the keys are told: a value may be a secret,
// and the reader has the file.
func (c *checker) config(h *evidence.Home) error {
	for _, file := range []struct {
		name   string
		decode func([]byte, any) error
	}{{"config.yaml", yaml.Unmarshal}, {"gateway.json", json.Unmarshal}} {
		text, err := h.Read(file.name, evidence.RoleConfig, smallFile)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var doc any
		if err == nil {
			err = file.decode(text, &doc)
		}
		if err != nil {
			c.add(h, Damage, scan.Warning, file.name, "it cannot be read as settings", "the install takes its defaults then, there as here: mend it first")
			continue
		}
		var places, services []string
		walk("", doc, func(key, value string) {
			switch {
			case absolute(value):
				places = append(places, key)
			case local(value):
				services = append(services, key)
			}
		})
		slices.Sort(places)
		slices.Sort(services)
		if len(places) > 0 {
			c.add(h, Bound, scan.Warning, file.name, "these settings are paths of this machine: "+c.some(places), "make the same paths on the other machine, or write them anew there")
		}
		if len(services) > 0 {
			c.add(h, Bound, scan.Warning, file.name, "these settings name a service of this machine or of its network: "+c.some(services), "have the same service there, or write them anew")
		}
		c.elsewhere(h, file.name, doc)
	}
	// They are not read: even the hash of a short secret in a report would let somebody try.
	for _, name := range []string{".env", "auth.json"} {
		at := path.Join(filepath.ToSlash(h.Name), name)
		if slices.ContainsFunc(c.out.Files, func(l inventory.Line) bool { return l.Path == at }) {
			c.add(h, Secret, scan.Notice, name, "it holds keys and tokens; it was not looked into", "carry it over a way that nobody else reads; two machines with the same bot token take each other's messages, so stop the old one for good")
		}
	}
	return nil
}

// elsewhere tells settings by which the conversations or the routing index are not in this folder; spec/state-db.md 1.1, 1.4.
func (c *checker) elsewhere(h *evidence.Home, name string, doc any) {
	top, _ := doc.(map[string]any)
	database, _ := top["database"].(map[string]any)
	if backend, _ := database["backend"].(string); strings.HasPrefix(strings.ToLower(backend), "postgres") {
		c.add(h, Incomplete, scan.Error, name, "database.backend is "+strconv.Quote(backend)+": the conversations are in a server, and state.db may be old or empty",
			"move the database of the server by its own means (pg_dump); this copy does not hold the talks")
	}
	if dir, _ := top["sessions_dir"].(string); absolute(dir) {
		c.add(h, Incomplete, scan.Warning, name, "sessions_dir puts the routing index and the request dumps outside of this folder, or names the folder by its path here",
			"bring that folder along where it lies outside, and give sessions_dir the path that it has on the other machine")
	}
}

// walk gives every text of a document with the keys that lead to it.
func walk(key string, v any, fn func(key, value string)) {
	join := func(k string) string {
		if key == "" {
			return k
		}
		return key + "." + k
	}
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			walk(join(k), x, fn)
		}
	case map[any]any:
		for k, x := range v {
			walk(join(fmt.Sprint(k)), x, fn)
		}
	case []any:
		for i, x := range v {
			walk(fmt.Sprintf("%s[%d]", key, i), x, fn)
		}
	case string:
		fn(key, v)
	}
}

// rows looks for paths in the rows: the working directories of sessions and the scopes of the routing table, each of which
// is the absolute path of the sessions folder of one gateway (spec/state-db.md 3.4).
func (c *checker) rows(ctx context.Context, s *evidence.Store) error {
	ask := func(query string) (list []string, err error) {
		err = s.DB.Query(ctx, query, nil, func(row []evidence.Value) error {
			if text := row[0].String(); absolute(text) {
				list = append(list, text)
			}
			return nil
		})
		if err != nil && ctx.Err() == nil { // told as damage by the scan
			return nil, nil
		}
		return list, err
	}
	if t := s.DB.Table("gateway_routing"); t.Has("scope") {
		scopes, err := ask("SELECT DISTINCT scope FROM gateway_routing ORDER BY 1")
		if err != nil {
			return fmt.Errorf("read the scopes of routes: %w", err)
		}
		if len(scopes) > 0 {
			c.add(s.Home, Bound, scan.Warning, "state.db", "routing entries count only for a gateway whose sessions folder is "+c.some(scopes),
				"give the home the same absolute path, and the chats go on with the same rows; with another path each chat is looked up by its key instead: see hermes-doctor resume, and --home-path")
		}
	}
	if t := s.DB.Table("sessions"); t.Has("cwd") {
		dirs, err := ask("SELECT DISTINCT cwd FROM sessions WHERE cwd <> '' ORDER BY 1 LIMIT 1000")
		if err != nil {
			return fmt.Errorf("read the working directories of sessions: %w", err)
		}
		if len(dirs) > 0 {
			c.add(s.Home, Bound, scan.Notice, "state.db", "sessions worked in "+c.some(dirs), "bring these folders along where they are wanted: a session that is resumed goes to its own")
		}
	}
	return nil
}

// checkpoints tells the working directories of a store: the id of each is the hash of its absolute path, so that at
// another path the history is there and not found (spec/checkpoint-store.md 1.4; hermes-agent #112973).
func (c *checker) checkpoints(base *evidence.CheckpointBase) {
	p := Point{Kind: Bound, Severity: scan.Warning, Path: filepath.ToSlash(base.Path), Profile: base.Profile}
	var dirs, whole []string
	steps := 0
	for _, s := range base.Stores {
		for _, x := range s.Projects {
			steps += len(x.Chain)
			if x.Workdir == "" || len(x.Chain) == 0 {
				continue
			}
			dirs = append(dirs, x.Workdir)
		}
		if s.Config.Worktree != "" {
			whole = append(whole, s.Name)
		}
		for _, a := range s.Steering {
			if a.Kind == evidence.SteerAlternates || a.Kind == evidence.SteerCommonDir {
				c.out.Points = append(c.out.Points, Point{Kind: Incomplete, Severity: scan.Error, Path: path.Join(p.Path, s.Name, a.Path), Profile: base.Profile,
					Saw: "the store takes objects from another folder", Advice: "bring that folder along to the same path, or the checkpoints that need it are lost"})
			}
		}
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	if len(dirs) > 0 {
		p.Saw = fmt.Sprintf("checkpoints go by the absolute path of the folder that they were taken of, here %s: %s", scan.Count(int64(len(dirs)), "folder"), c.some(dirs))
		p.Advice = "bring these folders along to the same paths; at another path /rollback lists nothing, and the files still come back with hermes-doctor checkpoints extract"
		c.out.Points = append(c.out.Points, p)
	}
	if len(whole) > 0 {
		p.Saw, p.Advice = "repositories of the first layout name their working directory in core.worktree: "+c.some(whole), "the same path is needed there too; git run by hand in them writes to that path"
		c.out.Points = append(c.out.Points, p)
	}
	if steps > 0 {
		c.out.Losses = append(c.out.Losses, Loss{p.Path, scan.Count(int64(steps), "checkpoint") + " of " + scan.Count(int64(len(dirs)), "folder")})
	}
}
