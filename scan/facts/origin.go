package facts

import (
	"encoding/json"
	"strconv"
)

// Origin is where a chat lives, as a routing entry or a row's origin_json records it (spec/state-db.md 4.6).
type Origin struct {
	Platform, ChatID, ChatType, UserID, ThreadID string
	ChatName, UserName                           string
	ScopeID                                      string // Slack workspace or guild; "" = none
	Profile                                      string
	UserAlt                                      string // user_id_alt: the participant that a key names where it is set
	Prospective                                  string // prospective_thread_id: of a thread that was still to be made
}

// ParseOrigin reads an origin object. ok is false where text is no JSON object; a missing field is "".
func ParseOrigin(text []byte) (o Origin, ok bool) {
	var r room
	doc, ok := parseObject(text, &r)
	if !ok {
		return Origin{}, false
	}
	return originOf(doc), true
}

func originOf(doc object) Origin {
	o := Origin{
		Platform: doc.text("platform"), ChatID: doc.text("chat_id"), ChatType: doc.text("chat_type"),
		UserID: doc.text("user_id"), ThreadID: doc.text("thread_id"), ScopeID: doc.text("scope_id"),
		ChatName: doc.text("chat_name"), UserName: doc.text("user_name"),
		Profile: doc.text("profile"), UserAlt: doc.text("user_id_alt"), Prospective: doc.text("prospective_thread_id"),
	}
	if o.ScopeID == "" {
		o.ScopeID = doc.text("guild_id")
	}
	return o
}

// Peer is the tuple that the origin looks rows up by.
func (o *Origin) Peer() Peer { return Peer{o.Platform, o.UserID, o.ChatID, o.ChatType, o.ThreadID} }

// textOf spells a JSON scalar as Python's str would; null and containers give "".
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number:
		return v.String()
	case bool:
		if v {
			return "True"
		}
		return "False"
	}
	return ""
}

// truthy is Python's notion of a value that counts as set.
func truthy(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return true
}
