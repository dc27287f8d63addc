package facts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// entry is a whole routing entry with one member replaced; "" leaves it out.
func routeText(name, value string) string {
	members := [][2]string{
		{"session_key", `"agent:main:telegram:dm:1"`}, {"session_id", `"s"`}, {"created_at", `"2026-08-06T16:18:36.5"`},
		{"updated_at", `"2026-08-06 17:00"`}, {"origin", `{"platform": "telegram", "chat_id": 1}`}, {"metadata", "{}"},
	}
	out, sep := "{", ""
	for _, m := range members {
		if m[0] == name {
			if m[1] = value; value == "" {
				continue
			}
		}
		out += sep + `"` + m[0] + `": ` + m[1]
		sep = ", "
	}
	return out + "}"
}

func TestRouteIsRefused(t *testing.T) {
	f := &Facts{}
	for _, tt := range []struct{ name, value, want string }{
		{"", "", ""},
		{"session_id", "", "it lacks session_id"},
		{"session_id", "null", ""},
		{"session_id", "12", ""},
		{"session_id", `"../x"`, "its session_id looks like a path"},
		{"session_id", `"a/b"`, "its session_id looks like a path"},
		{"session_id", `"C:x"`, "its session_id looks like a path"},
		{"session_key", `"agent:main:google_chat:group:spaces/x"`, ""},
		{"session_key", `"/etc"`, "its session_key looks like a path"},
		{"session_key", `"a..b"`, "its session_key looks like a path"},
		{"updated_at", "1790000000", "its updated_at is not an ISO time"},
		{"created_at", `"yesterday"`, "its created_at is not an ISO time"},
		{"metadata", `"text"`, "its metadata is no object"},
		{"metadata", "[1, 2]", "its metadata is no object"},
		{"metadata", "null", ""},
		{"origin", `"text"`, ""},
		{"origin", `{"platform": "telegram"}`, "its origin lacks platform or chat_id"},
		{"origin", `{"platform": "carrierpigeon", "chat_id": "1"}`, "its origin names the platform carrierpigeon, which the product does not know"},
	} {
		if r := f.parseRoute("k", []byte(routeText(tt.name, tt.value))); r.Refused != tt.want {
			t.Errorf("%s = %s: %q, want %q", tt.name, tt.value, r.Refused, tt.want)
		}
	}
	if r := f.parseRoute("k", []byte("[1]")); r.Refused == "" {
		t.Error("an array is no entry")
	}
}

func TestRouteTimesAreOfTheZone(t *testing.T) {
	f := &Facts{}
	r := f.parseRoute("k", []byte(routeText("updated_at", `"2026-08-06T16:18:36+02:00"`)))
	r.settle(time.FixedZone("", 3*3600))
	utc := time.Date(2026, 8, 6, 16, 18, 36, 500e6, time.UTC)
	if got, want := float64(r.Created), float64(utc.UnixMilli())/1000-3*3600; got != want {
		t.Errorf("a naive time is %v, want %v", got, want)
	}
	if got, want := float64(r.Updated), float64(utc.Unix()-2*3600); got != want || !r.Aware {
		t.Errorf("a time with a zone is %v, want %v; aware is %v", got, want, r.Aware)
	}
	if r.Origin == nil || r.Origin.ChatID != "1" || r.Origin.ChatType != "dm" {
		t.Errorf("the origin is %+v", r.Origin)
	}
}

func TestKeyProfile(t *testing.T) {
	got := map[string]string{}
	for _, key := range []string{"agent:main:telegram:dm:1", "agent:coder:discord:thread:a:b", "agent:main~:slack:dm", "telegram:1", "", "agent:x"} {
		got[key] = KeyProfile(key)
	}
	want := map[string]string{"agent:main:telegram:dm:1": "default", "agent:coder:discord:thread:a:b": "coder", "agent:main~:slack:dm": "main", "telegram:1": "", "": "", "agent:x": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
