package report

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/pkg/twcache"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"github.com/seed-4d3eb737/hermes-doctor/report/lang"
)

// grid is a table before it has a format: its cells are raw and are cleaned by whoever writes it.
type grid struct {
	columns []column
	rows    [][]string
}

type column struct {
	title string
	align tw.Align
}

func left(title string) column  { return column{title, tw.AlignLeft} }
func right(title string) column { return column{title, tw.AlignRight} }

// in gives the grid with its titles in a language; the cells are the same.
func (g *grid) in(t *lang.Tongue) *grid {
	if t == nil {
		return g
	}
	out := &grid{columns: slices.Clone(g.columns), rows: g.rows}
	for i := range out.columns {
		out.columns[i].title = t.Say(out.columns[i].title)
	}
	return out
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

const (
	columnGap    = 2
	narrowestCol = 6
)

// setter lays out one grid after another. The library's table is expensive to make, and a report may have a
// table for each of ten thousand chats.
type setter struct {
	table *tablewriter.Table
	out   bytes.Buffer
}

func newSetter() *setter {
	s := &setter{}
	s.table = tablewriter.NewTable(&s.out,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone,
			Symbols: tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{
				Separators: tw.Separators{BetweenColumns: tw.Off, BetweenRows: tw.Off},
				Lines:      tw.Lines{ShowTop: tw.Off, ShowBottom: tw.Off},
			},
		})),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithTrimSpace(tw.Off),
		// Cells are strings: the cache for other types would only be emptied, at great cost, before each grid.
		tablewriter.WithStringerCacheCustom(twcache.NewLRU[reflect.Type, reflect.Value](1)),
		tablewriter.WithPadding(tw.Padding{Left: "", Right: strings.Repeat(" ", columnGap), Overwrite: true}),
	)
	return s
}

// write sets g for a terminal of the given width, each line after indent. Cells that do not fit are wrapped,
// never cut: half an id finds nothing.
func (s *setter) write(w io.Writer, g *grid, indent string, width int) error {
	rows := g.clean()
	widths := g.fit(rows, width-textWidth(indent))
	s.out.Reset()
	s.table.Reset()
	s.table.Options(
		tablewriter.WithEastAsian(tw.Off), // the library would ask the locale: the output must not
		tablewriter.WithAlignment(g.aligns()),
	)
	titles := make([]string, len(g.columns))
	for i, c := range g.columns {
		titles[i] = strings.Join(wrap(c.title, widths[i]), "\n")
	}
	s.table.Header(titles)
	for _, r := range rows {
		for j := range r {
			r[j] = strings.Join(wrap(r[j], widths[j]), "\n")
		}
		if err := s.table.Append(r); err != nil {
			return fmt.Errorf("lay out table row: %w", err)
		}
	}
	if err := s.table.Render(); err != nil {
		return fmt.Errorf("lay out table: %w", err)
	}
	for line := range strings.Lines(s.out.String()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(indent+strings.TrimRight(line, "\n"), " ")); err != nil {
			return err
		}
	}
	return nil
}

func (g *grid) clean() [][]string {
	rows := make([][]string, len(g.rows))
	for i, r := range g.rows {
		rows[i] = make([]string, len(r))
		for j, c := range r {
			rows[i][j] = Clean(c, cellLimit)
		}
	}
	return rows
}

func (g *grid) aligns() tw.Alignment {
	out := make(tw.Alignment, len(g.columns))
	for i, c := range g.columns {
		out[i] = c.align
	}
	return out
}

// fit gives each column its natural width while there is room. What is missing is taken first from columns that
// can break at a space, widest first, and only then out of the middle of words.
func (g *grid) fit(rows [][]string, room int) []int {
	widths, words := make([]int, len(g.columns)), make([]int, len(g.columns))
	total := 0
	for i, c := range g.columns {
		widths[i], words[i] = textWidth(c.title), longestWord(c.title)
		for _, r := range rows {
			widths[i], words[i] = max(widths[i], textWidth(r[i])), max(words[i], longestWord(r[i]))
		}
		total += widths[i] + columnGap
	}
	for total > room {
		widest := -1
		for i, n := range widths {
			if n > words[i] && (widest < 0 || n > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		n := g.broken(rows, widest, max(words[widest], widths[widest]-(total-room)))
		total -= widths[widest] - n
		widths[widest] = n
	}
	for total > room {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= narrowestCol {
			break
		}
		widths[widest]--
		total--
	}
	return widths
}

// broken is the width that column i really takes when it is wrapped at width: less, where words are long.
func (g *grid) broken(rows [][]string, i, width int) int {
	n := 0
	for _, l := range wrap(g.columns[i].title, width) {
		n = max(n, textWidth(l))
	}
	for _, r := range rows {
		for _, l := range wrap(r[i], width) {
			n = max(n, textWidth(l))
		}
	}
	return n
}

func longestWord(s string) int {
	n := 0
	for w := range words(s) {
		for _, piece := range pieces(w) {
			n = max(n, textWidth(piece))
		}
	}
	return n
}

// textWidth is the number of terminal cells of s, wide characters counting two and ambiguous ones one.
func textWidth(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }

// wrap breaks s at spaces, between wide characters, and inside a word that is longer than a line, so that no line is wider
// than width cells. Text that fits is returned as it is.
func wrap(s string, width int) []string {
	if textWidth(s) <= width {
		return []string{s}
	}
	var lines []string
	line, used := "", 0
	for word := range words(s) {
		for i, piece := range pieces(word) {
			n, gap := textWidth(piece), 0
			if i == 0 && line != "" {
				gap = 1
			}
			if line != "" && used+gap+n > width {
				lines, line, used, gap = append(lines, line), "", 0, 0
			}
			line, used = line+strings.Repeat(" ", gap), used+gap
			for n > width {
				head := fitting(piece, width)
				lines, piece = append(lines, line+head), piece[len(head):]
				n = textWidth(piece)
			}
			line, used = line+piece, used+n
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// words gives the words of s. A mark that French sets apart by a space stays with the word that it belongs to.
func words(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		held, any := "", false
		for word := range strings.SplitSeq(s, " ") {
			switch {
			case !any:
				held, any = word, true
			case word != "" && strings.Trim(word, ":;!?»") == "", strings.HasSuffix(held, "«"):
				held += " " + word
			default:
				if !yield(held) {
					return
				}
				held = word
			}
		}
		yield(held)
	}
}

// pieces cuts a word where a line may end: before and after wide characters, but not before what closes nor after what
// opens.
func pieces(word string) []string {
	const opens, closes = "（“《「『〈【([", "，。：；？！、）”》」』〉】…—,.:;?!)]%"
	if textWidth(word) == utf8.RuneCountInString(word) { // nothing wide in it
		return []string{word}
	}
	var out []string
	from, last := 0, rune(0)
	for i, r := range word {
		wide := textWidth(string(r)) == 2 || textWidth(string(last)) == 2
		if i > 0 && wide && !strings.ContainsRune(closes, r) && !strings.ContainsRune(opens, last) && !unicode.In(r, unicode.Mn, unicode.Me) {
			out = append(out, word[from:i])
			from = i
		}
		last = r
	}
	return append(out, word[from:])
}

// fitting is the longest start of s that is not wider than width, but at least one character with its marks.
func fitting(s string, width int) string {
	used := 0
	for i, r := range s {
		n := textWidth(string(r))
		if i > 0 && used+n > width && !unicode.In(r, unicode.Mn, unicode.Me) {
			return s[:i]
		}
		used += n
	}
	return s
}
