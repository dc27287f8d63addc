package rollback_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/scan/rollback"
)

func TestParsePathspecRefuses(t *testing.T) {
	tests := []struct{ name, text, reason string }{
		{"empty", "", "empty string"},
		{"unknown word", ":(bad)x", `"bad"`},
		{"capital word", ":(GLOB)x", `"GLOB"`},
		{"space in list", ":(top, glob)x", `" glob"`},
		{"unclosed", ":(top", "missing ')'"},
		{"literal and glob", ":(literal,glob)x", "incompatible"},
		{"reserved character", ":%x", "'%'"},
		{"absolute behind magic", ":(icase)/x", "leaves"},
		{"above the top", "a/../../x", "leaves"},
		{"prefix beyond the pattern", ":(prefix:9)x", "prefix:"},
		{"prefix without number", ":(prefix:x)x", "'prefix'"},
		{"attribute without a name", ":(attr:)x", "empty"},
		{"attribute with a bad name", ":(attr:a+b)x", "a+b"},
		{"attribute with a bad value", ":(attr:a=b*)x", "'*'"},
		{"attribute with an open escape", `:(attr:a=b\\)x`, "'\\\\'"},
		{"two attributes", ":(attr:a,attr:b)x", "only one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := rollback.ParsePathspec(tt.text, rollback.POSIX)
			if bad := (*rollback.BadPathspec)(nil); !errors.As(err, &bad) || !strings.Contains(bad.Reason, tt.reason) {
				t.Errorf("got %v, want a reason with %q", err, tt.reason)
			}
		})
	}
}

func TestParsePathspecOnWindows(t *testing.T) {
	paths := []string{"packages/nested/a.txt", "packages/readme.txt", "top.txt"}
	tests := []struct {
		text string
		want []string
	}{
		{`packages\readme.txt`, []string{"packages/readme.txt"}},
		{`packages\nested\..\readme.txt`, []string{"packages/readme.txt"}},
		{`packages\*.txt`, []string{"packages/nested/a.txt", "packages/readme.txt"}},
		{`:(top)packages\readme.txt`, nil}, // with top nothing is converted: the backslash quotes
		{`:(icase)PACKAGES\README.TXT`, []string{"packages/readme.txt"}},
	}
	for _, tt := range tests {
		ps, err := rollback.ParsePathspec(tt.text, rollback.Windows)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		var got []string
		selected, _ := ps.Inspect(paths, func(int) bool { return false })
		for _, i := range selected {
			got = append(got, paths[i])
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.text, diff)
		}
	}
	for _, text := range []string{`C:\x`, `c:x`, `\x`, `a\..\..\x`} {
		if _, err := rollback.ParsePathspec(text, rollback.Windows); err == nil {
			t.Errorf("%s: accepted, want an error", text)
		}
	}
}

func FuzzParsePathspec(f *testing.F) {
	for _, text := range []string{"*.txt", ":(glob)a/**/b", ":(exclude,icase)t*", ":!x", ":/", "a/../b", `:(attr:a=b\)c)x`, ":(prefix:2)ab*", `C:\x`, "[[:alpha:]-z]"} {
		f.Add(text, "a/b/x.txt")
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		if strings.ContainsRune(text+path, 0) {
			return
		}
		for _, platform := range []rollback.Platform{rollback.POSIX, rollback.Windows} {
			ps, err := rollback.ParsePathspec(text, platform)
			if bad := (*rollback.BadPathspec)(nil); err != nil && !errors.As(err, &bad) {
				t.Fatalf("error %v is no BadPathspec", err)
			}
			if err == nil {
				ps.Inspect([]string{path, path + "~"}, func(i int) bool { return i == 0 })
			}
		}
		literal, err := rollback.ParsePathspec(":(top,literal)"+path, rollback.POSIX)
		if err != nil {
			t.Fatalf("literal %q: %v", path, err)
		}
		if selected, found := literal.Inspect([]string{path}, func(int) bool { return false }); path != "" && (len(selected) != 1 || !found) {
			t.Errorf("literal %q does not select itself", path)
		}
	})
}
