package checks

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// fewest is how many messages two rows must share before they count as one talk: greetings are alike.
const fewest = 4

var conversationCopied = &scan.Check{
	ID: "conversation-copied", Severity: scan.Notice,
	Title:  "one conversation stands in several rows, each the beginning of the next",
	Issues: []string{"#5563"},
	Needs:  scan.NeedSessions | scan.NeedMessages,
	Doc: scan.Doc{
		What:   "All messages of a row, four or more, are the first messages of another row of the same source, role by role and byte by byte. All builds list and bill them as so many conversations; a restart of a chat is not affected.",
		Not:    "Branches and the continuations of compressed rows repeat their parent by design and are left out. Without --deep only rows whose first messages have the same time are compared.",
		Origin: "A client that saved the whole history under a new id at each save (fifteen times in one report).",
		Safe:   "Keeping the longest. It holds everything that the others do.",
		Unsafe: "Deleting the others while a child or a routing entry names them.",
		ByHand: "SELECT source, first, group_concat(session_id) FROM (SELECT session_id, min(timestamp) AS first FROM messages GROUP BY session_id) JOIN sessions ON id = session_id GROUP BY source, first HAVING count(*) > 1",
	},
	Run: func(ctx context.Context, p *scan.Pass) error {
		groups, err := alikeAtFirst(ctx, p)
		if err != nil {
			return fmt.Errorf("read the first messages of rows: %w", err)
		}
		for len(groups) > 0 {
			n, rows := 0, []int32(nil)
			for n < len(groups) && (n == 0 || len(rows)+len(groups[n]) <= asking) {
				rows = append(rows, groups[n]...)
				n++
			}
			sums, err := runningSums(ctx, p, rows)
			if err != nil {
				return fmt.Errorf("read the messages of rows that begin alike: %w", err)
			}
			for _, g := range groups[:n] {
				reportCopies(p, g, sums)
			}
			groups = groups[n:]
		}
		return nil
	},
}

// alikeAtFirst groups the rows of one source whose first messages have the same time or, where all texts are read, the
// same text.
func alikeAtFirst(ctx context.Context, p *scan.Pass) ([][]int32, error) {
	var rows []int32
	for i := range p.Facts.Sessions {
		s := &p.Facts.Sessions[i]
		repeats := s.Parent >= 0 && p.Facts.Sessions[s.Parent].EndReason == "compression"
		if s.Messages >= fewest && !s.NoID && !repeats && p.Classes[i] != scan.Branch && (p.Texts.All || s.First.Trusted()) {
			rows = append(rows, int32(i))
		}
	}
	texts := map[int32]sum{}
	if p.Texts.All {
		err := eachRow(ctx, p, rows, "(SELECT role || char(10) || content FROM messages m WHERE m.session_id = s.id ORDER BY m.id LIMIT 1)",
			func(i int32, v []evidence.Value) { texts[i] = sha256.Sum256([]byte(v[0].String())) })
		if err != nil {
			return nil, err
		}
	}
	order := func(i, j int32) int {
		a, b, x, y := &p.Facts.Sessions[i], &p.Facts.Sessions[j], texts[i], texts[j]
		if p.Texts.All {
			return cmp.Or(strings.Compare(a.Source, b.Source), bytes.Compare(x[:], y[:]))
		}
		return cmp.Or(cmp.Compare(a.First, b.First), strings.Compare(a.Source, b.Source))
	}
	slices.SortStableFunc(rows, order)
	var groups [][]int32
	for len(rows) > 0 {
		n := 1
		for n < len(rows) && order(rows[0], rows[n]) == 0 {
			n++
		}
		if n > 1 {
			groups = append(groups, rows[:n])
		}
		rows = rows[n:]
	}
	return groups, nil
}

// reportCopies finds the rows of a group that are the beginning of a longer one, or equal to one that began earlier.
func reportCopies(p *scan.Pass, group []int32, sums map[int32][]sum) {
	slices.SortStableFunc(group, func(a, b int32) int { return len(sums[b]) - len(sums[a]) })
	whole := map[sum]int32{}
	copies := map[int32][]int32{}
	for _, i := range group {
		mine := sums[i]
		if len(mine) < fewest {
			continue
		}
		if long, ok := whole[mine[len(mine)-1]]; ok {
			copies[long] = append(copies[long], i)
			continue
		}
		for _, h := range mine {
			if _, taken := whole[h]; !taken {
				whole[h] = i
			}
		}
	}
	for _, long := range group {
		if len(copies[long]) > 0 {
			p.Report(copiesFinding(p, long, copies[long]))
		}
	}
}

func copiesFinding(p *scan.Pass, long int32, copies []int32) scan.Finding {
	s := &p.Facts.Sessions[long]
	f := scan.Finding{
		Subject:  p.About(long),
		Message:  fmt.Sprintf("row %s, of %s, begins with the whole talk of %s", s.ID, scan.Count(s.Messages, "message"), scan.Count(len(copies), "other row")),
		Advice:   "Nothing is lost and nothing needs doing: " + s.ID + " is the one to keep.",
		Evidence: []evidence.Item{p.Span(long)},
	}
	for _, i := range copies[:min(len(copies), shown)] {
		o := &p.Facts.Sessions[i]
		numbered := func(id string) string {
			return "(SELECT row_number() OVER (ORDER BY id) AS n, role, content FROM messages WHERE session_id = " + evidence.Quote(id) + ")"
		}
		f.Evidence = append(f.Evidence, evidence.Item{
			At:  evidence.Ref{Store: p.Facts.Store, Table: "messages", Key: o.ID},
			Saw: scan.Count(o.Messages, "message") + ", all of them the first of " + s.ID,
			How: "SELECT count(*) FROM " + numbered(o.ID) + " a JOIN " + numbered(s.ID) + " b ON a.n = b.n AND a.role = b.role AND a.content IS b.content",
		})
	}
	return f
}
