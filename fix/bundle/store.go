package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// baseWriter writes one checkpoints/ folder.
type baseWriter struct {
	*veil
	dir  string // of the base in the skeleton
	left map[string]bool
	ids  map[evidence.ObjectID]evidence.ObjectID
}

// learnProjects gives every project its new id before anything is written: the hash of its new path where the old one
// was that of the old path, so that what agreed still agrees, else a pseudonym of its form.
func (v *veil) learnProjects(bases []*evidence.CheckpointBase) {
	each := func(fn func(p *evidence.CheckpointProject)) {
		for _, b := range bases {
			for _, s := range b.Stores {
				for _, p := range s.Projects {
					fn(p)
				}
			}
		}
	}
	each(func(p *evidence.CheckpointProject) {
		if p.Workdir != "" && p.HashMatches() {
			v.projects[p.ID] = evidence.ProjectHash(v.workdir(p.Workdir))
		}
	})
	each(func(p *evidence.CheckpointProject) { v.project(p.ID) })
}

// workdir replaces the names of a path as the rest of the skeleton has them.
func (v *veil) workdir(path string) string {
	v.see(path)
	return v.maker.Name(path)
}

// project is the new id of a project.
func (v *veil) project(id string) string {
	out, ok := v.projects[id]
	if !ok {
		if out = v.maker.Name(id); evidence.IsProjectID(id) {
			out = v.maker.Object(id)
		}
		v.projects[id] = out
	}
	v.maker.Issue(out)
	if out != id { // a path of letters alone tells nothing, nor does its hash
		v.see(id)
	}
	return out
}

// checkpoints writes the skeleton of a base, which an audit reads first.
func (v *veil) checkpoints(ctx context.Context, b *evidence.CheckpointBase, dir string, left map[string]bool) error {
	audit, err := checkpoints.Read(ctx, b, checkpoints.Options{Objects: true})
	if err != nil {
		return err
	}
	w := &baseWriter{veil: v, dir: filepath.Join(dir, filepath.FromSlash(v.basePath(b.Name))), left: left, ids: v.ids}
	for _, p := range b.Problems {
		if p.Path == "" {
			left["a checkpoints folder that cannot be opened"] = true
			return nil
		}
	}
	if err := os.MkdirAll(w.dir, 0o700); err != nil {
		return err
	}
	if err := w.around(b); err != nil {
		return err
	}
	for _, s := range audit.Stores {
		if err := w.store(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// basePath is the name of a base, or of a store below one.
func (v *veil) basePath(name string) string {
	parts := strings.Split(name, "/")
	for i, p := range parts {
		switch {
		case evidence.IsProjectID(p):
			parts[i] = v.project(p)
		case strings.HasPrefix(p, "legacy-"):
			parts[i] = v.archive(p)
		default:
			parts[i] = v.name(p)
		}
	}
	return strings.Join(parts, "/")
}

// archiveForm is how the product names an archive: by when it was made.
var archiveForm = regexp.MustCompile(`^legacy-(\d{8}-\d{6})$`)

func (v *veil) archive(name string) string {
	const form = "20060102-150405"
	if m := archiveForm.FindStringSubmatch(name); m != nil {
		if t, err := time.Parse(form, m[1]); err == nil {
			return "legacy-" + t.Add(time.Duration(v.shift)*time.Second).Format(form)
		}
	}
	return "legacy-" + v.name(strings.TrimPrefix(name, "legacy-"))
}

// put writes one file, and at gives it a time where that is not 0.
func (w *baseWriter) put(rel, text string, at float64) error {
	name := filepath.Join(w.dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		return err
	}
	w.dates(name, at)
	return nil
}

// dates notes the time of a file, which ages are told by.
func (v *veil) dates(name string, at float64) {
	if at != 0 {
		v.stamps[name] = time.UnixMicro(int64(v.epoch(at) * 1e6))
	}
}

// around writes what lies beside the stores.
func (w *baseWriter) around(b *evidence.CheckpointBase) error {
	var errs []error
	if b.LastPrune != 0 {
		errs = append(errs, w.put(".last_prune", strconv.FormatFloat(w.epoch(b.LastPrune), 'f', -1, 64), 0))
	}
	for _, p := range b.Problems {
		if p.Path == ".last_prune" {
			errs = append(errs, w.put(p.Path, "x", 0))
		} else {
			w.left["files of a checkpoints folder that cannot be read"] = true
		}
	}
	if b.SetAside != nil {
		errs = append(errs, os.MkdirAll(filepath.Join(w.dir, "corrupt-refs"), 0o700))
	}
	for _, r := range b.SetAside {
		text := "x"
		if !r.ID.IsZero() {
			w.see(r.ID.String())
			text = w.maker.Object(r.ID.String())
		}
		errs = append(errs, w.put("corrupt-refs/"+w.projectPath(strings.TrimPrefix(r.Path, "corrupt-refs/")), text, 0))
	}
	for _, name := range b.Unknown {
		errs = append(errs, w.put(w.name(name), "", 0))
	}
	for _, a := range b.Archives {
		folder := filepath.Join(w.dir, w.archive(a.Name))
		errs = append(errs, os.MkdirAll(folder, 0o700))
		w.dates(folder, a.Modified)
		for _, stray := range a.Strays {
			errs = append(errs, w.put(w.archive(a.Name)+"/"+w.name(stray), "", 0))
		}
	}
	return errors.Join(errs...)
}

// projectPath replaces the names of a path, of which a part may be a project's id.
func (v *veil) projectPath(rel string) string {
	parts := strings.Split(rel, "/")
	for i, p := range parts {
		stem, ext := p, ""
		for _, e := range []string{".json", ".lock", ".json.tmp"} {
			if s, ok := strings.CutSuffix(p, e); ok {
				stem, ext = s, e
			}
		}
		if evidence.IsProjectID(stem) {
			parts[i] = v.project(stem) + ext
		} else {
			parts[i] = v.gitName(stem) + ext
		}
	}
	return strings.Join(parts, "/")
}

// gitBegins are what names of leavings begin with: by it they are known.
var gitBegins = []string{"tmp_pack_", "tmp_idx_", "tmp_obj_", "restore-inspect-", "restore-select-"}

// gitName is name for a file of a git directory; the product's and git's own names stay.
func (v *veil) gitName(name string) string {
	if storeWords[name] {
		return name
	}
	for _, b := range gitBegins {
		if rest, ok := strings.CutPrefix(name, b); ok {
			return b + v.name(rest)
		}
	}
	return v.name(name)
}

// store writes one git directory.
func (w *baseWriter) store(ctx context.Context, s *checkpoints.Store) error {
	own := &baseWriter{veil: w.veil, dir: filepath.Join(w.dir, filepath.FromSlash(w.basePath(s.Source.Name))), left: w.left, ids: map[evidence.ObjectID]evidence.ObjectID{}}
	if err := os.MkdirAll(filepath.Join(own.dir, "objects", "pack"), 0o700); err != nil {
		return err
	}
	objects, err := own.writeObjects(ctx, s, filepath.Join(own.dir, "objects"))
	if objects == nil {
		return err
	}
	if err == nil {
		err = own.refs(s.Source, objects)
	}
	if err = errors.Join(err, objects.flush()); err != nil {
		return fmt.Errorf("write the objects of %s: %w", s.Source.Name, err)
	}
	for _, old := range objects.told {
		w.ids[old] = own.ids[old]
	}
	for _, step := range []func(*evidence.CheckpointStore) error{own.config, own.registered, own.ledgers, own.leavings, own.steering, own.frame} {
		if err := step(s.Source); err != nil {
			return fmt.Errorf("write the files of %s: %w", s.Source.Name, err)
		}
	}
	for _, p := range s.Source.Problems {
		if strings.HasPrefix(p.Path, "objects/pack/") {
			w.left["damage to the packs of a checkpoint store: what can be read of them is carried"] = true
		} else if p.Path != "packed-refs" {
			w.left["files of a checkpoint store that cannot be read"] = true
		}
	}
	return nil
}

// frame makes the folders that git looks for, but those that the source does not have.
func (w *baseWriter) frame(s *evidence.CheckpointStore) error {
	absent := set(strings.Join(s.Absent, " "))
	for _, name := range []string{"objects", "refs", "refs/heads", "branches"} {
		dir := filepath.Join(w.dir, name)
		if absent[name] {
			if name == "objects" { // it holds nothing: there was nothing to read
				if err := os.RemoveAll(dir); err != nil {
					return err
				}
			}
			continue
		}
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	return nil
}

// registered writes what is registered of each project.
func (w *baseWriter) registered(s *evidence.CheckpointStore) error {
	for _, p := range s.Projects {
		if p.WorkdirFrom == "HERMES_WORKDIR" {
			if err := w.put("HERMES_WORKDIR", w.workdir(p.Workdir)+"\n", 0); err != nil {
				return err
			}
		}
		if p.JSON == evidence.Absent {
			continue
		}
		text, err := w.registration(p)
		if err != nil {
			return err
		}
		if err := w.put("projects/"+w.project(p.ID)+".json", text, 0); err != nil {
			return err
		}
	}
	return nil
}

func (w *baseWriter) registration(p *evidence.CheckpointProject) (string, error) {
	mark := ""
	if p.BOM {
		mark = "\xef\xbb\xbf"
	}
	if p.JSON == evidence.Damaged && !strings.Contains(p.JSONFlaw, "its ") {
		return mark + "{", nil
	}
	doc := map[string]any{}
	if p.Workdir != "" {
		doc["workdir"] = w.workdir(p.Workdir)
	}
	for key, at := range map[string]float64{"created_at": p.CreatedAt, "last_touch": p.LastTouch} {
		if at != 0 {
			doc[key] = w.epoch(at)
		}
		if strings.Contains(p.JSONFlaw, "its "+key) {
			doc[key] = "x"
		}
	}
	if p.ParentDev != 0 || p.ParentIno != 0 { // that they are recorded counts, and they are numbers of a machine
		doc["workdir_parent_dev"], doc["workdir_parent_ino"] = 1, 1
	}
	text, err := json.Marshal(doc)
	return mark + string(text), err
}

func (w *baseWriter) ledgers(s *evidence.CheckpointStore) error {
	for _, l := range s.Ledgers {
		text := []byte("{")
		if l.Flaw == "" || len(l.Entries) > 0 {
			doc := map[string]any{}
			for _, e := range l.Entries {
				w.see(e.SHA256)
				entry := map[string]any{"ts": w.epoch(e.At)}
				if e.SHA256 != "" {
					entry["sha256"] = w.maker.Object(e.SHA256)
				}
				doc[w.workdir(e.Path)] = entry
			}
			var err error
			if text, err = json.Marshal(doc); err != nil {
				return err
			}
		}
		if err := w.put("ledgers/"+w.projectPath(l.ID)+".json", string(text), 0); err != nil {
			return err
		}
	}
	return nil
}

// leavings writes the empty files whose presence says something.
func (w *baseWriter) leavings(s *evidence.CheckpointStore) error {
	var errs []error
	if s.Pending {
		errs = append(errs, w.put(".gc-pending", "", 0))
	}
	if s.GCLog != nil {
		errs = append(errs, w.put("gc.log", "x\n", s.GCLog.Modified))
	}
	for _, id := range s.Indexes {
		errs = append(errs, w.put("indexes/"+w.projectPath(id), "", 0))
	}
	for _, l := range s.Locks {
		errs = append(errs, w.put(w.projectPath(l.Path), "", l.Modified))
	}
	for _, l := range s.Leavings {
		name := w.projectPath(l.Path)
		if strings.HasPrefix(l.Mode, "d") {
			for i, line := range l.Lines {
				l.Lines[i] = w.workdir(line)
			}
			errs = append(errs, w.put(path.Join(name, "pathspec"), strings.Join(l.Lines, "\x00"), 0))
			continue
		}
		errs = append(errs, w.put(name, "", l.Modified))
	}
	return errors.Join(errs...)
}

// steering writes what git would obey: the kinds and names of files, never what they say.
func (w *baseWriter) steering(s *evidence.CheckpointStore) error {
	for _, f := range s.Steering {
		name := w.projectPath(f.Path)
		switch {
		case f.Kind == evidence.SteerReplace: // a ref
		case f.Detail == nil && f.Kind != evidence.SteerHook && f.Kind != evidence.SteerMultiPack && !strings.HasSuffix(name, "commit-graph"):
			if err := os.MkdirAll(filepath.Join(w.dir, filepath.FromSlash(name)), 0o700); err != nil {
				return err
			}
		default:
			lines := make([]string, len(f.Detail))
			for i, line := range f.Detail {
				if line != "" {
					lines[i] = w.workdir(line)
				}
			}
			if err := w.put(name, strings.Join(lines, "\n")+"\n", 0); err != nil {
				return err
			}
		}
	}
	if s.Exclude == nil || s.Exclude.Lines == nil {
		return nil
	}
	own := map[string]bool{}
	for _, line := range checkpoints.DefaultExcludes(s.Version) {
		own[line] = true
	}
	var lines []string
	for _, line := range s.Exclude.Lines {
		switch line = strings.TrimRight(line, " \r"); {
		case own[line]:
			lines = append(lines, line)
		case line != "" && !strings.HasPrefix(line, "#"):
			lines = append(lines, w.workdir(line))
		}
	}
	return w.put("info/exclude", strings.Join(lines, "\n")+"\n", 0)
}
