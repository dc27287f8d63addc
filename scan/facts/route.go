package facts

import (
	"math"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// Route is one entry of the routing index: what the gateway believes a chat's session to be (spec/state-db.md 1.4).
type Route struct {
	Key       string // the member name or the table's key column, which decides
	SessionID string // "" where the entry holds null or ''
	Origin    *Origin
	Platform  string
	ChatType  string

	Created, Updated Time // from naive local times, by the zone of Routes
	Aware            bool // a time names a zone: the product fails where it compares such a time
	Suspended        bool
	Pending          bool   // resume_pending
	Mark             Time   // last_resume_marked_at; Never = none or unreadable
	TurnStarted      Time   // of a running turn's token; Never = no turn was running
	Previous         string // prev_session_id

	Scope   string // of a row of the table; "" in the file, and in a table without scopes
	Refused string // why the product skips this entry; "" = it loads
	At      evidence.Ref
	How     string

	naive [4]bool // which of Created, Updated, Mark and TurnStarted were read as if their zone were UTC
}

// times lists the four times of an entry.
func (r *Route) times() [4]*Time { return [4]*Time{&r.Created, &r.Updated, &r.Mark, &r.TurnStarted} }

// settle moves the naive times, read as UTC, to the zone that they were written in.
func (r *Route) settle(zone *time.Location) {
	for k, t := range r.times() {
		if !r.naive[k] {
			continue
		}
		*t = local(float64(*t), zone)
	}
}

// pathlike says whether text begins with a Windows drive or steps out of a folder.
func pathlike(text string) bool {
	if strings.Contains(text, "..") {
		return true
	}
	return len(text) > 1 && text[1] == ':' && (text[0]|0x20) >= 'a' && (text[0]|0x20) <= 'z'
}

// local is the instant of a wall clock, given as seconds since 1970 as if its zone were UTC.
func local(wall float64, zone *time.Location) Time {
	whole := math.Floor(wall)
	at := time.Unix(int64(whole), 0).UTC()
	there := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, zone)
	return Time(float64(there.Unix()) + wall - whole)
}

// parseRoute reads one entry as the product does; settle must follow, once the zone is known. The member name or key
// column is key.
func (f *Facts) parseRoute(key string, text []byte) Route {
	r := Route{Key: key, Created: Never(), Updated: Never(), Mark: Never(), TurnStarted: Never()}
	var here room
	doc, ok := parseObject(text, &here)
	if !ok {
		r.Refused = "it is not a JSON object"
		return r
	}
	r.SessionID, r.Previous = doc.text("session_id"), doc.text("prev_session_id")
	r.Platform, r.ChatType = doc.text("platform"), doc.text("chat_type")
	r.Suspended, r.Pending = truthy(doc.get("suspended")), truthy(doc.get("resume_pending"))
	r.read(2, doc.get("last_resume_marked_at"))
	if truthy(doc.get("active_turn_token")) {
		r.read(3, doc.get("active_turn_started_at"))
	}
	r.Refused = f.refuse(&r, doc)
	return r
}

// read reads the k-th of an entry's times; what is no time leaves it blank.
func (r *Route) read(k int, v any) (aware, ok bool) {
	t, aware, ok := parseLocal(v)
	if ok {
		*r.times()[k], r.naive[k] = t, !aware
	}
	return aware, ok
}

// refuse finds the first reason for which the product does not load an entry.
func (f *Facts) refuse(r *Route, doc object) string {
	for _, name := range []string{"session_key", "session_id", "created_at", "updated_at"} {
		if _, ok := doc.raw(name); !ok {
			return "it lacks " + name
		}
	}
	key := doc.text("session_key")
	switch {
	case pathlike(r.SessionID) || strings.ContainsAny(r.SessionID, `/\`):
		return "its session_id looks like a path"
	case pathlike(key) || strings.HasPrefix(key, "/") || strings.HasPrefix(key, `\`):
		return "its session_key looks like a path"
	}
	var aware bool
	var ok bool
	if aware, ok = r.read(0, doc.get("created_at")); !ok {
		return "its created_at is not an ISO time"
	}
	r.Aware = aware
	if aware, ok = r.read(1, doc.get("updated_at")); !ok {
		return "its updated_at is not an ISO time"
	}
	r.Aware = r.Aware || aware
	if !dictable(doc) {
		return "its metadata is no object"
	}
	return f.refuseOrigin(r, doc)
}

func (f *Facts) refuseOrigin(r *Route, entry object) string {
	text, _ := entry.raw("origin")
	var here room
	doc, ok := objectOf(text, &here)
	if !ok || len(doc) == 0 {
		return ""
	}
	o := originOf(doc)
	_, hasPlatform := doc.raw("platform")
	_, hasChat := doc.raw("chat_id")
	switch {
	case !hasPlatform || !hasChat:
		return "its origin lacks platform or chat_id"
	case !f.knownPlatform(o.Platform):
		return "its origin names the platform " + o.Platform + ", which the product does not know"
	}
	if o.ChatType == "" {
		o.ChatType = "dm"
	}
	r.Origin = &o
	return ""
}

// dictable says whether Python's dict() takes an entry's metadata, unset ones counting as empty.
func dictable(entry object) bool {
	if text, ok := entry.raw("metadata"); !ok || text[0] == '{' {
		return true
	}
	v := entry.get("metadata")
	if !truthy(v) {
		return true
	}
	list, ok := v.([]any)
	for _, e := range list {
		if pair, ok := e.([]any); !ok || len(pair) != 2 {
			return false
		}
	}
	return ok
}

// isoForms are the spellings of an ISO time that Python's reader takes and the product writes.
var isoForms = []string{
	"2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04",
	"2006-01-02T15", "2006-01-02", "20060102T150405", "20060102",
}

// parseLocal reads an ISO time, a naive one as if it were UTC; aware says that it names its own zone.
func parseLocal(v any) (t Time, aware, ok bool) {
	s, isText := v.(string)
	if !isText || s == "" {
		return Never(), false, false
	}
	for _, form := range isoForms {
		if at, err := time.Parse(form, s); err == nil {
			return epoch(at), false, true
		}
		for _, z := range []string{"Z07:00", "Z0700"} {
			if at, err := time.Parse(form+z, s); err == nil {
				return epoch(at), true, true
			}
		}
	}
	return Never(), false, false
}

func epoch(at time.Time) Time {
	return Time(float64(at.Unix()) + float64(at.Nanosecond())/1e9)
}
