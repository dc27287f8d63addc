package facts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
)

// sessionsLimit bounds sessions.json, in bytes: real ones hold a kilobyte a chat.
const sessionsLimit = 256 << 20

// Routes is the routing index: the table of one scope, and the file that fills the keys which the table lacks.
type Routes struct {
	Table  []Route // of the scope that counts, by key
	Others []Route // of other scopes: the product does not read them
	File   []Route // members of sessions.json in file order

	HasTable bool
	HasFile  bool
	// KeyAlone says that the table is keyed by session_key without a scope, as the earliest builds made it.
	KeyAlone bool
	// FileLost says why builds before v0.21 lose the whole file; "" = they read it.
	FileLost string
	// FileBroken says why no build reads the file.
	FileBroken string

	Scope   string // the scope that counts; "" = the table is empty
	ScopeBy string // how it was chosen, in words
	Zone    *time.Location
	ZoneBy  string // what the zone of naive local times was taken from, in words
	// ZoneDoubt is by how many seconds an instant read out of a local time may be wrong: nothing where the zone is given, an
	// hour of summer time where the offset is derived, and the whole breadth of zones where nothing shows it.
	ZoneDoubt float64
}

// tableEntry is a row of gateway_routing whose scope is not judged yet.
type tableEntry struct {
	Route
	scope   string
	updated Time
}

func (f *Facts) readRoutes(ctx context.Context, store *evidence.Store, o Options) error {
	table, err := f.readTable(ctx, store.DB)
	if err != nil {
		return fmt.Errorf("read gateway_routing: %w", err)
	}
	file := f.readFile(store.Home)
	if err := f.chooseZone(o.Zone, table, file); err != nil {
		return err
	}
	f.chooseScope(store, o.HomePath, table)
	f.Routes.Table = make([]Route, 0, len(table)) // nearly always all of them
	for _, e := range table {
		r := &e.Route
		r.settle(f.Routes.Zone)
		r.Scope = e.scope
		r.At = evidence.Ref{Store: f.Store, Table: "gateway_routing", Key: r.Key, Column: "entry_json"}
		r.How = "SELECT entry_json FROM gateway_routing WHERE session_key = " + evidence.Quote(r.Key)
		if e.scope != "" {
			r.How += " AND scope = " + evidence.Quote(e.scope)
		}
		if e.scope == f.Routes.Scope {
			f.Routes.Table = append(f.Routes.Table, *r)
		} else {
			f.Routes.Others = append(f.Routes.Others, *r)
		}
	}
	home := "" // the path below the home that was given
	if store.Home != nil && store.Home.Profile != "default" {
		home = path.Join("profiles", store.Home.Profile)
	}
	for k := range file {
		r := &file[k]
		r.settle(f.Routes.Zone)
		r.At.Path = path.Join(home, f.Config.SessionsDir, "sessions.json")
		r.How = fmt.Sprintf("sed -n '%d,/}/p' %s", r.At.Line, evidence.ShellQuote(r.At.Path))
	}
	f.Routes.File = file
	return nil
}

func (f *Facts) readTable(ctx context.Context, db *evidence.DB) ([]*tableEntry, error) {
	t := db.Table("gateway_routing")
	if t == nil || !t.Has("session_key") || !t.Has("entry_json") {
		return nil, nil
	}
	f.Routes.HasTable, f.Routes.KeyAlone = true, keyAlone(t)
	out := make([]*tableEntry, 0, db.RowHint(ctx, "gateway_routing"))
	err := db.Rows(ctx, "gateway_routing", []string{"scope", "session_key", "entry_json", "updated_at"},
		func(_ int64, row []evidence.Value) error {
			out = append(out, &tableEntry{f.parseRoute(row[1].String(), bytesOf(row[2])), row[0].String(), timeOf(row[3])})
			return nil
		})
	slices.SortStableFunc(out, func(a, b *tableEntry) int { return strings.Compare(a.Key, b.Key) })
	return out, err
}

// keyAlone says whether one of a table's unique indexes forbids a key in two scopes.
func keyAlone(t *evidence.Table) bool {
	return !t.Has("scope") || slices.ContainsFunc(t.Indexes, func(ix evidence.Index) bool {
		return ix.Unique && !ix.Partial && len(ix.Columns) == 1 && strings.EqualFold(ix.Columns[0], "session_key")
	})
}

// chooseScope follows spec/state-db.md 5: the scope of --home-path; else, for a whole home, the one that its own
// path gives, which is what a start in that place reads; else the only one, else the one used last.
func (f *Facts) chooseScope(store *evidence.Store, homePath string, table []*tableEntry) {
	rt := &f.Routes
	newest := map[string]Time{}
	for _, e := range table {
		newest[e.scope] = Later(newest[e.scope], e.updated.Known())
	}
	if len(newest) == 0 {
		return
	}
	if homePath != "" || store.Home != nil && !store.Home.Archived() {
		home, by := homePath, "--home-path"
		if home == "" {
			home, by = store.Home.Dir, "this folder's own path; if it is a copy, --home-path names the original's"
		}
		if store.Profile != "" && store.Profile != "default" && homePath != "" {
			home = path.Join(homePath, "profiles", store.Profile)
		}
		want := f.Config.SessionsDir
		if !path.IsAbs(want) {
			want = path.Join(home, want)
		}
		rt.Scope, rt.ScopeBy = path.Clean(want), by
		if _, plain := newest[""]; plain && len(newest) == 1 {
			rt.Scope = "" // the earliest tables had no scope column and belonged to their own home
		}
		return
	}
	scopes := make([]string, 0, len(newest))
	for s := range newest {
		scopes = append(scopes, s)
	}
	sort.Slice(scopes, func(a, b int) bool {
		if x, y := newest[scopes[a]].OrZero(), newest[scopes[b]].OrZero(); x != y {
			return x > y
		}
		return scopes[a] < scopes[b]
	})
	rt.Scope, rt.ScopeBy = scopes[0], "the only scope in the file"
	if len(scopes) > 1 {
		rt.ScopeBy = fmt.Sprintf("the newest of %d scopes in the file; --home-path chooses another", len(scopes))
	}
}

// readFile reads sessions.json member by member, in file order: the product loads them in that order.
func (f *Facts) readFile(home *evidence.Home) []Route {
	rel := f.Config.sessionsFile()
	if home == nil || rel == "" {
		return nil
	}
	text, err := home.Read(rel, evidence.RoleSessions, sessionsLimit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f.Routes.HasFile = true
	if err != nil {
		f.Routes.FileBroken = err.Error()
		return nil
	}
	if bytes.HasPrefix(text, []byte("\xef\xbb\xbf")) {
		f.Routes.FileLost = "it begins with a byte-order mark"
		text = text[3:]
	}
	if !utf8.Valid(text) {
		f.Routes.FileBroken = "it is not UTF-8"
		return nil
	}
	out, err := f.members(text)
	if err != nil {
		f.Routes.FileBroken = err.Error()
		return nil
	}
	return out
}

func (f *Facts) members(text []byte) ([]Route, error) {
	if !ValidJSON(text) {
		return nil, errors.New("it is not JSON: torn or damaged")
	}
	// The literals that only Python takes change the length of the text, so lines are counted in what is decoded.
	text = plainJSON(text)
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("its top level is no object")
	}
	var out []Route
	at := map[string]int{}
	for line, last := 1, int64(0); d.More(); {
		t, err := d.Token()
		if err != nil {
			return nil, err
		}
		line += bytes.Count(text[last:d.InputOffset()], []byte("\n"))
		last = d.InputOffset()
		var raw json.RawMessage
		if err := d.Decode(&raw); err != nil {
			return nil, err
		}
		key, _ := t.(string)
		if strings.HasPrefix(key, "_") || len(raw) == 0 || raw[0] != '{' {
			continue
		}
		r := f.parseRoute(key, raw)
		r.At = evidence.Ref{Line: line, Key: key}
		if i, twice := at[key]; twice {
			out[i] = r // a JSON reader keeps the last of two members of one name, in the first one's place
			continue
		}
		at[key] = len(out)
		out = append(out, r)
	}
	return out, nil
}

// agreeing is how many entries must show the same zone offset before it is believed.
const agreeing = 3

// enough is how many ids are asked: the rest would say the same.
const enough = 2000

// chooseZone finds the zone of naive local times. An entry's created_at and its row's started_at are taken within
// milliseconds of each other, and an id begins with the local time at which it was made, moments before its row (spec/state-db.md
// 1.4, 4.4), so the commonest rounded difference is the install's offset. Entries are asked first: a row may come late.
func (f *Facts) chooseZone(name string, table []*tableEntry, file []Route) error {
	rt := &f.Routes
	if name != "" {
		zone, err := time.LoadLocation(name)
		if err != nil {
			return fmt.Errorf("load time zone %q: %w", name, err)
		}
		rt.Zone, rt.ZoneBy = zone, "TZ="+name
		return nil
	}
	entries, ids := offsets{}, offsets{}
	vote := func(r *Route) {
		i, ok := f.byID.find(r.SessionID)
		if ok && !r.Created.Blank() && !r.Aware && f.Sessions[i].Started.Trusted() {
			entries.add(float64(r.Created - f.Sessions[i].Started))
		}
	}
	for k := range table {
		vote(&table[k].Route)
	}
	for k := range file {
		vote(&file[k])
	}
	if rt.derived(&entries, "routing entries") {
		return nil
	}
	for i := range f.Sessions {
		s := &f.Sessions[i]
		if at, ok := stampOf(s.ID); ok && s.Started.Trusted() {
			ids.add(at - float64(s.Started))
		}
		if ids.all == enough {
			break
		}
	}
	if rt.derived(&ids, "session ids") {
		return nil
	}
	rt.Zone, rt.ZoneDoubt = time.UTC, 14*3600
	rt.ZoneBy = "assumed to be UTC: too few routing entries and session ids show the install's offset; TZ names another"
	return nil
}

// derived takes the offset that most votes agree on, if they do.
func (rt *Routes) derived(v *offsets, of string) bool {
	offset, n, ok := v.most()
	if !ok {
		return false
	}
	rt.Zone, rt.ZoneDoubt = time.FixedZone("", offset), 3600
	rt.ZoneBy = fmt.Sprintf("derived as UTC%s from %d of %d %s", time.Unix(0, 0).In(rt.Zone).Format("-07:00"), n, v.all, of)
	return true
}
