package evidence

import (
	"cmp"
	"time"
)

// Bounds limit how much is read of what lies beside a database, for each home. A zero field is the bound that is meant for
// use. What reaches one says so, in the notes of whoever read it.
type Bounds struct {
	LogFiles int           // 64
	LogBytes int64         // over all logs: 8 GiB
	LogTime  time.Duration // over all logs: two minutes

	CopyFiles int   // older copies of the database: 16
	CopyBytes int64 // of all of them: 8 GiB

	MirrorFiles int   // older copies of sessions.json: 64
	MirrorBytes int64 // of each: 64 MiB

	DumpFiles int   // request dumps: 2,000
	DumpBytes int64 // of all of them: 1 GiB

	SpoolFiles int   // messages that wait in files: 10,000
	SpoolBytes int64 // of all of them: 1 GiB

	SessionFiles int   // sessions in JSON files: 2,000
	SessionBytes int64 // of all of them: 1 GiB
}

// filled gives the bounds with every zero field as it is meant for use.
func (b Bounds) filled() Bounds {
	return Bounds{
		LogFiles: cmp.Or(b.LogFiles, 64), LogBytes: cmp.Or(b.LogBytes, 8<<30), LogTime: cmp.Or(b.LogTime, 2*time.Minute),
		CopyFiles: cmp.Or(b.CopyFiles, 16), CopyBytes: cmp.Or(b.CopyBytes, 8<<30),
		MirrorFiles: cmp.Or(b.MirrorFiles, 64), MirrorBytes: cmp.Or(b.MirrorBytes, 64<<20),
		DumpFiles: cmp.Or(b.DumpFiles, 2000), DumpBytes: cmp.Or(b.DumpBytes, 1<<30),
		SpoolFiles: cmp.Or(b.SpoolFiles, 10_000), SpoolBytes: cmp.Or(b.SpoolBytes, 1<<30),
		SessionFiles: cmp.Or(b.SessionFiles, 2000), SessionBytes: cmp.Or(b.SessionBytes, 1<<30),
	}
}
