package report

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
)

// worded are the fields of a page whose whole text is the tool's own words, a name or a number in them aside.
func worded() []string {
	return []string{
		"Title", "Question", "Label", "Meaning", "Caption", "Unchanged", "What", "Name", "State", "Foot",
		"DecisionHead", "EvidenceHead", "More",
	}
}

// speak puts the page's own words into a language. p is a pointer to the page.
func speak(p any, t *lang.Tongue) {
	if t != nil {
		speakIn(reflect.ValueOf(p), t)
	}
}

func speakIn(v reflect.Value, t *lang.Tongue) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			speakIn(v.Elem(), t)
		}
	case reflect.Slice:
		if list, ok := v.Interface().([]span); ok {
			v.Set(reflect.ValueOf(speakSpans(list, t)))
			return
		}
		for i := range v.Len() {
			speakIn(v.Index(i), t)
		}
	case reflect.Struct:
		if tick, ok := v.Interface().(htmlTick); ok {
			tick.Text, tick.Under = t.Days(tick.Text), t.Days(tick.Under)
			v.Set(reflect.ValueOf(tick))
			return
		}
		for i := range v.NumField() {
			f, name := v.Field(i), v.Type().Field(i).Name
			switch {
			case f.Kind() != reflect.String:
				speakIn(f, t)
			case slices.Contains(worded(), name):
				f.SetString(speakText(f.String(), t))
			}
		}
	}
}

// speakText translates a text, or each of the parts that it is made of.
func speakText(s string, t *lang.Tongue) string {
	if said := t.Title(s); said != s {
		return said
	}
	joint, list := ". ", strings.SplitAfter(s, ". ")
	if strings.Contains(s, " · ") {
		joint, list = " · ", strings.Split(s, " · ")
	}
	if len(list) == 1 {
		return s
	}
	for i, p := range list {
		core := strings.TrimSpace(p)
		if said := t.Title(core); said != core {
			list[i] = said
			if joint == ". " && i+1 < len(list) && t.Say(".") == "." {
				list[i] += " "
			}
		}
	}
	if joint == ". " {
		joint = ""
	}
	return strings.Join(list, joint)
}

// speakSpans translates a sentence that is the tool's own words and the names of rows among them; one of which a part has
// no translation stays as it is, since nobody reads half a sentence.
func speakSpans(list []span, t *lang.Tongue) []span {
	whole, plain := "", true
	for _, x := range list {
		whole += x.Text
		plain = plain && x.Badge == ""
	}
	if said := t.Say(whole); said != whole && plain {
		return []span{{Text: said}}
	}
	out := slices.Clone(list)
	for i := range out {
		x := &out[i]
		if x.Code || x.Short || strings.IndexFunc(x.Text, unicode.IsLetter) < 0 {
			continue
		}
		said := t.Say(x.Text)
		if said == x.Text {
			return list
		}
		x.Text = said
	}
	return out
}
