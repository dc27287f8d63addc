package bundle

import (
	"fmt"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

// storeWords are the names and words that git and the product write into every store, beside those of
// pseudonym.Fixed and of the product's list of what is not captured.
var storeWords = func() map[string]bool {
	words := set(`HEAD config objects refs heads hermes master branches pack info hooks projects ledgers indexes legacy
corrupt-refs corrupt last_prune gc-pending pending log exclude alternates grafts shallow attributes commondir worktree worktrees
modules reftable commit-graph commit-graphs commit graph graphs multi-pack-index multi index HERMES_WORKDIR restore inspect
select pathspec lock json replace tags remotes stash workdir created_at last_touch workdir_parent_dev workdir_parent_ino
sha256 sha1 tree parent author committer gpgsig Hermes Checkpoint local nested repos captured core user commit tag
repositoryformatversion filemode bare symlinks ignorecase precomposeunicode logallrefupdates email name gpgsign auto
gc extensions objectformat refstorage files noop preciousobjects partialclone packed-refs gc.pid worktreeconfig fsmonitor hookspath sshcommand
editor pager askpass alternaterefscommand include includeif path filter diff merge remote alias gitdir packed PACK tmp_pack_`)
	for _, layout := range []int{1, 2} {
		for _, line := range checkpoints.DefaultExcludes(layout) {
			for _, w := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("./*", r) }) {
				words[w] = true
			}
		}
	}
	return words
}()

// refName is the name of a ref in the skeleton.
func (v *veil) refName(name string) string { return v.projectPath(name) }

// refs writes HEAD, the refs in their files and packed-refs.
func (w *baseWriter) refs(s *evidence.CheckpointStore, objects *objectWriter) error {
	if s.Head.Present {
		if err := w.ref("HEAD", s.Head.Symbolic, s.Head.ID, s.Head.Flaw, objects); err != nil {
			return err
		}
	}
	var packed strings.Builder
	for i := range s.Refs {
		r := &s.Refs[i]
		name := w.refName(r.Name)
		if r.HasFile {
			if err := w.ref(name, r.Symbolic, r.Loose, r.Flaw, objects); err != nil {
				return err
			}
		}
		if !r.Packed.IsZero() {
			id, err := objects.named(r.Packed)
			if err != nil {
				return err
			}
			fmt.Fprintf(&packed, "%s %s\n", id, name)
		}
	}
	for _, p := range s.Problems {
		if p.Path == "packed-refs" {
			packed.WriteString("x\n")
		}
	}
	if packed.Len() == 0 {
		return nil
	}
	return w.put("packed-refs", packed.String(), 0)
}

// named is the new id of what a ref names, and of the history behind it.
func (w *objectWriter) named(id evidence.ObjectID) (evidence.ObjectID, error) {
	w.told = append(w.told, id) // a ref may name a tree that was written as one
	if now, ok := w.ids[id]; ok {
		return now, nil
	}
	return w.parent(id, 0)
}

// ref writes one ref, as damaged as it was.
func (w *baseWriter) ref(name, symbolic string, id evidence.ObjectID, flaw string, objects *objectWriter) error {
	text := "x\n"
	switch {
	case symbolic != "":
		text = "ref: " + w.refName(symbolic) + "\n"
	case !id.IsZero():
		now, err := objects.named(id)
		if err != nil {
			return err
		}
		text = now.String() + "\n"
	case strings.Contains(flaw, "empty"):
		text = ""
	case strings.Contains(flaw, "NUL"):
		text = strings.Repeat("\x00", 41)
	case strings.Contains(flaw, "another hash"):
		text = strings.Repeat("1", 40+24*(1-(objects.format.Size()-20)/12)) + "\n"
	case strings.Contains(flaw, "means none"):
		text = strings.Repeat("0", 2*objects.format.Size()) + "\n"
	}
	return w.put(name, text, 0)
}

// config writes the settings: those of git and the product by name, any other under a pseudonym, and no value that is
// not one of a few words or a number.
func (w *baseWriter) config(s *evidence.CheckpointStore) error {
	c := &s.Config
	if !c.Present {
		return nil
	}
	var b strings.Builder
	for _, set := range c.Settings {
		section, rest, _ := strings.Cut(set.Key, ".")
		sub, key := "", rest
		if at := strings.LastIndexByte(rest, '.'); at >= 0 {
			sub, key = rest[:at], rest[at+1:]
		}
		b.WriteString("[" + w.gitName(section))
		if sub != "" {
			w.see(sub)
			b.WriteString(` "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", "").Replace(w.maker.Name(sub)) + `"`)
		}
		b.WriteString("]\n\t" + w.gitName(key) + " = " + w.value(set) + "\n")
	}
	if c.Flaw != "" && !strings.Contains(c.Flaw, "repositoryformatversion") {
		b.WriteString("[\n")
	}
	return w.put("config", b.String(), 0)
}

// value is the value of a setting.
func (w *baseWriter) value(set evidence.GitSetting) string {
	v := set.Value
	switch {
	case v == committer || v == committerMail, storeWords[v], v == "true" || v == "false", len(v) < telling && digits(v):
		return v
	case v == "":
		return ""
	}
	w.see(v)
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", "").Replace(w.maker.Name(v)) + `"`
}
