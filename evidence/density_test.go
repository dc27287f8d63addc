package evidence_test

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

func TestDensity(t *testing.T) {
	t.Parallel()
	for name, index := range map[string]string{"index": "CREATE INDEX i ON messages(session_id, timestamp)", "no index": "SELECT 1"} {
		path := filepath.Join(t.TempDir(), "state.db")
		build(t, path, schema()[0], "CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT, timestamp, role TEXT)",
			"INSERT INTO messages(session_id, timestamp) VALUES ('a', 99.9), ('a', 100), ('a', 109), ('a', 109.5), ('a', 130), ('a', 140), ('a', 141), ('a', 'text'), ('a', NULL), ('a', 5e9), ('a', X'00'), ('b', 100)",
			index)
		got, err := open(t, path).Stores[0].DB.Density(t.Context(), "a", 100, 140, 4)
		if err != nil {
			t.Fatal(err)
		}
		want := []evidence.Bucket{{N: 0, Messages: 3}, {N: 3, Messages: 2}} // 140 is the end of the last
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, to := range []float64{99, math.NaN()} {
			if got, err := open(t, path).Stores[0].DB.Density(t.Context(), "a", 100, to, 4); got != nil || err != nil {
				t.Errorf("up to %v: %v, %v", to, got, err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "state.db")
	build(t, path, schema()[0], "CREATE TABLE messages(id INTEGER PRIMARY KEY, session_id TEXT)")
	if got, err := open(t, path).Stores[0].DB.Density(t.Context(), "a", 100, 140, 4); got != nil || err != nil {
		t.Errorf("without times: %v, %v", got, err)
	}
}
