package scan

import (
	"context"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/adopt"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
	"github.com/seed-4d3eb737/hermes-doctor/scan/facts"
	"github.com/seed-4d3eb737/hermes-doctor/scan/resume"
	"github.com/seed-4d3eb737/hermes-doctor/scan/search"
)

// Check is one kind of damage as a value. Adding one is a file in scan/checks, a line in its list and two corpus
// cases: one that fires and a near miss that stays silent.
type Check struct {
	ID       string   // kebab-case and permanent; baselines and undo refer to it
	Title    string   // a sentence that an owner may read alone
	Class    string   // the class of spec/state-db.md 7.1, such as "Z1", or of spec/checkpoint-store.md 6, such as "N1"
	Severity Severity // of every finding, unless a finding sets its own
	Issues   []string // public threads of the same damage
	Doc      Doc
	Needs    Needs
	Run      func(ctx context.Context, p *Pass) error
}

// Doc is what `explain`, `checks`, the README table and the documentation print.
type Doc struct {
	What   string // what the check proves
	Not    string // what it does not prove
	Origin string // how such a row comes about
	Safe   string // what an owner may do
	Unsafe string // what makes it worse
	ByHand string // SQL or a command that shows it without this tool
}

// Needs names what a check cannot do without. An unmet need is status "skipped" with reason no-input or deep.
type Needs uint8

// What a check may need.
const (
	NeedSessions Needs = 1 << iota // the table sessions
	NeedMessages                   // the table messages
	NeedKeys                       // a session_key column: schema version 17 or newer
	NeedRoutes                     // a routing table or a sessions.json
	// NeedStore is a checkpoint base. The check runs once for each base and is given nothing of a database, so it
	// stands alone.
	NeedStore
	// NeedHome is a whole home. The check runs once, over all stores of the homes together.
	NeedHome
	// NeedFile is the file alone. The check runs over every store, also over one that cannot be read: its Pass then has
	// only Store, Now, Deep and Report, and Facts is nil.
	NeedFile
)

// Pass is what a check is given: one store, its facts, and the answers that checks share. Reads only.
type Pass struct {
	Store    *evidence.Store
	Facts    *facts.Facts
	Texts    *facts.Texts
	Resolver *resume.Loaded // of the file's own generation, after it has loaded its routes
	Newest   *resume.Loaded // of the newest generation
	Adopted  *adopt.Decisions
	Zombies  []ZombieRow
	Classes  []Class // by row, in the order of Facts.Sessions
	Now      float64 // the scan's clock, epoch seconds
	// Stores are the passes of all stores that lie in homes, in the order of the report; only for a check with NeedHome.
	// The rest of its own Pass is that of the first.
	Stores []*Pass
	// UpdateFirst begins the advice where the file shows no writer with the fix of #82633; "" elsewhere.
	UpdateFirst string
	// Base is set for a check with NeedStore, and only Now, Limits and Report beside it.
	Base   *checkpoints.Base
	Limits CheckpointLimits
	Deep   bool            // the slow parts of a check are wanted too
	Report func(f Finding) // fills in Check, Subject.Store and, where blank, Severity and Issues

	own   *exam
	walk  *walk             // of the pages of Store
	lists map[string]string // columns that were asked for to columns that are there
}

// Search is what the store has for searching its messages, read once for all checks; only for a check that needs messages.
func (p *Pass) Search(ctx context.Context) (*search.Layout, error) { return p.own.layout(ctx) }

// Elsewhere names another store of the input that has a row of a session; "" for none.
func (p *Pass) Elsewhere(id string) string {
	if p.own == nil {
		return ""
	}
	for _, e := range p.own.others {
		if e == p.own {
			continue
		}
		if _, ok := e.facts.Index(id); ok {
			return e.facts.Store
		}
	}
	return ""
}

// Options steers a scan; the zero value is the default scan.
type Options struct {
	Only, Skip []string // check ids; Only wins
	Deep       bool     // also the slow checks
	MaxGap     float64  // seconds of contiguity; 0 = 900
	Now        float64  // the only clock, epoch seconds; 0 = the newest trusted time in the input
	HomePath   string   // where the home was on its machine; "" = unknown
	Zone       string   // IANA name or "" = derived from the data, else UTC: for the naive local times of routing entries
	Budget     float64  // seconds; 0 = none. A check that has not begun by then fails with reason "budget"
	Rows       bool     // also list every session row in the result
	Lanes      bool     // also what a picture of each story needs: Story.Lane
	Plan       bool     // also keep the facts for planning: Result.Planner
	Timeline   bool     // also put every event of the inputs in order, and not only those of the chats in trouble; keeps the facts
	// Chat and Session ask for everything that has a time about one chat, by its routing key, or one session; "" = neither.
	Chat, Session string
	Silence       float64 // seconds without a message that the timeline tells as a silence; 0 = DefaultSilence
	Target        string  // the path as the caller typed it, for the next commands; "" = COPY
	Progress      func(stage string, done, total int64)
}
