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
	var doc map[string]any
	if json.Unmarshal(plainJSON(text), &doc) != nil || doc == nil {
		return Origin{}, false
	}
	return originOf(doc), true
}

func originOf(doc map[string]any) Origin {
	o := Origin{
		Platform: textOf(doc["platform"]), ChatID: textOf(doc["chat_id"]), ChatType: textOf(doc["chat_type"]),
		UserID: textOf(doc["user_id"]), ThreadID: textOf(doc["thread_id"]), ScopeID: textOf(doc["scope_id"]),
		ChatName: textOf(doc["chat_name"]), UserName: textOf(doc["user_name"]),
		Profile: textOf(doc["profile"]), UserAlt: textOf(doc["user_id_alt"]), Prospective: textOf(doc["prospective_thread_id"]),
	}
	if o.ScopeID == "" {
		o.ScopeID = textOf(doc["guild_id"])
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
