package corpus_test

import (
	"testing"

	"github.com/seed-4d3eb737/hermes-doctor/corpus"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checks"
)

// Stores too large for a text case: they are made by SQL.
var huge = map[string]string{
	"million-row-cycle": `about: a million rows are each other's ancestors
fires: lineage-cycle

-- rows.txt --
-- sql --
WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < 999999)
INSERT INTO sessions (id, source, started_at, parent_session_id)
SELECT printf('s%07d', i), 'telegram', 1790000000 + i, printf('s%07d', (i + 1) % 1000000) FROM n;
-- want.txt --
lineage-cycle warning s0000000
-- resume.txt --
-- census.txt --
telegram empty 1000000 0
-- verdict.txt --
sound
`,
	"hundred-megabyte-cells": `about: the title of one row and the message of an orphan are a hundred megabytes each
fires: orphan-session zombie-session
fts: no

-- rows.txt --
base 2026-08-20T09:00:00Z
session kept source=telegram start=@0 last=@1h key=agent:main:telegram:dm:1001 user=1001 chat=1001/dm
messages kept 2 @0..@1h
session lost source=telegram user=1001 start=@1h1m
messages lost 2 @1h1m..@2h
-- sql --
UPDATE sessions SET title = printf('%.*c', 100000000, 'x') WHERE id = 'kept';
UPDATE messages SET content = printf('%.*c', 100000000, 'y') WHERE session_id = 'lost' AND role = 'user';
-- want.txt --
orphan-session error lost: adopt kept contiguity
zombie-session error kept key=agent:main:telegram:dm:1001
-- resume.txt --
v0.18 telegram agent:main:telegram:dm:1001 kept -> lost
v0.20.1 telegram agent:main:telegram:dm:1001 kept -> lost
v0.21 telegram agent:main:telegram:dm:1001 kept -> lost
-- census.txt --
telegram orphan 1 2
telegram zombie 1 2
-- verdict.txt --
sound-elsewhere
`,
}

func TestHugeStores(t *testing.T) {
	if testing.Short() {
		t.Skip("makes half a gigabyte")
	}
	for name, text := range huge {
		t.Run(name, func(t *testing.T) {
			c, err := corpus.Parse(name, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			o := outcome(t, checks.All(), c)
			if o.Skipped != "" {
				t.Skip(o.Skipped)
			}
			for _, p := range o.Problems {
				t.Error(p)
			}
		})
	}
}
