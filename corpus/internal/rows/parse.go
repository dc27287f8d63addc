package rows

import (
	"fmt"
	"math"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/corpus/internal/build"
)

// Store is what the text says about one database.
type Store struct {
	Rows   []build.Row // in order of insertion
	Tail   []build.Row // those behind the word checkpoint
	Mirror []byte      // the content of sessions/sessions.json; nil = the text has no mirror
	Newest float64     // the newest trusted time in a row, epoch seconds; NaN = none
	Env    Env         // with the base and zone that the text sets
}

// Parse reads the row language. env gives what the text does not set itself.
func Parse(text string, env Env) (*Store, error) {
	list, err := statements(text)
	if err != nil {
		return nil, err
	}
	if env.Local == nil {
		env.Local = time.UTC
	}
	p := &parser{env: env, sessions: map[string]*session{}, out: &Store{Newest: math.NaN()},
		hasUIDs: build.HasColumn(env.Schema, "messages", "message_uid")}
	for i := range list {
		if err := p.statement(&list[i]); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", list[i].line, list[i].verb, err)
		}
	}
	return p.finish()
}

type parser struct {
	env      Env
	sessions map[string]*session // by the name that the text uses
	rows     []*build.Row
	safe     int // how many of rows stand before the checkpoint, where split says that there is one
	split    bool
	hasUIDs  bool // the table messages has a message_uid, which would be random unless a row sets it
	uids     int
	mirror   []member
	out      *Store
}

func (p *parser) statement(s *statement) error {
	switch s.verb {
	case "base":
		return p.base(s)
	case "local":
		return p.local(s)
	case "session":
		return p.session(s)
	case "messages":
		return p.messages(s)
	case "route":
		return p.route(s)
	case "mirror":
		return p.mirrored(s)
	case "row":
		return p.row(s)
	case "checkpoint":
		if p.split {
			return fmt.Errorf("given twice")
		}
		p.split, p.safe = true, len(p.rows)
		return s.shape(0, false)
	}
	return fmt.Errorf("unknown word")
}

// shape checks how many words a statement has and whether it may have named values.
func (s *statement) shape(words int, options bool) error {
	if len(s.words) != words {
		return fmt.Errorf("has %d words behind it, want %d: %q", len(s.words), words, s.words)
	}
	if !options && len(s.options) > 0 {
		return fmt.Errorf("takes no %s=", s.options[0].name)
	}
	return nil
}

func (p *parser) base(s *statement) error {
	if err := s.shape(1, false); err != nil {
		return err
	}
	epoch, ok, err := Env{Base: math.NaN()}.Time(s.words[0])
	if err != nil || !ok {
		return fmt.Errorf("%q is no absolute time like 2026-08-03T12:01:03Z", s.words[0])
	}
	p.env.Base = epoch
	return nil
}

func (p *parser) local(s *statement) error {
	if err := s.shape(1, false); err != nil {
		return err
	}
	zone, err := time.LoadLocation(s.words[0])
	if err != nil {
		return fmt.Errorf("zone: %w", err)
	}
	p.env.Local = zone
	return nil
}

func (p *parser) row(s *statement) error {
	if err := s.shape(1, true); err != nil {
		return err
	}
	row := &build.Row{Table: s.words[0]}
	for _, o := range s.options {
		v, err := p.value(o.value, math.NaN())
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		p.seen(v)
		set(row, o.name, cell(v))
	}
	if len(row.Columns) == 0 {
		return fmt.Errorf("has no columns")
	}
	p.rows = append(p.rows, row)
	return nil
}

func (p *parser) finish() (*Store, error) {
	for _, s := range p.sessions {
		s.count()
	}
	if !p.split {
		p.safe = len(p.rows)
	}
	for i, row := range p.rows {
		if i < p.safe {
			p.out.Rows = append(p.out.Rows, *row)
		} else {
			p.out.Tail = append(p.out.Tail, *row)
		}
	}
	if len(p.mirror) > 0 {
		p.out.Mirror = sessionsFile(p.mirror)
	}
	p.out.Env = p.env
	return p.out, nil
}

// set puts a value into a row, over an earlier one of the same column.
func set(row *build.Row, column string, v any) {
	for i, c := range row.Columns {
		if c == column {
			row.Values[i] = v
			return
		}
	}
	row.Columns = append(row.Columns, column)
	row.Values = append(row.Values, v)
}

// get reads a column's value back; nil where the row does not set it.
func get(row *build.Row, column string) any {
	for i, c := range row.Columns {
		if c == column {
			return row.Values[i]
		}
	}
	return nil
}
