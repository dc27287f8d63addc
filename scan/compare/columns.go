package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// plan says which columns of a table are compared: those that both sides have.
type plan struct {
	columns      []string
	onlyA, onlyB []string
}

func planOf(a, b *evidence.Table, skip ...string) plan {
	var p plan
	if a == nil {
		a = b
	}
	if b == nil {
		b = a
	}
	if a == nil {
		return p
	}
	for _, c := range a.Columns {
		switch {
		case slices.ContainsFunc(skip, func(s string) bool { return strings.EqualFold(s, c) }):
		case b.Has(c):
			p.columns = append(p.columns, c)
		default:
			p.onlyA = append(p.onlyA, c)
		}
	}
	for _, c := range b.Columns {
		if !a.Has(c) && !slices.ContainsFunc(skip, func(s string) bool { return strings.EqualFold(s, c) }) {
			p.onlyB = append(p.onlyB, c)
		}
	}
	return p
}

// notes says which columns are not compared.
func (p *plan) notes(table string) (notes []string) {
	for _, side := range []struct {
		name string
		list []string
	}{{"A", p.onlyA}, {"B", p.onlyB}} {
		if len(side.list) > 0 {
			notes = append(notes, fmt.Sprintf("only %s has these columns of %s, which are not compared: %s", side.name, table, strings.Join(side.list, ", ")))
		}
	}
	return notes
}

// at gives the place of a column; -1 = not compared.
func (p *plan) at(column string) int {
	return slices.IndexFunc(p.columns, func(c string) bool { return strings.EqualFold(c, column) })
}

// textColumns are those of a message that say what was said; the others beside its time are how the product keeps it.
func textColumns() []string {
	return []string{"role", "content", "tool_call_id", "tool_calls", "tool_name", "reasoning", "reasoning_content", "reasoning_details"}
}

// kindOf is the change that another value in a column of a session row makes; shown says that the value may be shown: it is an id, a time,
// a count or a word of the product.
func kindOf(column string) (change Change, shown bool) {
	switch strings.ToLower(column) {
	case "parent_session_id":
		return ReParented, true
	case "started_at", "last_activity_at":
		return ReStamped, true
	case "session_key", "source", "user_id", "chat_id", "chat_type", "thread_id", "profile_name":
		return ReKeyed, true
	case "origin_json":
		return ReKeyed, false
	case "end_reason", "message_count", "tool_call_count", "archived", "hidden", "pinned", "rewind_count", "expiry_finalized", "handoff_state":
		return Changed, true
	}
	return Changed, false
}
