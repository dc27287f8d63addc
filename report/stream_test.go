package report_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/report"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// chunks remembers the largest piece that it was given.
type chunks struct{ largest, total int }

func (c *chunks) Write(b []byte) (int, error) {
	c.largest, c.total = max(c.largest, len(b)), c.total+len(b)
	return len(b), nil
}

func TestLargeDocumentIsStreamed(t *testing.T) {
	result := large()
	for _, render := range []func(io.Writer) error{
		func(w io.Writer) error {
			return report.Render(w, report.New(tool(), inputs(), result), report.JSON, report.Options{All: true})
		},
		func(w io.Writer) error {
			return report.RenderResume(w, report.NewResume(tool(), inputs(), result), report.JSON, report.Options{})
		},
	} {
		var c chunks
		if err := render(&c); err != nil {
			t.Fatal(err)
		}
		if c.total < 1<<20 || c.largest > 1<<16 {
			t.Errorf("%d bytes came in pieces of up to %d", c.total, c.largest)
		}
	}
}

// large is a store of 20,000 rows with 1,000 findings.
func large() *scan.Result {
	result := incident()
	for i := range 20_000 {
		s := result.Sessions[0]
		s.ID, s.SessionKey = fmt.Sprintf("2026_%06d", i), fmt.Sprintf("agent:main:telegram:dm:%d", i/2)
		result.Sessions = append(result.Sessions, s)
		if i%2 == 0 {
			result.Resume = append(result.Resume, scan.ResumeLine{Store: "state.db", Source: "telegram", SessionKey: s.SessionKey,
				Resolver: "v0.21", Now: s.ID, AfterFix: s.ID, Why: "newest"})
		}
		if i%20 == 0 {
			f := orphan()
			f.Subject.SessionID = s.ID
			result.Findings = append(result.Findings, f)
		}
	}
	return result
}

func BenchmarkRender(b *testing.B) {
	result := large()
	for _, f := range report.Formats() {
		b.Run(string(f), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := report.Render(io.Discard, report.New(tool(), inputs(), result), f, report.Options{All: true}); err != nil {
					b.Fatal(err)
				}
				if err := report.RenderResume(io.Discard, report.NewResume(tool(), inputs(), result), f, report.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
