package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

func TestGridKeepsColumnsAligned(t *testing.T) {
	values := []struct{ name, cell string }{
		{"ascii", "telegram"},
		{"chinese", "微信群聊"},
		{"korean and japanese", "카카오 ライン"},
		{"emoji", "🚀🤖"},
		{"emoji with joiners", "👩‍💻"},
		{"flags", "🇩🇪🇫🇷"},
		{"ambiguous", "…—±°“”"},
		{"combining", "e\u0301e\u0301"},
		{"attack", "\x1b[31m\u202e\r"},
		{"long wide word", strings.Repeat("会话", 60)},
		{"long sentence", strings.Repeat("重启 之后 ", 30)},
	}
	for _, width := range []int{40, 60, 100, 200} {
		g := &grid{columns: []column{left("source"), left("what"), right("n")}}
		for _, v := range values {
			g.add(v.cell, v.name, "§")
		}
		var out bytes.Buffer
		if err := newSetter().write(&out, g, "  ", width); err != nil {
			t.Fatal(err)
		}
		at := -1
		marks := 0
		for _, line := range strings.Split(strings.TrimRight(out.String(), "\n"), "\n") {
			if n := textWidth(line); n > width {
				t.Errorf("width %d: a line takes %d cells: %q", width, n, line)
			}
			head, _, ok := strings.Cut(line, "§")
			if !ok {
				continue
			}
			marks++
			if at < 0 {
				at = textWidth(head)
			}
			if textWidth(head) != at {
				t.Errorf("width %d: the last column stands at %d, expected %d: %q", width, textWidth(head), at, line)
			}
		}
		if marks != len(values) {
			t.Errorf("width %d: %d rows, expected %d", width, marks, len(values))
		}
	}
}

// TestGridIgnoresLocale holds the width of ambiguous characters still whatever the process was told.
func TestGridIgnoresLocale(t *testing.T) {
	render := func() string {
		g := &grid{columns: []column{left("a"), left("b")}}
		g.add("…±°", "x")
		var out bytes.Buffer
		if err := newSetter().write(&out, g, "", 80); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	want := render()
	twwidth.SetEastAsian(true)
	if d := cmp.Diff(want, render()); d != "" {
		t.Errorf("(-narrow +wide):\n%s", d)
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		name, in string
		width    int
		want     []string
	}{
		{"fits", "a b", 3, []string{"a b"}},
		{"at a space", "aaa bbb", 5, []string{"aaa", "bbb"}},
		{"inside a word", "abcdefgh", 3, []string{"abc", "def", "gh"}},
		{"wide characters are not halved", "会话重", 3, []string{"会", "话", "重"}},
		{"a mark stays with its letter", "abe\u0301c", 3, []string{"abe\u0301", "c"}},
		{"narrower than a character", "会话", 1, []string{"会", "话"}},
		{"word after a long one", "abcdef g", 4, []string{"abcd", "ef g"}},
		{"nothing", "", 5, []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, wrap(c.in, c.width)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

func TestWrapOfOtherLanguages(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"停止网关，做好备份。", []string{"停止网关，", "做好备份。"}},
		{"行（一行）里", []string{"行（一行）", "里"}},
		{"v0.18 读取旧行", []string{"v0.18 读取", "旧行"}},
		{"un mot : deux mots", []string{"un mot :", "deux mots"}},
		{"dit « oui » ici", []string{"dit « oui »", "ici"}},
	}
	for _, test := range tests {
		if d := cmp.Diff(test.want, wrap(test.text, 11)); d != "" {
			t.Errorf("%q (-want +got):\n%s", test.text, d)
		}
	}
}
