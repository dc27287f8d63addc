package witness

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// DumpLimit is the largest request dump that is read, in bytes.
const DumpLimit = 64 << 20

// section heads the part of a system prompt that says which chat the session serves.
const section = "## Current Session Context"

// Dump is what a request dump says about the chat that its session served. What it does not say is "".
type Dump struct {
	Session  string
	Platform string // as in session keys
	Kind     string // "dm", "group", "channel"
	Name     string // of the chat, or of the other person where Kind is "dm"; an id where there is no name
	Thread   string
	User     string
	UserID   string
	Label    string // how the product names the chat of origin
	Line     int    // of the file, counted from 1
}

// ParseDump reads a request dump. Only the system's own text is looked at, since a user can write anything.
func ParseDump(text []byte) (Dump, error) {
	var doc struct {
		Session string `json:"session_id"`
		Request struct {
			Body json.RawMessage `json:"body"`
		} `json:"request"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return Dump{}, errors.New("it is not the JSON of a request dump: torn or damaged")
	}
	d := Dump{Session: doc.Session}
	for _, s := range systemTexts(doc.Request.Body) {
		if _, after, ok := strings.Cut(s, section); ok {
			d.read(after)
			break
		}
	}
	if d.Platform == "" {
		return Dump{}, errors.New("it holds no section about the session's chat")
	}
	d.Line = 1 + bytes.Count(text[:max(0, bytes.Index(text, []byte(section)))], []byte("\n"))
	return d, nil
}

// systemTexts lists the texts that the product itself wrote into a request, in any of the providers' shapes.
func systemTexts(body json.RawMessage) []string {
	var inner string
	if json.Unmarshal(body, &inner) == nil {
		body = json.RawMessage(inner)
	}
	var doc struct {
		System       json.RawMessage `json:"system"`
		Instructions json.RawMessage `json:"instructions"`
		Messages     []turnMessage   `json:"messages"`
	}
	if json.Unmarshal(body, &doc) != nil {
		return nil
	}
	out := append(texts(doc.System), texts(doc.Instructions)...)
	for _, m := range doc.Messages {
		if m.Role == "system" || m.Role == "developer" {
			out = append(out, texts(m.Content)...)
		}
	}
	return out
}

type turnMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// texts reads a text, or a list of parts with texts.
func texts(raw json.RawMessage) []string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return []string{s}
	}
	var parts []struct {
		Text string `json:"text"`
	}
	var out []string
	if json.Unmarshal(raw, &parts) == nil {
		for _, p := range parts {
			out = append(out, p.Text)
		}
	}
	return out
}

// read takes the lines of the section, up to the next heading.
func (d *Dump) read(text string) {
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## ") {
			return
		}
		name, value, ok := strings.Cut(line, ":** ")
		value = strings.TrimSpace(value)
		switch {
		case ok && name == "**Source":
			d.source(value)
		case ok && name == "**User":
			d.User = unquoted(value)
		case ok && name == "**User ID":
			d.UserID = unquoted(strings.Trim(value, "`"))
		case strings.Contains(line, "Back to this chat ("):
			_, label, _ := strings.Cut(line, "Back to this chat (")
			d.Label = unquoted(strings.TrimSuffix(label, ")"))
		}
	}
}

// source reads `Telegram (DM with Sam)`, `Discord (group: club, thread: 9)`; newer builds quote what is in the brackets.
func (d *Dump) source(value string) {
	platform, rest, ok := strings.Cut(value, " (")
	if !ok {
		return
	}
	rest = unquoted(strings.TrimSuffix(rest, ")"))
	if i := strings.LastIndex(rest, ", thread: "); i >= 0 {
		rest, d.Thread = rest[:i], rest[i+len(", thread: "):]
	}
	for _, k := range []struct{ begins, kind string }{{"DM with ", "dm"}, {"group: ", "group"}, {"channel: ", "channel"}} {
		if name, ok := strings.CutPrefix(rest, k.begins); ok {
			d.Platform, d.Kind, d.Name = strings.ToLower(platform), k.kind, name
			return
		}
	}
}

// unquoted takes JSON's quotes off a text that has them.
func unquoted(s string) string {
	var plain string
	if strings.HasPrefix(s, `"`) && json.Unmarshal([]byte(s), &plain) == nil {
		return plain
	}
	return s
}
