// Package corpus holds damaged and healthy stores as text, builds them, scans them and compares what was found
// with what each case expects. One runner serves `go test` and the command `hermes-doctor corpus`.
//
// A case is one txtar file. Its comment is a list of `key: value` lines:
//
//	about:  one sentence (required)
//	issues: #82616 #…             public threads of the same damage
//	schema: 25                    the schema version, see Versions
//	born:   11                    an older version: the file was upgraded to schema
//	fires:  check-id …            checks that this case is the firing case of, and what is said to look like damage only
//	near:   check-id …            what of these stays silent here, by a hair
//	now:    EPOCH                 the clock of the scan
//	zone:   NAME                  the zone given to the scan, and that of local times in the case
//	journal: delete|wal|wal-behind|hot     how the file was left behind
//	fts:    yes|no                yes: skipped by a build without FTS5; no: built without a full text index
//	store:  loose|packed          how the objects and refs of the case's git directories lie
//	home:   yes                   scanned as a folder even though the database is all there is
//
// Its sections are rows.txt (the row language of internal/rows), sql (run after the rows), checkpoints/NAME.gitfi (a
// git directory like checkpoints/store, as a stream for git fast-import), damage (edits of the finished files), files/PATH (other files of the home) and profiles/NAME/{rows.txt,sql}; in sql and files,
// @ISO(@N), @LOG(@N) and @EPOCH(@N) stand for times. A case with rows and other files, git directories or profiles is
// scanned as a home, any other as a lone state.db, or as a lone checkpoints/ folder where it has no rows. What is expected stands in want.txt, resume.txt, census.txt and verdict.txt, and in ends.txt where a case asks: see Want. An
// unknown key or section is an error.
//
// damage is one edit a line, PATH relative to the home; a "*" in it stands for any text, and one file must fit:
//
//	edit PATH OFFSET OLDHEX NEWHEX      OLDHEX must match
//	zero PATH OFFSET LENGTH
//	truncate PATH LENGTH
//	copy PATH TO
//	remove PATH                         a folder with everything in it
//
// Data flows from a case to a folder that Run makes below Options.TempDir and removes, and from a scan of it to an
// Outcome. The package never writes anywhere else and never imports testing.
package corpus
