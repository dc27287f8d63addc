package fix

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// SQL is the manual procedure of a plan, for the sqlite3 shell: stop, back up, fill the blanks in one transaction,
// check, restart. database is the file as it is to be named in it. Each statement has the condition that its cell is
// still blank, so that it does no harm twice.
func (p *Plan) SQL(database string) string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("-- The repair of %s by hand. Read it first; then:", comment(database))
	say("-- 1. Stop the gateway and every other Hermes process of this home, and see that none is left.")
	say("-- 2. Copy the database together with its -wal, -shm and -journal, and keep the copy.")
	say("-- 3. Run this with: sqlite3 -bail %s < this-file", comment(database))
	say("-- 4. Each step must print 1. If one prints 0, or anything fails, type ROLLBACK and keep the file as it is.")
	say("-- 5. Start Hermes, write in each chat that is named below, and look that it goes on where it was.")
	say("-- The plan was made for the file with the digest %s.", p.Digest)
	if p.Empty() {
		say("-- There is nothing to do.")
		p.remarks(say)
		return b.String()
	}
	say("PRAGMA foreign_keys=ON;\nBEGIN IMMEDIATE;")
	for _, s := range p.Steps {
		column := evidence.QuoteName(s.Column)
		say("-- %s: %s", s.ID, comment(s.Because))
		say("UPDATE %s SET %s = %s WHERE id = %s AND (%s IS NULL OR %s = '');", evidence.QuoteName(s.Table), column, literal(s.New), evidence.Quote(s.Key), column, column)
		say("SELECT changes();")
	}
	say("COMMIT;\nPRAGMA wal_checkpoint(TRUNCATE);\nPRAGMA integrity_check;")
	for _, a := range p.Adoptions {
		say("-- The chat %s goes on in the row %s, which continues %s (evidence: %s).", comment(a.SessionKey), comment(a.SessionID), comment(a.Predecessor), strings.Join(a.Evidence, ", "))
	}
	p.remarks(say)
	return b.String()
}

// remarks are the comments about what the plan leaves as it is.
func (p *Plan) remarks(say func(format string, args ...any)) {
	for _, r := range p.Routes {
		say("-- The routing entry of %s (%s) names %s; %s resumes %s: %s.", comment(r.SessionKey), comment(r.At.String()), comment(r.Names), r.Resolver,
			comment(orNew(r.AfterFix)), comment(r.Does))
	}
	if len(p.Advice) > 0 {
		say("-- Not part of this repair, because each would replace a value. Whoever wants one runs it on a copy:")
	}
	for _, a := range p.Advice {
		say("-- %s %s: %s\n--   %s;", a.Check, a.Finding, comment(a.Message), comment(a.Statement))
	}
}

func orNew(id string) string {
	if id == "" {
		return "a new session"
	}
	return id
}

// literal spells a value as SQL.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return evidence.Quote(v)
	case float64:
		return evidence.FormatFloat(v)
	}
	return "NULL"
}

// comment keeps a text on its line.
func comment(s string) string {
	if q := evidence.Quote(s); strings.HasPrefix(q, "CAST") {
		return q
	}
	return s
}
