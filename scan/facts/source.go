package facts

import (
	"cmp"
	"slices"
	"strings"
)

// gatewaySources are the messaging platforms whose rows are expected to carry a key (spec/state-db.md 4.1).
// The set is open: a platform that a key in the file names counts too, unless another class lists it.
var gatewaySources = []string{
	"bluebubbles", "dingtalk", "discord", "email", "feishu", "google_chat", "homeassistant", "irc", "line", "matrix",
	"mattermost", "ntfy", "photon", "qqbot", "raft", "relay", "signal", "simplex", "slack", "sms", "teams", "telegram",
	"wecom", "wecom_callback", "weixin", "whatsapp", "whatsapp_cloud", "yuanbao",
}

// otherSources are unkeyed by design, or keyed by machine callers whose conversations rarely matter, or placeholders.
var otherSources = []string{
	"_health_probe", "acp", "api_server", "cli", "cron", "dashboard", "desktop", "gateway", "hermes_browser", "kanban",
	"local", "msgraph_webhook", "oneshot", "recovered", "subagent", "tool", "tui", "unknown", "webhook",
}

// machineSources are the gateway's machine callers; a routing entry may name them like any platform.
var machineSources = []string{"api_server", "local", "msgraph_webhook", "webhook"}

// Sources lists every source that the product itself names: platforms, machine callers, surfaces and placeholders. The list
// is a new one.
func Sources() []string { return slices.Concat(gatewaySources, otherSources) }

// Gateway says whether rows of source are chats of a messaging platform, which a key is expected on.
func (f *Facts) Gateway(source string) bool {
	if slices.Contains(gatewaySources, source) {
		return true
	}
	return source != "" && !slices.Contains(otherSources, source) && f.platforms[source]
}

// knownPlatform says whether the product takes an origin that names source; an unknown one refuses the entry.
func (f *Facts) knownPlatform(source string) bool {
	return f.Gateway(source) || slices.Contains(machineSources, source)
}

// KeyParts splits a routing key at its first three colons: agent, namespace, platform and the rest. The rest is
// never split further, since ids may hold colons (#84686).
func KeyParts(key string) (namespace, platform, rest string, ok bool) {
	agent, key, some := strings.Cut(key, ":")
	if !some || agent != "agent" {
		return "", "", "", false
	}
	if namespace, key, some = strings.Cut(key, ":"); !some {
		return "", "", "", false
	}
	platform, rest, _ = strings.Cut(key, ":")
	return namespace, platform, rest, true
}

// KeyProfile is the profile that a key's namespace names: "main" is the default one, and "main~" is a profile that
// is really called main. A key of another form names none: "".
func KeyProfile(key string) string {
	ns, _, _, ok := KeyParts(key)
	switch {
	case !ok || ns == "":
		return ""
	case ns == "main":
		return "default"
	case ns == "main~":
		return "main"
	}
	return ns
}

// ProfileOf is the profile that a row belongs to: profile_name, else its key's namespace, else "default".
func ProfileOf(s *Session) string { return s.of }

// profile finds what ProfileOf gives, once for each identity.
func (id *Identity) profile() string {
	return cmp.Or(id.Profile, KeyProfile(id.SessionKey), "default")
}

// notePlatforms collects the platforms that keys in the file name.
func (f *Facts) notePlatforms() {
	f.platforms = map[string]bool{}
	for c := range f.chats {
		if _, platform, _, ok := KeyParts(c.Key); ok {
			f.platforms[platform] = true
		}
	}
}

// KeysBegin is when this file began to have session keys: the earlier of the day on which they were merged and the
// first start of a keyed row, epoch seconds (spec/state-db.md 7.0). An estimate: a later migration can key older rows.
func (f *Facts) KeysBegin() Time { return f.keysBegin }
