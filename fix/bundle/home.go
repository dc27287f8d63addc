package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// fileLimit is the largest file beside a database that is carried, in bytes.
const fileLimit = 256 << 20

// homeWriter writes the files beside one database.
type homeWriter struct {
	*veil
	home *evidence.Home
	dir  string
	left map[string]bool
}

func (w *homeWriter) write(ctx context.Context) error {
	for _, step := range []func(context.Context) error{w.folders, w.settings, w.routes, w.spool, w.dumps, w.sessionFiles, w.logs, w.copies} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// put writes one file of the skeleton.
func (w *homeWriter) put(rel, text string) error {
	name := filepath.Join(w.dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	return os.WriteFile(name, []byte(text), 0o600)
}

// get reads one file of the source; "" and false where it is not there or too large.
func (w *homeWriter) get(rel string, role evidence.Role) (string, bool) {
	data, err := w.home.Read(rel, role, fileLimit)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			w.left["a file that cannot be read"] = true
		}
		return "", false
	}
	return string(data), true
}

// folders makes the folders of profiles, which tell which profiles there are.
func (w *homeWriter) folders(context.Context) error {
	entries, err := w.home.ReadDir("profiles")
	if err != nil {
		return nil // none
	}
	for _, e := range entries {
		if e.IsDir() || e.Type()&fs.ModeSymlink != 0 {
			if err := os.MkdirAll(filepath.Join(w.dir, "profiles", w.name(e.Name())), 0o700); err != nil {
				return err
			}
		}
	}
	return nil
}

// sessionsDir is the folder of the routing index; "" where it lies outside the home.
func (w *homeWriter) sessionsDir() string {
	dir := "sessions"
	if text, err := w.home.Read("gateway.json", evidence.RoleConfig, fileLimit); err == nil {
		var doc struct {
			Dir string `json:"sessions_dir"`
		}
		if json.Unmarshal(text, &doc) == nil && doc.Dir != "" {
			dir = doc.Dir
		}
	}
	if rest, inside := strings.CutPrefix(path.Clean(dir), path.Clean(w.home.Dir)+"/"); inside {
		dir = rest
	}
	if path.IsAbs(dir) || strings.HasPrefix(path.Clean(dir), "..") {
		return ""
	}
	return path.Clean(dir)
}

// settings carries what the configuration says that a restart or a checkpoint depends on.
func (w *homeWriter) settings(context.Context) error {
	if text, ok := w.get("gateway.json", evidence.RoleConfig); ok {
		if err := w.put("gateway.json", w.document(text)); err != nil {
			return err
		}
	}
	if text, ok := w.get("config.yaml", evidence.RoleConfig); ok {
		if err := w.put("config.yaml", w.yaml(text)); err != nil {
			return err
		}
	}
	if _, ok := w.get(".clean_shutdown", evidence.RoleRunState); ok {
		if err := w.put(".clean_shutdown", ""); err != nil {
			return err
		}
	}
	if text, ok := w.get(".restart_failure_counts", evidence.RoleRunState); ok {
		return w.put(".restart_failure_counts", w.document(text))
	}
	return nil
}

// yaml carries the settings that matter and no other.
func (w *homeWriter) yaml(text string) string {
	w.see(text)
	var doc map[string]any
	if yaml.Unmarshal([]byte(text), &doc) != nil {
		return "agent: [\n" // as unreadable as it was
	}
	out := map[string]any{}
	for _, name := range []string{"session_reset", "gateway", "multiplex_profiles", "agent", "checkpoints"} {
		if v, ok := doc[name]; ok {
			if kept := w.setting(name, v); kept != nil {
				out[name] = kept
			}
		}
	}
	kept, err := yaml.Marshal(out)
	if err != nil {
		return "agent: [\n"
	}
	return string(kept)
}

// most is the largest number of a setting that is carried: more minutes or megabytes make no difference, and could be no
// setting at all.
const most = 10_000_000

// settable are the settings that are carried, below those that settings names.
var settable = set(`session_reset gateway multiplex_profiles agent checkpoints mode at_hour idle_minutes
gateway_auto_continue_freshness gateway_timeout enabled max_snapshots max_total_size_mb max_file_size_mb`)

func (w *homeWriter) setting(name string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, x := range v {
			if settable[k] {
				out[k] = w.setting(k, x)
			}
		}
		return out
	case string:
		return w.name(v)
	case int:
		return min(max(v, -most), most)
	case float64:
		return min(max(v, -most), most)
	case bool, nil:
		return v
	}
	return nil
}

// routes carries the routing index and its older copies.
func (w *homeWriter) routes(ctx context.Context) error {
	dir := w.sessionsDir()
	if dir == "" {
		return nil
	}
	if text, ok := w.get(path.Join(dir, "sessions.json"), evidence.RoleSessions); ok {
		if err := w.put(path.Join(w.path(dir), "sessions.json"), w.marked(text)); err != nil {
			return err
		}
	}
	var perr error
	_, err := w.home.OldMirrors(ctx, dir, func(at evidence.Ref, text []byte) {
		perr = errors.Join(perr, w.put(w.path(w.below(at.Path)), w.marked(string(text))))
	})
	return errors.Join(err, perr)
}

// below is a path of evidence below its own home.
func (w *homeWriter) below(shown string) string {
	return strings.TrimPrefix(strings.TrimPrefix(shown, w.home.Path(".")), "/")
}

// path replaces the names of a path.
func (w *homeWriter) path(rel string) string {
	parts := strings.Split(rel, "/")
	for i := range parts {
		parts[i] = w.fileName(parts[i])
	}
	return strings.Join(parts, "/")
}

// begins are names of files by which the product tells its own; what follows is a stamp or a number.
var begins = []string{".sessions_", "sessions.json", "sessions", "state.db.", "state-", "state_", "state"}

func (w *homeWriter) fileName(name string) string {
	for _, b := range begins {
		if rest, ok := strings.CutPrefix(name, b); ok && b != "state" {
			return b + w.name(rest)
		}
	}
	return w.name(name)
}

// marked is document for a text that may begin with a byte-order mark.
func (w *homeWriter) marked(text string) string {
	const mark = "\xef\xbb\xbf"
	rest, has := strings.CutPrefix(text, mark)
	if !has {
		return w.document(text)
	}
	return mark + w.document(rest)
}

// spool carries the messages that wait in files, without them.
func (w *homeWriter) spool(context.Context) error {
	entries, err := w.home.ReadDir("pending_messages")
	if err != nil {
		return nil // none
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		if text, ok := w.get(path.Join("pending_messages", e.Name()), evidence.RoleSpool); ok {
			if err := w.put(path.Join("pending_messages", w.name(e.Name())), w.document(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// dumpName is how the product names a request dump (spec/state-db.md 1.3).
var dumpName = regexp.MustCompile(`^request_dump_(.+)_\d{8}_\d{6}_\d+\.json$`)

// dumps writes request dumps anew: what each says about its chat, and nothing else of it.
func (w *homeWriter) dumps(ctx context.Context) error {
	dir := w.sessionsDir()
	if dir == "" {
		return nil
	}
	dumps, err := w.home.ReadDumps(ctx, dir, func(string) bool { return true })
	if err != nil {
		return err
	}
	told := map[string]evidence.Dump{}
	for _, d := range dumps.List {
		told[d.At.Path] = d
	}
	entries, err := w.home.ReadDir(dir)
	if err != nil {
		return nil // none
	}
	for n, e := range entries {
		match := dumpName.FindStringSubmatch(e.Name())
		if match == nil || !e.Type().IsRegular() {
			continue
		}
		text := "{" // torn
		if d, ok := told[w.home.Path(path.Join(dir, e.Name()))]; ok {
			if text, err = w.dump(d); err != nil {
				return err
			}
		}
		rel := fmt.Sprintf("%s/request_dump_%s_20000101_000000_%06d.json", w.path(dir), w.name(match[1]), n)
		if err := w.put(rel, text); err != nil {
			return err
		}
	}
	return nil
}

func (w *homeWriter) dump(d evidence.Dump) (string, error) {
	kind := map[string]string{"dm": "DM with ", "group": "group: ", "channel": "channel: "}[d.Kind]
	where := kind + w.name(d.Name)
	if d.Thread != "" {
		where += ", thread: " + w.name(d.Thread)
	}
	platform := w.name(d.Platform)
	lines := []string{"## Current Session Context", "", "**Source:** " + strings.ToUpper(platform[:1]) + platform[1:] + " (" + quote(where) + ")"}
	if d.User != "" {
		lines = append(lines, "**User:** "+quote(w.name(d.User)))
	}
	if d.UserID != "" {
		lines = append(lines, "**User ID:** "+quote(w.name(d.UserID)))
	}
	doc := map[string]any{"session_id": w.name(d.Session), "request": map[string]any{"body": map[string]any{
		"messages": []any{map[string]any{"role": "system", "content": strings.Join(lines, "\n")}}}}}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(doc)
	return buf.String(), err
}

// copies carries the older copies of the database.
func (w *homeWriter) copies(ctx context.Context) error {
	_, err := w.home.EachCopy(ctx, func(s *evidence.Store) error {
		rel := w.below(s.Name)
		name := filepath.Join(w.dir, filepath.FromSlash(w.path(rel)))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			return err
		}
		if err := w.database(ctx, s, name, w.left); err != nil {
			return err
		}
		if info, err := os.Stat(filepath.Join(w.home.Dir, filepath.FromSlash(rel))); err == nil { // their order is that of their times
			w.stamps[name] = info.ModTime().Add(time.Duration(w.shift) * time.Second)
		}
		return nil
	})
	return err
}
