package corpus

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// prove checks what every scan owes whatever it finds, while the bundle is open.
func (r *runner) prove(ctx context.Context, b *evidence.Bundle, result *scan.Result) {
	for _, s := range b.Stores {
		r.proveCensus(ctx, s, result)
	}
	for _, f := range result.Findings {
		if len(f.Evidence) == 0 {
			r.problem("%s has no evidence", f.Check)
		}
		for _, item := range f.Evidence {
			r.proveQuery(ctx, b, f.Check, item)
		}
	}
	r.proveTimeline(ctx, b, result.Timeline)
	if !result.Unchanged {
		r.problem("scan says that its input changed: %v", result.Changed)
	}
}

// proveCensus counts the session rows by SQL. A store whose rows cannot be counted is one that a finding is about.
func (r *runner) proveCensus(ctx context.Context, s *evidence.Store, result *scan.Result) {
	if s.DB.Table("sessions") == nil {
		return
	}
	var rows int64
	err := s.DB.Query(ctx, "SELECT count(*) FROM sessions NOT INDEXED", nil, func(row []evidence.Value) error {
		rows = row[0].Int
		return nil
	})
	if err != nil {
		return
	}
	var counted int64
	for _, line := range result.Census {
		if line.Store == s.Name {
			counted += int64(line.Sessions)
		}
	}
	if counted != rows {
		r.problem("census of %s counts %d of %d session rows", s.Name, counted, rows)
	}
}

// proveTimeline checks that events stand in order and that what shows them again runs.
func (r *runner) proveTimeline(ctx context.Context, b *evidence.Bundle, t *scan.Timeline) {
	at := 0.0
	for e := range t.Events() {
		if e.At < at {
			r.problem("timeline: %q comes too late", e.What)
		}
		at = e.At
		if e.What == "" || e.How == "" || e.Source == (evidence.Ref{}) {
			r.problem("timeline: an event lacks what, where or how: %+v", e)
		}
		r.proveQuery(ctx, b, "timeline", evidence.Item{At: e.Source, How: e.How})
	}
}

// proveQuery runs the query that shows an observation again.
func (r *runner) proveQuery(ctx context.Context, b *evidence.Bundle, who string, item evidence.Item) {
	verb, _, _ := strings.Cut(strings.ToUpper(strings.TrimSpace(item.Command())), " ")
	if verb != "SELECT" && verb != "WITH" {
		return
	}
	for _, s := range b.Stores {
		if s.Name != item.At.Store {
			continue
		}
		err := s.DB.Query(ctx, item.Command(), nil, func([]evidence.Value) error { return nil })
		if err != nil {
			r.problem("%s: query %q: %v", who, item.Command(), err)
		}
		return
	}
	r.problem("%s: query %q names no store: %q", who, item.Command(), item.At.Store)
}

// snapshot lists every file below a folder with its mode, size, modification time and hash.
func snapshot(dir string) ([]string, error) {
	var list []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %s %d", rel, info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %x", len(data), sha256.Sum256(data))
		}
		list = append(list, line)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list source: %w", err)
	}
	return list, nil
}
