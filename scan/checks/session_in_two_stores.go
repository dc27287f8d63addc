package checks

import (
	"context"
	"crypto/sha256"
	"fmt"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// compared bounds how many messages of sessions that lie in two files are read to compare them, in all.
const compared = 2_000_000

var sessionInTwoStores = &scan.Check{
	ID: "session-in-two-stores", Severity: scan.Warning,
	Title:  "the same session id lies in two files of the home",
	Issues: []string{"#88532", "#40344"},
	Needs:  scan.NeedSessions | scan.NeedMessages | scan.NeedHome,
	Doc: scan.Doc{
		What:   "Two databases of the home hold a row of the same id. Their messages are compared one by one, by role, text and time: the two are identical, one is the beginning of the other, both went on after a common beginning, or they have nothing in common.",
		Not:    "It does not say which of the two the user means, and nothing is merged.",
		Origin: "A profile was cloned from another one or restored over it, or a client chose the id itself.",
		Safe:   "Where the two are identical or one is the beginning of the other, the longer one holds everything. Keep both files.",
		Unsafe: "Deleting one where both went on; copying one file over the other.",
		ByHand: "SELECT count(*), min(timestamp), max(timestamp) FROM messages WHERE session_id = 'ID'",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		left, limited := int64(compared), false
		for b, second := range p.Stores {
			for i := range second.Facts.Sessions {
				s := &second.Facts.Sessions[i]
				if i%4096 == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				if s.NoID || s.ID == "" {
					continue
				}
				for _, first := range p.Stores[:b] {
					k, ok := first.Facts.Index(s.ID)
					if !ok {
						continue
					}
					words := "they are too long to be compared"
					if n := first.Facts.Sessions[k].Messages + s.Messages; n <= left {
						left -= n
						var err error
						if words, err = relation(ctx, first, second, s.ID); err != nil {
							return err
						}
					} else {
						limited = true
					}
					second.Report(twoStores(first, second, k, int32(i), words))
					break
				}
			}
		}
		if limited {
			return scan.ErrLimit
		}
		return nil
	},
}

func twoStores(first, second *scan.Pass, k, i int32, words string) scan.Finding {
	s := &second.Facts.Sessions[i]
	return scan.Finding{
		Subject:  second.About(i),
		Message:  fmt.Sprintf("session %s lies in %s and in %s: %s", s.ID, first.Facts.Store, second.Facts.Store, words),
		Advice:   "Keep both files; nothing is merged here.",
		Evidence: []evidence.Item{first.Span(k), second.Span(i)},
	}
}

// relation compares the messages of one id in two files.
func relation(ctx context.Context, first, second *scan.Pass, id string) (string, error) {
	a, err := digests(ctx, first, id)
	if err != nil {
		return "", err
	}
	b, err := digests(ctx, second, id)
	if err != nil {
		return "", err
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	shorter, longer := first.Facts.Store, second.Facts.Store
	if len(a) > len(b) {
		shorter, longer = longer, shorter
	}
	switch {
	case n == len(a) && n == len(b):
		return fmt.Sprintf("the two are identical (%s)", scan.Count(n, "message")), nil
	case n == min(len(a), len(b)):
		return fmt.Sprintf("what %s holds is the beginning of what %s holds (%d of %s)", shorter, longer, n, scan.Count(max(len(a), len(b)), "message")), nil
	case n > 0:
		return fmt.Sprintf("forked: %s in common, then both went on (%d and %d more)", scan.Count(n, "message"), len(a)-n, len(b)-n), nil
	}
	return fmt.Sprintf("unrelated: they have no common beginning (%d and %d messages)", len(a), len(b)), nil
}

// digests gives a hash of each message of a session, in order.
func digests(ctx context.Context, p *scan.Pass, id string) ([][sha256.Size]byte, error) {
	t := p.Store.DB.Table("messages")
	if t == nil {
		return nil, nil
	}
	columns := ""
	for _, c := range []string{"role", "content", "timestamp"} {
		if t.Has(c) {
			columns += ", " + evidence.QuoteName(c)
		}
	}
	var out [][sha256.Size]byte
	err := p.Store.DB.Query(ctx, "SELECT id"+columns+" FROM messages WHERE session_id = ? ORDER BY id", []any{id}, func(row []evidence.Value) error {
		var text []byte
		for _, v := range row[1:] {
			text = fmt.Appendf(text, "%d %q\n", v.Kind, v.String())
		}
		out = append(out, sha256.Sum256(text))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the messages of %q: %w", id, err)
	}
	return out, nil
}
