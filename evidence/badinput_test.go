package evidence_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

func TestOpenBadInput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	healthy(t, at("good.db"))
	good := read(t, at("good.db"))
	noise := make([]byte, 8192)
	for i, x := 0, uint64(88172645463325252); i < len(noise); i++ { // xorshift: the same bytes each time
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		noise[i] = byte(x >> 32)
	}
	build(t, at("other.db"), "CREATE TABLE bookmarks(x)")
	build(t, at("notable.db"), "VACUUM")
	build(t, at("view.db"), "CREATE TABLE s(id)", "CREATE VIEW sessions AS SELECT * FROM s")
	build(t, at("virtual.db"), "CREATE VIRTUAL TABLE sessions USING rtree(id, a, b)")
	overwritten := append(make([]byte, 0), good...)
	copy(overwritten, "XXXXXXXXXXXXXXXX")
	badHeader := append(make([]byte, 0), good...)
	copy(badHeader[16:], []byte{0x12, 0x34})
	badSchema := append(make([]byte, 0), good...)
	for i := 100; i < 4096; i++ {
		badSchema[i] = 0xa5
	}
	for name, data := range map[string][]byte{
		"zero.db": nil, "zeroed.db": make([]byte, 1<<20), "tiny-zeroed.db": make([]byte, 50), "text.db": []byte(strings.Repeat("hello world\n", 500)),
		"noise.db": noise, "overwritten.db": overwritten, "badheader.db": badHeader, "badschema.db": badSchema, "cut.db": good[:60], "cut8.db": good[:8],
		"x.xz": append([]byte("\xfd7zXZ\x00"), noise...), "bad.zip": append([]byte("PK\x03\x04"), noise...), "bad.tar.gz": append([]byte{0x1f, 0x8b, 8, 0}, noise...),
		"emptyhome/readme": []byte("x"), "fifowal/state.db": good, "home2/state.db/x": nil,
	} {
		write(t, at(name), data)
	}
	for _, d := range []string{"empty", "state.db"} {
		if err := os.Mkdir(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"loop1": "loop2", "loop2": "loop1", "dangling": "nowhere", "null": "/dev/null"} {
		if err := os.Symlink(target, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range []string{"fifo", "fifowal/state.db-wal"} {
		if err := syscall.Mkfifo(at(p), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		path  string
		fault evidence.Fault
		says  string
	}{
		{"absent", "", "no such file"},
		{"good.db/x", "", "is a file, not a folder"},
		{"empty", "", "holds no state.db"},
		{"emptyhome", "", "holds no state.db"},
		{"state.db", "", "folder named state.db"},
		{"home2", "", "is a folder"},
		{"text.db", "", "not a SQLite database"},
		{"zero.db", evidence.FaultEmpty, "is empty"},
		{"zeroed.db", evidence.FaultZeroed, "#68474"},
		{"tiny-zeroed.db", evidence.FaultZeroed, "looks zeroed"},
		{"noise.db", "", "encrypted"},
		{"overwritten.db", evidence.FaultHeader, "overwritten"},
		{"badheader.db", evidence.FaultHeader, "header"},
		{"badschema.db", evidence.FaultSchema, "list of tables"},
		{"cut.db", evidence.FaultHeader, "cut off"},
		{"cut8.db", evidence.FaultHeader, "cut off"},
		{"other.db", "", "another program"},
		{"notable.db", evidence.FaultEmpty, "no table"},
		{"view.db", "", "sessions is a view"},
		{"virtual.db", "", "sessions is a virtual table"},
		{"x.xz", "", "xz archive"},
		{"bad.zip", "", "cannot be unpacked"},
		{"bad.tar.gz", "", "cannot be unpacked"},
		{"loop1", "", "leads back to itself"},
		{"dangling", "", "link to something that does not exist"},
		{"fifo", "", "named pipe"},
		{"fifowal", "", "named pipe"},
		{"null", "", "device"},
	}
	before := listing(t, dir)
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			temp := t.TempDir()
			began := time.Now()
			b, err := evidence.Open(t.Context(), []string{at(tt.path)}, evidence.Options{TempDir: temp})
			if took := time.Since(began); took > time.Second {
				t.Errorf("took %v", took)
			}
			var in *evidence.InputError
			if !errors.As(err, &in) {
				t.Fatalf("got %v, %v; want *InputError", b, err)
			}
			if in.Fault != tt.fault || !strings.Contains(in.Error(), tt.says) || !strings.Contains(in.Error(), at(tt.path)) {
				t.Errorf("fault %q, error %q; want fault %q, says %q", in.Fault, in, tt.fault, tt.says)
			}
			if in.Next == "" || strings.Contains(err.Error()+in.Next, "\n") {
				t.Errorf("not one line and a next step: %q, %q", err, in.Next)
			}
			if left, err := os.ReadDir(temp); err != nil || len(left) != 0 {
				t.Errorf("private copies were left: %v, %v", left, err)
			}
			if tt.fault == "" {
				return
			}
			b, err = evidence.Open(t.Context(), []string{at(tt.path)}, evidence.Options{TempDir: temp, Damaged: true})
			if err != nil {
				t.Fatalf("with Damaged: %v", err)
			}
			s := b.Stores[0]
			if s.Header != nil && s.Header.Mended { // the pages behind the header can be read
				if s.Fault != nil || s.View != evidence.ViewMended || s.DB.Table("sessions") == nil {
					t.Errorf("with Damaged: fault %v, view %q, table %v", s.Fault, s.View, s.DB.Table("sessions"))
				}
				if err := b.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			if s.Fault == nil || s.Fault.Fault != tt.fault || s.DB == nil || s.DB.Table("sessions") != nil {
				t.Errorf("with Damaged: fault %v, table %v", s.Fault, s.DB.Table("sessions"))
			}
			if err := s.DB.Query(t.Context(), "SELECT 1", nil, nil); !errors.As(err, &in) {
				t.Errorf("a query gave %v", err)
			}
			if inputs, err := b.Inputs(t.Context()); err != nil || len(inputs) != 1 {
				t.Errorf("inputs %v, %v", inputs, err)
			}
			if err := b.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if diff := cmp.Diff(before, listing(t, dir)); diff != "" {
		t.Errorf("folder changed (-want +got):\n%s", diff)
	}
}
