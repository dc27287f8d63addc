package corpus

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/rows"
)

// Path is what to scan after BuildTo: the folder of a home, else the state.db in it, else its checkpoints/ folder.
func (c *Case) Path(dir string) string {
	if c.Home() {
		return dir
	}
	if len(c.stores) == 0 {
		return filepath.Join(dir, "checkpoints")
	}
	return filepath.Join(dir, "state.db")
}

// BuildTo writes the case's files into dir, which is made if it does not exist and must hold none of them. The same
// case gives the same bytes and modification times (the newest time of its rows), but for the salts of a WAL.
func BuildTo(ctx context.Context, c Case, dir string) error {
	if err := c.build(ctx, dir); err != nil {
		return fmt.Errorf("build case %q: %w", c.Name, err)
	}
	return nil
}

func (c *Case) build(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	parsed, err := c.parse()
	if err != nil {
		return err
	}
	newest := 0.0
	for i, s := range c.stores {
		if err := c.buildStore(ctx, dir, s, parsed[i]); err != nil {
			return err
		}
		if parsed[i].Newest > newest {
			newest = parsed[i].Newest
		}
	}
	if err := c.buildRepos(ctx, dir); err != nil {
		return err
	}
	for _, f := range c.files {
		text := f.text
		if len(parsed) > 0 {
			if text, err = parsed[0].Env.Expand(f.text); err != nil {
				return fmt.Errorf("files/%s: %w", f.path, err)
			}
		}
		if err := writeNew(filepath.Join(dir, filepath.FromSlash(f.path)), []byte(text)); err != nil {
			return err
		}
	}
	for _, e := range c.damage {
		if err := e.apply(dir); err != nil {
			return err
		}
	}
	return settle(dir, time.Unix(int64(newest), 0))
}

// parse reads the rows of every store. Profiles take base and zone from the home's own rows.
func (c *Case) parse() ([]*rows.Store, error) {
	env := rows.Env{Schema: c.Schema, Base: math.NaN(), Local: time.UTC}
	if c.Zone != "" {
		zone, err := time.LoadLocation(c.Zone)
		if err != nil {
			return nil, fmt.Errorf("zone: %w", err)
		}
		env.Local = zone
	}
	var list []*rows.Store
	for i, s := range c.stores {
		p, err := rows.Parse(s.rows, env)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.ToSlash(filepath.Join(s.folder, "rows.txt")), err)
		}
		if i == 0 {
			env = p.Env
		}
		list = append(list, p)
	}
	return list, nil
}

func (c *Case) buildStore(ctx context.Context, dir string, s store, p *rows.Store) error {
	folder := filepath.Join(dir, filepath.FromSlash(s.folder))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	sql, err := p.Env.Expand(s.sql)
	if err != nil {
		return fmt.Errorf("sql: %w", err)
	}
	err = build.Write(ctx, filepath.Join(folder, "state.db"), build.Store{
		Schema: c.Schema, Born: c.Born, Journal: build.Journal(c.Journal), NoFTS: c.FTS == "no",
		Rows: p.Rows, Tail: p.Tail, SQL: sql,
	})
	if err != nil || p.Mirror == nil {
		return err
	}
	return writeNew(filepath.Join(folder, "sessions", "sessions.json"), p.Mirror)
}

// settle gives every file the same modification time.
func settle(dir string, at time.Time) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		return os.Chtimes(path, at, at)
	})
}

// skip says why this build cannot make the case; "" = it can.
func (c *Case) skip(ctx context.Context) (string, error) {
	if len(c.repos) > 0 && !build.HasGit() {
		return "there is no git to make its checkpoint store", nil
	}
	if c.FTS != "yes" {
		return "", nil
	}
	has, err := build.FTS5(ctx)
	if err != nil || has {
		return "", err
	}
	return "this build has no FTS5", nil
}
