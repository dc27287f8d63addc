package pages_test

import (
	"bytes"
	"database/sql"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence/internal/pages"
)

func TestHeaderEqualsPragmas(t *testing.T) {
	for name, pragmas := range layouts() {
		t.Run(name, func(t *testing.T) {
			path, db := database(t, pragmas, func(db *sql.DB) {
				fillOdd(t, 600)(db)
				exec(t, db, `PRAGMA user_version=-7; PRAGMA application_id=252006673; PRAGMA default_cache_size=33; DELETE FROM odd WHERE id > 900`)
			})
			f := open(t, path)
			h := f.Header()
			encodings := map[string]pages.Encoding{"UTF-8": pages.UTF8, "UTF-16le": pages.UTF16LE, "UTF-16be": pages.UTF16BE}
			got := map[string]any{
				"page_size": int64(h.PageSize), "page_count": int64(f.Pages()), "freelist_count": int64(h.FreelistCount),
				"user_version": int64(int32(h.UserVersion)), "application_id": int64(h.ApplicationID), "schema_version": int64(h.SchemaCookie),
				"encoding": h.Encoding,
			}
			want := map[string]any{}
			for pragma := range got {
				want[pragma] = query(t, db, "PRAGMA "+pragma)[0][0]
			}
			want["encoding"] = encodings[want["encoding"].(string)]
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("header (-want +got):\n%s", d)
			}
			auto := number(t, db, "PRAGMA auto_vacuum")
			if (h.LargestRoot != 0) != (auto != 0) || (h.Incremental != 0) != (auto == 2) {
				t.Errorf("auto_vacuum %d: largest root %d, incremental %d", auto, h.LargestRoot, h.Incremental)
			}
			if (h.FreelistCount == 0) != (h.FreelistHead == 0) || f.Truncated() || h.WriteVersion != 1 || h.ReadVersion != 1 {
				t.Errorf("header is %+v, truncated %v", h, f.Truncated())
			}
		})
	}
}

func TestHeaderOfWAL(t *testing.T) {
	path, _ := database(t, "PRAGMA journal_mode=wal", fillOdd(t, 10))
	if h := open(t, path).Header(); h.WriteVersion != 2 || h.ReadVersion != 2 {
		t.Errorf("versions are %d and %d", h.WriteVersion, h.ReadVersion)
	}
}

func TestOpenRefusals(t *testing.T) {
	path, _ := database(t, "", fillOdd(t, 10))
	whole := readFile(t, path)
	change := func(at int, to ...byte) []byte {
		b := bytes.Clone(whole)
		copy(b[at:], to)
		return b
	}
	tests := []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"sound", whole, nil},
		{"empty", nil, pages.ErrNotDatabase},
		{"shorter than a header", whole[:99], pages.ErrNotDatabase},
		{"zeros", make([]byte, 8192), pages.ErrNotDatabase},
		{"text", []byte("not a database, but long enough to hold what would be a header if it had been written by SQLite at some time"), pages.ErrNotDatabase},
		{"page size 1000", change(16, 3, 232), pages.ErrNotDatabase},
		{"page size 256", change(16, 1, 0), pages.ErrNotDatabase},
		{"reserved beyond the least", change(16, 2, 0, 1, 1, 33), pages.ErrNotDatabase},
		{"reserved at the least", change(16, 2, 0, 1, 1, 32), nil},
		{"fractions", change(21, 65), pages.ErrNotDatabase},
		{"read version 3", change(19, 3), pages.ErrNotDatabase},
		{"write version 3", change(18, 3), nil},
		{"schema format 5", change(44, 0, 0, 0, 5), pages.ErrNotDatabase},
		{"encoding 4", change(56, 0, 0, 0, 4), pages.ErrNotDatabase},
		{"encoding 0", change(56, 0, 0, 0, 0), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := pages.Open(bytes.NewReader(tt.bytes), int64(len(tt.bytes)))
			if !errors.Is(err, tt.want) || (tt.want == nil) != (err == nil) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestPagesAndTruncated(t *testing.T) {
	path, _ := database(t, "PRAGMA page_size=1024", fillOdd(t, 300))
	whole := readFile(t, path)
	n := uint32(len(whole) / 1024)
	stale := bytes.Clone(whole)
	stale[95]++ // the count is not in force
	tests := []struct {
		name      string
		bytes     []byte
		pages     uint32
		truncated bool
	}{
		{"sound", whole, n, false},
		{"cut at a page", whole[:len(whole)-2048], n - 2, true},
		{"cut inside a page", whole[:len(whole)-1], n - 1, true},
		{"cut, count not in force", stale[:len(stale)-2048], n - 2, false},
		{"longer than the count", append(bytes.Clone(whole), make([]byte, 3072)...), n, false},
		{"longer, count not in force", append(bytes.Clone(stale), make([]byte, 3072)...), n + 3, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, err := pages.Open(bytes.NewReader(tt.bytes), int64(len(tt.bytes)))
			if err != nil {
				t.Fatal(err)
			}
			if f.Pages() != tt.pages || f.Truncated() != tt.truncated {
				t.Errorf("%d pages, truncated %v; want %d, %v", f.Pages(), f.Truncated(), tt.pages, tt.truncated)
			}
		})
	}
}
