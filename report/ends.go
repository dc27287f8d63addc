package report

import "fmt"

// endTitle heads the rows by how they ended and how long ago they were used.
const endTitle = "ends, and days since the last use"

// endsFrom is how many session rows there must be for people to be shown how they ended: of fewer the census says as much.
const endsFrom = 20

// endGrid counts the rows by how they ended and how many days ago they were last used; nil where there are few.
func (r *Report) endGrid() *grid {
	g := &grid{columns: []column{left("store"), left("source"), left("ended by"), right("sessions"),
		right("1 day"), right("7 days"), right("30 days"), right("90 days"), right("older"), right("unknown")}}
	rows, undated := 0, 0
	for _, i := range r.ends {
		l := &r.result.Ends[i]
		ended := l.Reason
		switch {
		case l.Open && ended == "":
			ended = "(open)"
		case l.Open:
			ended += " (no time)"
		case ended == "":
			ended = "(no reason)"
		}
		cells := []string{l.Store, l.Source, ended, fmt.Sprint(l.Sessions)}
		for _, n := range l.Ages {
			cell := ""
			if n > 0 {
				cell = Count(int64(n))
			}
			cells = append(cells, cell)
		}
		g.add(cells...)
		rows += l.Sessions
		undated += l.Ages[len(l.Ages)-1]
	}
	if rows < endsFrom {
		return nil
	}
	return g.without(len(g.columns)-1, undated == 0).without(0, r.stores() < 2)
}
