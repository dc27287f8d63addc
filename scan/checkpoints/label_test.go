package checkpoints_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

func TestLabelFor(t *testing.T) {
	tests := []struct {
		name  string
		paths []string
		total int
		want  string
	}{
		{"none", nil, 0, ""},
		{"one", []string{"a"}, 1, " [nested git repos not captured: a]"},
		{"three", []string{"a", "b", "c"}, 3, " [nested git repos not captured: a, b, c]"},
		{"five", []string{"a", "b", "c", "d", "e"}, 5, " [nested git repos not captured: a, b, c (+2)]"},
		{"unquoted", []string{"a, b]", "c\td"}, 2, " [nested git repos not captured: a, b], c\td]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := checkpoints.LabelFor(test.paths, test.total); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestSubject(t *testing.T) {
	tests := []struct{ message, want string }{
		{"before patch\n", "before patch"},
		{"before terminal: cat <<EOF\nx  \ny\n\nnot this\n", "before terminal: cat <<EOF x y"},
		{"\n\nlate\n", "late"},
		{"", ""},
	}
	for _, test := range tests {
		if got := checkpoints.Subject([]byte(test.message)); got != test.want {
			t.Errorf("Subject(%q) = %q, want %q", test.message, got, test.want)
		}
	}
}

// What a commit says and what its tree holds, side by side, over commits that git wrote.
func TestLabels(t *testing.T) {
	const label = "[nested git repos not captured: "
	tests := []struct {
		name, message string
		nested        []string
		reason        string
		want          checkpoints.Label
	}{
		{"plain", "before patch", nil, "before patch", checkpoints.NoLabel},
		{"predates", "before patch", []string{"a"}, "before patch", checkpoints.Predates},
		{"labelled", "before patch " + label + "a]", []string{"a"}, "before patch", checkpoints.Labelled},
		{"number", "before patch " + label + "a, b, c (+1)]", []string{"a", "b", "c", "d"}, "before patch", checkpoints.Labelled},
		{"wrong number", "before patch " + label + "a, b, c (+2)]", []string{"a", "b", "c", "d"}, "before patch", checkpoints.Wrong},
		{"one too few", "before patch " + label + "a]", []string{"a", "b"}, "before patch", checkpoints.Wrong},
		{"only typed", "before terminal: echo " + label + "a]", nil, "before terminal: echo", checkpoints.Wrong},
		{"typed and told", "before terminal: echo " + label + "x] " + label + "a]", []string{"a"}, "before terminal: echo " + label + "x]", checkpoints.Labelled},
		{"comma in a name", "r " + label + "a, b]", []string{"a, b"}, "r", checkpoints.Labelled},
		{"bracket in a name", "r " + label + "a]b]", []string{"a]b"}, "r", checkpoints.Labelled},
		{"line in a name", "r " + label + "a\nb]", []string{"a\nb"}, "r", checkpoints.Labelled},
		{"line in a name, trimmed", "r " + label + "a b]", []string{"a\nb"}, "r", checkpoints.Labelled},
		{"blank line in a name, trimmed", "r " + label + "a", []string{"a\n\nb"}, "r", checkpoints.Labelled},
		{"no UTF-8", "r " + label + "\u00ff]", []string{"\xff"}, "r", checkpoints.Labelled},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newStore(t, "sha1")
			changes := file("100644", "keep", "1")
			for _, path := range test.nested {
				changes += link(path, strings.Repeat("a", 40))
			}
			s.take(commit{"refs/hermes/0000000000000001", test.message + "\n", changes})
			c := s.read(checkpoints.Options{}).Stores[0].Projects[0].Checkpoints[0]
			if c.Label != test.want {
				t.Errorf("label %q, want %q (told %q)", c.Label, test.want, c.Told)
			}
			if c.Reason != test.reason {
				t.Errorf("reason %q, want %q", c.Reason, test.reason)
			}
			var paths []string
			for _, n := range c.Nested {
				paths = append(paths, n.Path)
			}
			if diff := cmp.Diff(test.nested, paths); diff != "" {
				t.Errorf("nested (-want +got):\n%s", diff)
			}
		})
	}
}
