package build_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
)

func smallLarge() build.LargeOptions {
	return build.LargeOptions{Sessions: 300, Messages: 6000, OrphanShare: 0.1, Unit: 40, Seed: 1}
}

func madeLarge(t *testing.T, o build.LargeOptions) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state.db")
	if err := build.Large(context.Background(), path, o); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestLargeRows(t *testing.T) {
	path := madeLarge(t, smallLarge())
	tests := []struct {
		name, query string
		want        []string
	}{
		{"rows", "SELECT (SELECT count(*) FROM sessions) || ' ' || (SELECT count(*) FROM messages)", []string{"300 6000"}},
		{"whole", "PRAGMA integrity_check", []string{"ok"}},
		{"references", "SELECT \"table\" FROM pragma_foreign_key_check", nil},
		{"order of time", "SELECT a.id FROM messages AS a JOIN messages AS b ON b.id = a.id + 1 WHERE b.timestamp < a.timestamp", nil},
		{"counters", "SELECT id FROM sessions AS s WHERE message_count <> (SELECT count(*) FROM messages WHERE session_id = s.id)", nil},
		{"sources", "SELECT DISTINCT source FROM sessions ORDER BY 1", []string{"cli", "cron", "discord", "slack", "telegram", "tool", "tui"}},
		{"markers", "SELECT DISTINCT key FROM sessions, json_each(model_config) WHERE key LIKE '\\_%' ESCAPE '\\' ORDER BY 1",
			[]string{"_branched_from", "_delegate_from", "_reset_from"}},
		{"routes", "SELECT r.session_key FROM gateway_routing AS r LEFT JOIN sessions AS s ON s.id = r.entry_json ->> 'session_id' WHERE s.session_key IS NOT r.session_key", nil},
		{"incident", "SELECT message_count FROM sessions WHERE message_count = 798 AND session_key IS NULL", []string{"798"}},
		{"journal", "PRAGMA journal_mode", []string{"delete"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, ask(t, path, test.query)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLargeOrphans(t *testing.T) {
	// No source but the gateway's own platforms, no key, and none of the markers that explain why.
	const orphans = `SELECT count(*) BETWEEN $LOW AND $HIGH FROM sessions WHERE source IN ('telegram', 'discord', 'slack')
		AND session_key IS NULL AND message_count > 0 AND model_config NOT LIKE '%_from%'`
	for _, test := range []struct {
		name      string
		share     float64
		low, high string
	}{{"none", 0, "0", "0"}, {"a tenth", 0.1, "30", "32"}} {
		t.Run(test.name, func(t *testing.T) {
			o := smallLarge()
			o.OrphanShare = test.share
			query := os.Expand(orphans, func(name string) string { return map[string]string{"LOW": test.low, "HIGH": test.high}[name] })
			if diff := cmp.Diff([]string{"1"}, ask(t, madeLarge(t, o), query)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// With rank 1, FTS5 compares its index with the messages.
func TestLargeSearchIndex(t *testing.T) {
	needFTS5(t)
	path := madeLarge(t, smallLarge())
	fresh := made(t, build.Store{Schema: "25", Journal: build.Delete})
	const triggers = "SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name"
	if diff := cmp.Diff(ask(t, fresh, triggers), ask(t, path, triggers)); diff != "" {
		t.Errorf("triggers (-fresh +large):\n%s", diff)
	}
	for _, table := range []string{"messages_fts", "messages_fts_trigram"} {
		ask(t, path, "INSERT INTO "+table+"("+table+", rank) VALUES ('integrity-check', 1) RETURNING rowid")
	}
}

func TestLargeIsDeterministic(t *testing.T) {
	read := func(o build.LargeOptions) string {
		data, err := os.ReadFile(madeLarge(t, o))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	o := smallLarge()
	first := read(o)
	if read(o) != first {
		t.Error("two builds of the same options differ")
	}
	o.Seed++
	if read(o) == first {
		t.Error("another seed makes the same file")
	}
}

func TestLargeFingerprint(t *testing.T) {
	seen := map[string]string{}
	for name, change := range map[string]func(*build.LargeOptions){
		"as it is":     func(*build.LargeOptions) {},
		"sessions":     func(o *build.LargeOptions) { o.Sessions++ },
		"messages":     func(o *build.LargeOptions) { o.Messages++ },
		"orphan share": func(o *build.LargeOptions) { o.OrphanShare /= 2 },
		"unit":         func(o *build.LargeOptions) { o.Unit++ },
		"seed":         func(o *build.LargeOptions) { o.Seed++ },
	} {
		o := smallLarge()
		change(&o)
		text, err := o.Fingerprint(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if other := seen[text]; other != "" {
			t.Errorf("%q and %q have the fingerprint %s", name, other, text)
		}
		seen[text] = name
	}
}

func TestLargeRefusals(t *testing.T) {
	tests := map[string]func(*build.LargeOptions){
		"few sessions":   func(o *build.LargeOptions) { o.Sessions = 99 },
		"few messages":   func(o *build.LargeOptions) { o.Messages = 2999 },
		"many orphans":   func(o *build.LargeOptions) { o.OrphanShare = 0.31 },
		"negative share": func(o *build.LargeOptions) { o.OrphanShare = -0.1 },
		"no text":        func(o *build.LargeOptions) { o.Unit = 0 },
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			o := smallLarge()
			change(&o)
			path := filepath.Join(t.TempDir(), "state.db")
			if err := build.Large(context.Background(), path, o); err == nil {
				t.Error("was built")
			}
			if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("left a file behind: %v", err)
			}
		})
	}
}

// ending is a context that ends after it was asked a number of times.
type ending struct {
	context.Context
	left *int
}

func (e ending) Err() error {
	if *e.left--; *e.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestLargeStopsWithItsContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	left := 2000 // of the 6300 rows
	if err := build.Large(ending{context.Background(), &left}, path, smallLarge()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("left a file behind: %v", err)
	}
}
