package report_test

import (
	"bytes"
	"encoding/json"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// looks are a telephone and a desk, by day and by night.
func looks() map[string]look {
	return map[string]look{
		"phone-light": {390, 844, "light"}, "phone-dark": {390, 844, "dark"},
		"desk-light": {1440, 900, "light"}, "desk-dark": {1440, 900, "dark"},
	}
}

// Each page opens from disk in a real browser, asks for nothing, and can be read at each width by day and by night.
func TestPagesInABrowser(t *testing.T) {
	b := startBrowser(t)
	pages := map[string]string{"incident": page(t, drawn()), "sound": page(t, sound()), "hostile": page(t, hostileDrawn()), "audited": page(t, audited()),
		"everything": page(t, everything()), "incident-fr": pageIn(t, drawn(), "fr"), "incident-zh": pageIn(t, drawn(), "zh")}
	for name, text := range pages {
		path := filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		for how, l := range looks() {
			if name != "incident" && how != "phone-dark" && how != "desk-light" {
				continue
			}
			t.Run(name+"-"+how, func(t *testing.T) {
				b.t = t
				b.open("file://"+path, l)
				shown(t, b, name+"-"+how, l)
				fits(t, b, l)
				structured(t, b)
				legible(t, b)
				spoken(t, b)
				quiet(t, b, path)
			})
		}
		b.t = t
	}
}

// quiet says that the page loaded nothing but itself and that nothing went wrong in it.
func quiet(t *testing.T, b *browser, path string) {
	t.Helper()
	for _, e := range b.events {
		switch e.Method {
		case "Network.requestWillBeSent":
			var r struct{ Request struct{ URL string } }
			if err := json.Unmarshal(e.Params, &r); err != nil {
				t.Fatal(err)
			}
			if r.Request.URL != "file://"+path {
				t.Errorf("the page asks for %s", r.Request.URL)
			}
		case "Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled":
			t.Errorf("%s: %s", e.Method, e.Params)
		}
	}
}

// fits says that nothing is wider than the screen, also when everything is unfolded.
func fits(t *testing.T, b *browser, l look) {
	t.Helper()
	const widest = `(() => { const w = document.documentElement.clientWidth;
		const wide = [...document.querySelectorAll('body *')].filter(e => !e.closest('.skip') && !e.closest('thead') && !e.closest('.scroll') && e.getBoundingClientRect().right > w + 1);
		return {width: w, scroll: document.documentElement.scrollWidth, wide: wide.slice(0, 5).map(e => e.outerHTML.slice(0, 160))}; })()`
	for _, unfold := range []string{"false", "true"} {
		var got struct {
			Width, Scroll int
			Wide          []string
		}
		b.eval("document.querySelectorAll('details').forEach(d => d.open = d.open || "+unfold+"); "+widest, &got)
		if got.Width != l.width || got.Scroll > l.width {
			t.Errorf("the page is %d wide on a screen of %d (unfolded %s): %q", got.Scroll, got.Width, unfold, got.Wide)
		}
		if len(got.Wide) > 0 {
			t.Errorf("wider than the screen (unfolded %s): %q", unfold, got.Wide)
		}
	}
	// What reaches beyond a picture is cut off there, and nothing else shows it.
	var cut []string
	b.eval(`[...document.querySelectorAll('figure svg[role=img]')].flatMap(s => [...s.querySelectorAll('text')].filter(e => {
		const a = e.getBoundingClientRect(), z = s.getBoundingClientRect();
		return a.left < z.left - 1 || a.right > z.right + 1; }).map(e => e.textContent))`, &cut)
	if len(cut) > 0 {
		t.Errorf("cut off in the picture: %q", cut)
	}
}

// structured says that headings go down one level at a time, that ids are unique and that references find them.
func structured(t *testing.T, b *browser) {
	t.Helper()
	var got []string
	b.eval(`(() => { const bad = []; let last = 0;
		for (const h of document.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
			const n = +h.tagName[1]; if (n > last + 1) bad.push('after h' + last + ': ' + h.outerHTML.slice(0, 100)); last = n; }
		if (document.querySelectorAll('h1').length !== 1 || document.querySelectorAll('main').length !== 1) bad.push('not one h1 and one main');
		if (!document.documentElement.lang) bad.push('no language');
		const seen = new Set();
		for (const e of document.querySelectorAll('[id]')) { if (seen.has(e.id)) bad.push('twice: ' + e.id); seen.add(e.id); }
		for (const e of document.querySelectorAll('[aria-labelledby]')) for (const id of e.getAttribute('aria-labelledby').split(' ')) if (!seen.has(id)) bad.push('names nothing: ' + id);
		for (const e of document.querySelectorAll('a[href]')) if (!e.getAttribute('href').startsWith('#') || !seen.has(e.getAttribute('href').slice(1))) bad.push('leads nowhere: ' + e.outerHTML);
		if (document.scripts.length) bad.push('a script');
		return bad; })()`, &got)
	if len(got) > 0 {
		t.Errorf("%q", got)
	}
}

// legible says that every text stands out from what is behind it as WCAG 2.2 asks of small letters: 4.5 to 1.
func legible(t *testing.T, b *browser) {
	t.Helper()
	var got []string
	b.eval(`(() => { const parse = c => (c.match(/[\d.]+/g) || []).map(Number);
		const lum = ([r, g, b]) => { const f = v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; }; return .2126 * f(r) + .7152 * f(g) + .0722 * f(b); };
		const behind = e => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
		const bad = new Set();
		for (const e of document.querySelectorAll('body *')) {
			if (e.closest('.skip') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim()) || !e.getClientRects().length) continue;
			const s = getComputedStyle(e), svg = e.namespaceURI.endsWith('svg');
			if (svg && e.tagName !== 'text') continue;
			let back = behind(svg ? e.ownerSVGElement.parentElement : e);
			if (svg && e.classList.contains('badge')) back = parse(getComputedStyle(e.previousElementSibling).fill);
			const a = lum(parse(svg ? s.fill : s.color)), z = lum(back), ratio = (Math.max(a, z) + .05) / (Math.min(a, z) + .05);
			if (ratio < 4.5) bad.add(ratio.toFixed(2) + ' ' + e.tagName + '.' + (e.getAttribute('class') || e.parentElement.getAttribute('class')));
		}
		return [...bad]; })()`, &got)
	if len(got) > 0 {
		t.Errorf("hard to read: %q", got)
	}
}

// spoken says that a screen reader is told what each picture shows, and that each table is one: a telephone sets its rows
// as lists, by which a table would cease to be one.
func spoken(t *testing.T, b *browser) {
	t.Helper()
	var tree struct {
		Nodes []struct {
			Ignored     bool
			Role, Name  struct{ Value string }
			Description struct{ Value string }
		}
	}
	var pictures, tables int
	b.eval("document.querySelectorAll('figure svg[role=img]').length", &pictures)
	b.eval("document.querySelectorAll('table').length", &tables)
	b.call("Accessibility.getFullAXTree", map[string]any{}, &tree)
	told := 0
	for _, n := range tree.Nodes {
		if !n.Ignored && n.Role.Value == "table" {
			tables--
		}
		if n.Ignored || n.Role.Value != "image" && n.Role.Value != "img" {
			continue
		}
		told++
		if !regexp.MustCompile(`(row|ligne|行) [0-9a-z]`).MatchString(n.Name.Value) {
			t.Errorf("a picture says only %q", n.Name.Value)
		}
	}
	if told != pictures {
		t.Errorf("%d pictures, and a screen reader is told of %d", pictures, told)
	}
	if tables != 0 {
		t.Errorf("%d tables are none to a screen reader", tables)
	}
}

// shown takes a picture of the page. HTML_SHOTS names a folder that keeps it, to be looked at.
func shown(t *testing.T, b *browser, name string, l look) {
	t.Helper()
	shot := b.screenshot()
	keep(t, name+".png", shot)
	img, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	size := img.Bounds()
	if size.Dx() != l.width || size.Dy() < 400 {
		t.Errorf("the screenshot is %v", size)
	}
	colours := map[[3]uint32]int{}
	for y := size.Min.Y; y < size.Max.Y; y += 3 {
		for x := size.Min.X; x < size.Max.X; x += 3 {
			r, g, b, _ := img.At(x, y).RGBA()
			colours[[3]uint32{r >> 8, g >> 8, b >> 8}]++
		}
	}
	if len(colours) < 20 {
		t.Errorf("the screenshot has %d colours: it shows nothing", len(colours))
	}
	r, g, bl, _ := img.At(2, 2).RGBA()
	if light := (r+g+bl)>>8 > 3*128; light != (l.scheme == "light") {
		t.Errorf("the corner is %d %d %d in the %s scheme", r>>8, g>>8, bl>>8, l.scheme)
	}
}

func keep(t *testing.T, name string, data []byte) {
	t.Helper()
	dir := os.Getenv("HTML_SHOTS")
	if dir == "" {
		dir = t.TempDir()
	}
	if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// On paper, the examined file is named on every page, and nothing stays folded.
func TestPageInPrint(t *testing.T) {
	b := startBrowser(t)
	path := filepath.Join(t.TempDir(), "print.html")
	if err := os.WriteFile(path, []byte(page(t, drawn())), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open("file://"+path, look{1440, 900, "dark"})
	pdf := b.pdf()
	keep(t, "incident.pdf", pdf)
	pages := bytes.Count(pdf, []byte("/Type /Page\n"))
	if !bytes.HasPrefix(pdf, []byte("%PDF-")) || pages < 3 {
		t.Fatalf("%d pages of a document that begins with %.20q", pages, pdf)
	}
	b.call("Emulation.setEmulatedMedia", map[string]any{"media": "print"}, nil)
	var got struct {
		Running, Colour string
		Folded          int
	}
	b.eval(`({running: getComputedStyle(document.querySelector('.running')).display, colour: getComputedStyle(document.body).color,
		folded: [...document.querySelectorAll('details > :not(summary)')].filter(e => !e.checkVisibility({contentVisibilityAuto: true}) || e.getBoundingClientRect().height === 0).length})`, &got)
	if got.Running != "table-header-group" || got.Folded != 0 || got.Colour != "rgb(17, 17, 17)" {
		t.Errorf("in print: %+v", got)
	}
	text, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext is not installed (Debian: poppler-utils): the words on each page were not read")
	}
	cmd := exec.Command(text, "-", "-")
	cmd.Stdin = bytes.NewReader(pdf)
	words, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	sheets := strings.Split(strings.TrimRight(string(words), "\f"), "\f")
	if len(sheets) != pages {
		t.Errorf("%d pages, of which %d have words", pages, len(sheets))
	}
	for n, sheet := range sheets {
		if !strings.Contains(strings.ReplaceAll(sheet, "\n", ""), "backup/state.db sha256 "+inputs()[0].SHA256) {
			t.Errorf("page %d does not name the file:\n%.300s", n+1, sheet)
		}
	}
}
