package corpus

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan"
)

// NewOptions steer New; the zero value is good.
type NewOptions struct {
	TempDir  string // as Options
	Deep     bool
	Name     string // of the case
	Finding  string // the id of the finding that the case is to show; "" = all findings and the verdict
	Zone     string // as the scan's Options
	MaxScans int    // 0 = 400
	Progress func(stage string, done, total int64)
}

// Reduced is a case that was made of a scan.
type Reduced struct {
	Text               []byte // the case, which Run passes
	Scans              int    // how many it took
	RowsOf, Rows       int    // rows of the copy that were tried, and of the case
	Whole              bool   // nothing more can be left out; else the scans ran out
	Sessions, Messages int
}

// CannotReduce is why no case can be made of a scan: what it found depends on something that a case does not take over.
type CannotReduce struct{ Reason string }

func (e *CannotReduce) Error() string { return e.Reason }

// New makes a case of what a scan found in the copy that b has open. It takes over the columns that checks read, no text of
// a message, no title, prompt or name, but ids, keys and times as they are. Then it leaves out what the findings do not
// need: session by session, row by row, message by message and column by column, each time built and scanned again, until
// nothing more can go or MaxScans is used up. The result has passed Run.
func New(ctx context.Context, checks []*scan.Check, b *evidence.Bundle, r *scan.Result, o NewOptions) (*Reduced, error) {
	if o.MaxScans == 0 {
		o.MaxScans = 400
	}
	m := &maker{checks: checks, options: o, now: r.Now}
	if err := m.aim(r); err != nil {
		return nil, err
	}
	all, err := readDraft(ctx, b)
	if err != nil {
		return nil, err
	}
	m.out.RowsOf = all.rows()
	d, err := m.first(ctx, all)
	if err != nil {
		return nil, err
	}
	if err := m.shrink(ctx, d); err != nil {
		return nil, err
	}
	m.out.Rows, m.out.Whole = d.rows(), m.out.Scans < o.MaxScans
	m.out.Sessions, m.out.Messages = d.count()
	if m.out.Text, err = m.finish(ctx, d); err != nil {
		return nil, err
	}
	return &m.out, nil
}

// maker makes one case.
type maker struct {
	checks  []*scan.Check
	options NewOptions
	now     float64
	about   string
	fires   []string
	must    []string        // lines of want.txt that the case is to show
	may     map[string]bool // those that the copy shows
	verdict string          // "" = any
	near    map[string]bool // ids and keys that the findings name
	out     Reduced
}

// aim notes what the case is to show.
func (m *maker) aim(r *scan.Result) error {
	m.may, m.near = map[string]bool{}, map[string]bool{}
	for i := range r.Findings {
		f := &r.Findings[i]
		line := strings.Join(strings.Fields(finding(*f)), " ")
		m.may[line] = true
		if m.options.Finding != "" && f.ID() != m.options.Finding {
			continue
		}
		m.must = append(m.must, line)
		if !slices.Contains(m.fires, f.Check) {
			m.fires = append(m.fires, f.Check)
		}
		for _, name := range []string{f.Subject.SessionID, f.Subject.SessionKey} {
			m.near[name] = name != ""
		}
		if a := f.Adoption; a != nil {
			m.near[a.Predecessor], m.near[a.SessionKey] = a.Predecessor != "", a.SessionKey != ""
			for _, c := range a.Candidates {
				m.near[c.SessionID] = c.SessionID != ""
			}
		}
		for _, e := range f.Evidence {
			m.near[e.At.Key] = e.At.Key != ""
		}
	}
	switch {
	case m.options.Finding != "" && len(m.must) == 0:
		return &CannotReduce{fmt.Sprintf("no finding of this copy has the id %q", m.options.Finding)}
	case len(m.must) == 0:
		return &CannotReduce{"a scan finds nothing there, so that a case of it would show nothing"}
	case m.options.Finding == "":
		m.verdict = string(r.Verdict.Word)
	}
	slices.Sort(m.fires)
	m.about = "from a copy: all that a scan found"
	for _, c := range m.checks {
		if len(m.fires) == 1 && c.ID == m.fires[0] {
			m.about = "from a copy: " + c.Title
		}
	}
	return nil
}

// first finds a beginning that shows what the copy shows: what lies near the findings with few messages, else everything
// with few messages, else everything.
func (m *maker) first(ctx context.Context, all *draft) (*draft, error) {
	var tried error
	for _, try := range []func(*draft){
		func(d *draft) { d.onlyNear(m.near); d.thin() },
		func(d *draft) { d.thin() },
		func(*draft) {},
	} {
		d := all.clone()
		try(d)
		if d.rows() > limitRows {
			continue
		}
		ok, err := m.shows(ctx, d)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if ok {
			return d, nil
		}
		tried = errors.Join(tried, err)
	}
	reason := "what was found depends on something that a case does not take over: texts, other files of the home, checkpoints, or the bytes of the file itself"
	if all.rows() > limitRows {
		reason = fmt.Sprintf("the copy has %d rows, and what was found does not show with %d of them", all.rows(), limitRows)
	}
	if tried != nil {
		reason += ": " + strings.ReplaceAll(tried.Error(), "\n", "; ")
	}
	return nil, &CannotReduce{reason}
}

// limitRows is how many rows a beginning may have: each scan builds them anew.
const limitRows = 20_000

// parsed makes a Case of a draft.
func (m *maker) parsed(d *draft, w Want) (Case, []byte, error) {
	var head strings.Builder
	fmt.Fprintf(&head, "about: %s\n", m.about)
	fmt.Fprintf(&head, "schema: %s\n", d.stores[0].schema)
	if w.Verdict != "" && len(m.fires) > 0 {
		fmt.Fprintf(&head, "fires: %s\n", strings.Join(m.fires, " "))
	}
	if m.now >= 1 && m.now <= 4.2e9 {
		fmt.Fprintf(&head, "now: %s\n", evidence.FormatFloat(m.now))
	}
	if m.options.Zone != "" {
		fmt.Fprintf(&head, "zone: %s\n", m.options.Zone)
	}
	if d.home {
		head.WriteString("home: yes\n")
	}
	a := txtar.Archive{Comment: []byte(head.String() + "\n"), Files: d.files()}
	for _, name := range wantSections() {
		text, _ := w.section(name)
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(text)})
	}
	text := txtar.Format(&a)
	c, err := Parse(m.options.Name, text)
	return c, text, err
}

// shows builds and scans a draft, and says whether it shows what it must and nothing that the copy does not.
func (m *maker) shows(ctx context.Context, d *draft) (bool, error) {
	got, err := m.scan(ctx, d)
	if err != nil {
		return false, err
	}
	if m.verdict != "" && got.Verdict != m.verdict {
		return false, nil
	}
	for _, line := range m.must {
		if !slices.Contains(got.Findings, line) {
			return false, nil
		}
	}
	for _, line := range got.Findings {
		if !m.may[line] {
			return false, nil
		}
	}
	return true, nil
}

func (m *maker) scan(ctx context.Context, d *draft) (w Want, err error) {
	m.out.Scans++
	if m.options.Progress != nil {
		m.options.Progress("scans", int64(m.out.Scans), int64(m.options.MaxScans))
	}
	c, _, err := m.parsed(d, Want{})
	if err != nil {
		return w, err
	}
	dir, err := os.MkdirTemp(m.options.TempDir, "case-*")
	if err != nil {
		return w, fmt.Errorf("make folder for a case: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	home := filepath.Join(dir, "home")
	if err := BuildTo(ctx, c, home); err != nil {
		return w, err
	}
	b, err := evidence.Open(ctx, []string{c.Path(home)}, evidence.Options{TempDir: dir})
	if err != nil {
		return w, fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	result, err := scan.Run(ctx, b, m.checks, scan.Options{Now: c.Now, Zone: c.Zone, Deep: m.options.Deep})
	if err != nil {
		return w, fmt.Errorf("scan: %w", err)
	}
	return Describe(result), nil
}

// finish writes what the case shows into it, and has the runner pass it.
func (m *maker) finish(ctx context.Context, d *draft) ([]byte, error) {
	got, err := m.scan(ctx, d)
	if err != nil {
		return nil, fmt.Errorf("scan the case: %w", err)
	}
	c, text, err := m.parsed(d, got)
	if err != nil {
		return nil, fmt.Errorf("read the case back: %w", err)
	}
	outcomes, err := Run(ctx, m.checks, []Case{c}, Options{TempDir: m.options.TempDir, Deep: m.options.Deep})
	if err != nil {
		return nil, fmt.Errorf("run the case: %w", err)
	}
	for _, out := range outcomes {
		if !out.Passed() {
			return nil, &CannotReduce{"the case that was made does not pass: " + strings.Join(append(out.Problems, out.Skipped), "; ")}
		}
	}
	return text, nil
}
