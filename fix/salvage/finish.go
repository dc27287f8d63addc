package salvage

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/fix/internal/write"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// resum takes the sum of a table from what stands in it.
func (r *run) resum(ctx context.Context, table string) error {
	to := r.tables[table]
	sum, n, err := sumOf(func(q string, fn func([]evidence.Value) error) error { return r.db.Query(ctx, q, nil, fn) }, to)
	to.line.sum, to.line.Rows = sum, n
	return err
}

// sumOf sums up a table.
func sumOf(query func(q string, fn func([]evidence.Value) error) error, to *target) (sum uint64, n int64, err error) {
	columns := slices.Sorted(maps.Values(to.columns))
	names := make([]string, len(columns))
	for k, c := range columns {
		names[k] = evidence.QuoteName(c)
	}
	err = query("SELECT "+strings.Join(names, ", ")+" FROM "+evidence.QuoteName(to.line.Name)+" NOT INDEXED", func(row []evidence.Value) error {
		n++
		sum += rowSum(columns, row)
		return nil
	})
	return sum, n, err
}

// account says what became of every id of a message, and keeps ids from being given again.
func (r *run) account(ctx context.Context) error {
	a := &r.m.Account
	a.HighWater = max(r.high, r.ids.highest(), r.known.highest())
	whole := &idSet{}
	whole.runs = gaps(a.HighWater, complement(&r.ids, a.HighWater), &r.elsewhere, &r.torn)
	a.Recovered, a.Elsewhere, a.Torn = list(whole.runs), list(r.elsewhere.runs), list(r.torn.runs)
	a.Deleted, a.Lost, a.Known = []Range{}, []Range{}, []LostRow{}
	missing := gaps(a.HighWater, &r.ids)
	switch loss := r.loss["messages"]; {
	case r.blind:
		a.How = "they cannot be told apart: the list of tables is gone, so that every missing id counts as lost"
		a.Lost = list(missing)
	case loss == nil:
		a.How = "the table was read to its end: every missing id was deleted, or was never used"
		a.Deleted = list(missing)
	case r.soundIndex != "":
		a.How = fmt.Sprintf("by index %s, which could be read to its end: what it has and the table does not give is lost, the rest was deleted or never used", r.soundIndex)
		a.Lost = list(gaps(a.HighWater, complement(&r.known, a.HighWater), &r.ids))
		lost := &idSet{runs: a.Lost}
		a.Deleted = list(gaps(a.HighWater, &r.ids, lost))
	default:
		a.How = "by the keys of the pages that cannot be read, since no index could be read to its end: an id in their range counts as lost"
		lost, deleted := &idSet{}, &idSet{}
		for _, run := range missing {
			if run[1]-run[0] > 1<<20 { // too many to be asked one by one
				lost.runs = append(lost.runs, run)
				continue
			}
			for id := run[0]; id <= run[1]; id++ {
				if loss.Lost(id) {
					lost.unsorted(id)
				} else {
					deleted.unsorted(id)
				}
			}
		}
		a.Lost, a.Deleted = list(lost.runs), list(deleted.runs)
	}
	if err := r.whatIsKnown(ctx); err != nil {
		return err
	}
	if a.HighWater == 0 {
		return nil
	}
	n, err := r.db.Change(ctx, "UPDATE sqlite_sequence SET seq = ? WHERE name = 'messages'", a.HighWater)
	if err == nil && n == 0 {
		_, err = r.db.Change(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES ('messages', ?)", a.HighWater)
	}
	return err
}

func list(runs []Range) []Range { return append([]Range{}, runs...) }

// complement is what of 1 to high is not in the set.
func complement(s *idSet, high int64) *idSet { return &idSet{runs: gaps(high, s)} }

// whatIsKnown asks the indexes about messages that are lost.
func (r *run) whatIsKnown(ctx context.Context) error {
	a := &r.m.Account
	lost := &idSet{runs: a.Lost}
	if len(a.Lost) == 0 {
		return nil
	}
	said := map[int64]map[string]evidence.Value{}
	_, err := r.newest.Indexes(ctx, "messages", func(_ string, e *evidence.IndexRow) error {
		if lost.has(e.RowID) && (said[e.RowID] != nil || len(said) < maxLeft) {
			say(said, e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range sortedKeys(said) {
		l := LostRow{ID: id, Session: said[id]["session_id"].String()}
		if v := said[id]["timestamp"]; v.Kind == evidence.Int || v.Kind == evidence.Float {
			at := v.Number()
			l.At = &at
		}
		a.Known = append(a.Known, l)
	}
	return nil
}

// finish makes the file durable, proves it and gives it its name, and the manifest beside it.
func (r *run) finish(ctx context.Context) error {
	for _, low := range sortedKeys(r.tables) {
		line := r.tables[low].line
		put, rows := line.sum, line.Rows
		if err := r.resum(ctx, low); err != nil {
			return err
		}
		if line.Rows != rows {
			return fmt.Errorf("%s has %d rows, and %d were put in", line.Name, line.Rows, rows)
		}
		if line.sum != put && !r.tables[low].filled {
			r.note("%s: some cells are spelled otherwise than in the source, as the types of its columns ask", line.Name)
		}
		if l := r.loss[low]; l != nil {
			line.Lost = l.Places
		}
		line.Digest = fmt.Sprintf("%016x", line.sum)
		if line.Rows > 0 || line.Lost > 0 {
			r.m.Tables = append(r.m.Tables, *line)
		}
	}
	r.tell("write", 0, 0)
	if err := r.db.Commit(ctx); err != nil {
		return err
	}
	if err := r.prove(ctx); err != nil {
		return fmt.Errorf("prove the new file: %w", err)
	}
	changed, err := r.wreck.Changed(ctx)
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		return fmt.Errorf("read %s: %w", strings.Join(changed, ", "), evidence.ErrChanged)
	}
	sum, err := write.Hash(ctx, write.OS{}, r.db.Part())
	if err != nil {
		return err
	}
	r.m.SHA256, r.m.Bytes = sum.SHA256, sum.Bytes
	r.m.Complete = len(r.m.Account.Lost) == 0 && len(r.m.Account.Torn) == 0 && r.m.LeftAll == 0 && len(r.m.Made) == 0 && !r.blind && !r.strange && len(r.loss) == 0
	text, err := json.MarshalIndent(r.m, "", "  ")
	if err != nil {
		return err
	}
	if err := write.Put(write.OS{}, ManifestOf(r.o.Output), append(text, '\n')); err != nil {
		return fmt.Errorf("write the manifest: %w", err)
	}
	if err := r.db.Publish(); err != nil {
		return errors.Join(err, write.OS{}.Remove(ManifestOf(r.o.Output)))
	}
	return nil
}

// ManifestOf is the path of the manifest of a new file.
func ManifestOf(output string) string { return output + ".manifest.json" }

// prove opens the new file as any database is opened: SQLite's own checks, every table read back, and what the caller asks.
func (r *run) prove(ctx context.Context) error {
	b, err := evidence.Open(ctx, []string{r.db.Part()}, evidence.Options{})
	if err != nil {
		return err
	}
	err = r.proveStore(ctx, b.Stores[0].DB)
	if err := errors.Join(err, b.Close()); err != nil {
		return err
	}
	if r.o.Prove == nil {
		return nil
	}
	words, err := r.o.Prove(ctx, r.db.Part())
	if err == nil {
		r.m.Proved = append(r.m.Proved, words)
	}
	return err
}

// odd are the lines about values of another class than their column's, which is how they stood in the source.
var odd = regexp.MustCompile(`(?m)^ (NUMERIC|TEXT) value in .*$`)

func (r *run) proveStore(ctx context.Context, db *evidence.DB) error {
	r.tell("integrity_check", 0, 0)
	said := ""
	ask := func(q string) error {
		return db.Query(ctx, q, nil, func(row []evidence.Value) error { said += " " + row[0].String() + "\n"; return nil })
	}
	if err := ask("PRAGMA integrity_check(1000)"); err != nil {
		return err
	}
	// What breaks a rule of the product but not of the file, such as a number in a text column, came like that out of the source.
	said = strings.TrimSpace(odd.ReplaceAllString(said, ""))
	if said != "ok" && said != "" {
		return fmt.Errorf("integrity_check says:%s", said)
	}
	r.m.Proved = append(r.m.Proved, "integrity_check: ok")
	said = ""
	if err := ask("PRAGMA foreign_key_check"); err != nil {
		return err
	}
	if said != "" {
		return fmt.Errorf("foreign_key_check names rows of%s", said)
	}
	r.m.Proved = append(r.m.Proved, "foreign_key_check: nothing")
	for k := range r.m.Tables {
		line := &r.m.Tables[k]
		to := r.tables[strings.ToLower(line.Name)]
		sum, n, err := sumOf(func(q string, fn func([]evidence.Value) error) error { return db.Query(ctx, q, nil, fn) }, to)
		if err != nil {
			return err
		}
		if got := fmt.Sprintf("%016x", sum); n != line.Rows || got != line.Digest {
			return fmt.Errorf("%s was read back with %d rows and digest %s, and %d rows with %s were put in", line.Name, n, got, line.Rows, line.Digest)
		}
	}
	r.m.Proved = append(r.m.Proved, "every table was read back: rows and digests are those that were put in")
	return nil
}
