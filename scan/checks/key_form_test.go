package checks

import (
	"testing"
)

func TestPeerFits(t *testing.T) {
	group := peer{source: "telegram", chatID: "-100777", chatType: "group", userID: "123"}
	topic := peer{source: "telegram", chatID: "-100777", chatType: "group", threadID: "9", userID: "123"}
	slack := peer{source: "slack", chatID: "D01", chatType: "dm", userID: "U01"}
	known := slack
	known.scope, known.whole = "T01", true
	alt := peer{source: "signal", chatID: "g1", chatType: "group", userID: "+491"}
	altKnown := alt
	altKnown.userAlt, altKnown.whole = "uuid-1", true
	soon := peer{source: "discord", chatID: "55", chatType: "channel", userID: "1", prospective: "66", whole: true}
	tests := []struct {
		name string
		peer peer
		rest string
		want bool
	}{
		{"dm by chat", peer{source: "telegram", chatID: "1", chatType: "dm", userID: "2"}, "dm:1", true},
		{"dm by participant while the chat is known", peer{source: "telegram", chatID: "1", chatType: "dm", userID: "2"}, "dm:2", false},
		{"dm by participant", peer{source: "telegram", chatType: "dm", userID: "2"}, "dm:2", true},
		{"dm with thread", peer{source: "telegram", chatID: "1", chatType: "dm", threadID: "45"}, "dm:1:45", true},
		{"dm without its thread", peer{source: "telegram", chatID: "1", chatType: "dm", threadID: "45"}, "dm:1", false},
		{"shared", group, "group:-100777", true},
		{"per participant", group, "group:-100777:123", true},
		{"another participant", group, "group:-100777:456", false},
		{"topic", topic, "group:-100777:9", true},
		{"topic per participant", topic, "group:-100777:9:123", true},
		{"another topic", topic, "group:-100777:8", false},
		{"a thread that only an origin would tell", group, "thread:-100777:9", true},
		{"scope unknown", slack, "dm:T01:D01", true},
		{"scope known", known, "dm:T01:D01", true},
		{"another scope", known, "dm:T02:D01", false},
		{"before scopes", known, "dm:D01", true},
		{"second id unknown", alt, "group:g1:uuid-1", true},
		{"second id known", altKnown, "group:g1:uuid-1", true},
		{"another second id", altKnown, "group:g1:uuid-2", false},
		{"thread to be made", soon, "thread:55:66", true},
		{"another thread to be made", soon, "thread:55:67", false},
		{"colon in the chat", peer{source: "matrix", chatID: "a:b", chatType: "group", userID: "c"}, "group:a:b:c", true},
		{"colon in the participant", peer{source: "matrix", chatID: "a", chatType: "group", userID: "b:c"}, "group:a:b:c", true},
		{"type unknown", peer{source: "telegram", chatID: "1"}, "dm:1", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.peer.fits(test.rest); got != test.want {
				t.Errorf("fits(%q) is %v", test.rest, got)
			}
		})
	}
}

func TestOnlyPlace(t *testing.T) {
	none := place{}
	tests := []struct {
		name                       string
		source, rest, kind, userID string
		want                       place
	}{
		{"dm", "telegram", "dm:1001", "", "", place{"1001", "dm", ""}},
		{"dm with thread", "telegram", "dm:1001:45", "", "", place{"1001", "dm", "45"}},
		{"dm of ids with colons", "matrix", "dm:!a:b", "", "", none},
		{"shared group", "telegram", "group:-100777", "", "", place{"-100777", "group", ""}},
		{"topic or user", "telegram", "group:-100777:9", "", "", none},
		{"topic or another user", "telegram", "group:-100777:9", "", "123", none},
		{"its own user", "telegram", "group:-100777:123", "", "123", place{"-100777", "group", ""}},
		{"topic and its own user", "telegram", "group:-100777:9:123", "", "123", place{"-100777", "group", "9"}},
		{"topic and user", "telegram", "group:-100777:9:123", "", "", place{"-100777", "group", "9"}},
		{"thread slot", "discord", "thread:55:66", "", "", none},
		{"thread slot, type known, user unknown", "discord", "thread:55:66", "thread", "", none},
		{"no chat", "telegram", "dm", "", "", none},
		{"empty part", "telegram", "dm:1001:", "", "", none},
		{"aliased", "whatsapp", "dm:491", "", "", none},
		{"slack channel", "slack", "dm:D01", "", "", place{"D01", "dm", ""}},
		{"slack scope or thread", "slack", "dm:T01:D01", "", "", none},
		{"too many parts", "matrix", "group:a:b:c:d:e:f:g:h:i:j:k:l:m:n", "", "", none},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, ok := onlyPlace(test.source, test.rest, test.kind, test.userID)
			if got != test.want || ok != (test.want != none) {
				t.Errorf("onlyPlace is %v, %v; want %v", got, ok, test.want)
			}
		})
	}
}
