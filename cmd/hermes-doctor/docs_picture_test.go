package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPictureOfTheDemo wants docs/incident.svg to be what a page about the demo draws today, with the part of the page's style
// that it needs. UPDATE_SCRIPTS=1 draws it anew.
func TestPictureOfTheDemo(t *testing.T) {
	code, page, complaints := tell(t, "demo", "--format", "html")
	if code != exitClean {
		t.Fatalf("exit %d: %s", code, complaints)
	}
	style, err := os.ReadFile("../../report/html/style.css")
	if err != nil {
		t.Fatal(err)
	}
	got := picture(t, string(page), string(style))
	for d := xml.NewDecoder(bytes.NewReader(got)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("the picture is no XML: %v", err)
		}
	}
	const path = "../../docs/incident.svg"
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("docs/incident.svg is not what a page draws today: UPDATE_SCRIPTS=1 go test -run TestPictureOfTheDemo ./cmd/hermes-doctor")
	}
}

// picture puts the panels of a page one below the other.
func picture(t *testing.T, page, style string) []byte {
	t.Helper()
	const wide, margin, heading = 800, 24, 34
	panels := regexp.MustCompile(`(?s)<div class="panel (\w+)">\s*<h4[^>]*>([^<]*)</h4>\s*(<svg role="img".*?\n</svg>)`).FindAllStringSubmatch(page, -1)
	if len(panels) != 2 {
		t.Fatalf("the page has %d panels, want one of before and one of after", len(panels))
	}
	var b bytes.Buffer
	y := 0
	for _, p := range panels {
		high := 0
		if _, err := fmt.Sscanf(regexp.MustCompile(` height="\d+"`).FindString(p[3]), ` height="%d"`, &high); err != nil {
			t.Fatal(err)
		}
		drawn := strings.Replace(p[3], `width="100%"`, fmt.Sprintf(`x="%d" y="%d" width="%d"`, margin, y+heading, wide-2*margin), 1)
		fmt.Fprintf(&b, "<g class=\"%s\">\n<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>\n%s\n</g>\n", p[1], margin, y+24, p[2], drawn)
		y += heading + high + 12
	}
	return fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %[1]d %[2]d\">\n<style>\n%s</style>\n<rect class=\"ground\" width=\"%[1]d\" height=\"%[2]d\"/>\n%[4]s</svg>\n",
		wide, y, drawing(t, style), b.String())
}

// drawing is the part of a page's style that a panel needs: the colours, light and dark, and the rules for what is drawn.
func drawing(t *testing.T, style string) string {
	t.Helper()
	colours, rest, ok := strings.Cut(style, "* { box-sizing")
	screen, _, cut := strings.Cut(rest, "@media")
	if !ok || !cut {
		t.Fatal("the style is not ordered as this test knows it")
	}
	drawn := []string{"svg", ".axis", ".mark", "line.", ".track", ".label", ".jump", ".before", ".after"}
	for line := range strings.Lines(screen) {
		if slices.ContainsFunc(drawn, func(name string) bool { return strings.HasPrefix(line, name) }) {
			colours += line
		}
	}
	return colours + ".ground { fill: var(--card); }\ntext.title { font-weight: 650; font-size: 15px; } .before text.title { fill: var(--back); } .after text.title { fill: var(--talk); }\n"
}
