package bundle

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/seed-4d3eb737/hermes-doctor/evidence"
	"github.com/seed-4d3eb737/hermes-doctor/scan/checkpoints"
)

const (
	// mostBlob is the largest stand-in for a file, in bytes: sizes up to it are kept.
	mostBlob = 1 << 20
	// deepestTree bounds folders in folders: no more fit into a path of 4,096 bytes.
	deepestTree = 2048
)

// objectWriter writes the objects of one store anew: trees with other names, commits with other texts, and blobs without
// content. Every id is worked out from what is written; one of an object that cannot be read is a pseudonym, and what
// was wrong with it is wrong with the new one.
type objectWriter struct {
	*veil
	ctx    context.Context
	reader *evidence.ObjectReader
	format evidence.ObjectFormat
	dir    string // objects/ of the skeleton
	pack   *packFile
	ids    map[evidence.ObjectID]evidence.ObjectID // of the source: as the skeleton has it
	made   map[uint64]struct{}                     // the beginnings of the ids that are written, which nobody can foresee
	told   []evidence.ObjectID                     // what should be commits, and a finding may name
	left   map[string]bool
	labels map[evidence.ObjectID]string // of commits that an audit told about: the label to write
}

// pseudo is an id that no object has.
func (w *objectWriter) pseudo(id evidence.ObjectID) (evidence.ObjectID, error) {
	return evidence.ParseObjectID(w.maker.Object(id.String()))
}

// id gives the new id of an object, which it writes at the first time.
func (w *objectWriter) id(old evidence.ObjectID, want evidence.ObjectKind, depth int) (evidence.ObjectID, error) {
	if id, ok := w.ids[old]; ok {
		return id, nil
	}
	if err := w.ctx.Err(); err != nil {
		return old, err
	}
	id, err := w.object(old, want, depth)
	if err != nil {
		return old, err
	}
	w.ids[old] = id
	if want == evidence.KindCommit { // whatever it turned out to be
		w.told = append(w.told, old)
	}
	w.maker.Issue(id.String())
	w.maker.Issue(id.String()[2:]) // the name of an object's own file
	if id != old {                 // an empty blob or tree is that of everybody
		w.see(old.String())
	}
	return id, nil
}

// object writes one object.
func (w *objectWriter) object(old evidence.ObjectID, want evidence.ObjectKind, depth int) (evidence.ObjectID, error) {
	if depth > deepestTree {
		w.left["folders more than 2,048 deep"] = true
		return w.pseudo(old)
	}
	if want == evidence.KindBlob { // nobody reads more of one than its head
		if st, err := w.reader.Stat(old); err == nil && st.Kind == evidence.KindBlob {
			return w.write(evidence.KindBlob, w.standIn(old, st.Size))
		}
	}
	kind, data, rerr := w.reader.Object(old)
	if rerr != nil {
		return w.damaged(old, want, rerr)
	}
	switch kind {
	case evidence.KindCommit:
		return w.commit(old, depth)
	case evidence.KindTree:
		return w.tree(old, depth)
	case evidence.KindBlob: // whose head could not be read where the rest could
		return w.write(evidence.KindBlob, w.standIn(old, int64(len(data))))
	}
	return w.write(kind, []byte(w.maker.Digest(old.String())))
}

// write adds an object to the pack unless it is there.
func (w *objectWriter) write(kind evidence.ObjectKind, data []byte) (evidence.ObjectID, error) {
	id := idOf(w.format, kind, data)
	begin := binary.BigEndian.Uint64(id.Bytes())
	if _, is := w.made[begin]; is {
		return id, nil
	}
	w.made[begin] = struct{}{}
	return id, w.pack.add(id, kind, data)
}

// standIn is the content of a blob: no byte of it, but its length where that is from 14 bytes to mostBlob.
func (w *objectWriter) standIn(id evidence.ObjectID, size int64) []byte {
	if size == 0 {
		return nil
	}
	if size > mostBlob {
		w.left["the sizes of captured files above 1 MiB"] = true
	}
	text := w.maker.Digest(id.String())
	return append([]byte(text), bytes.Repeat([]byte("."), max(int(min(size, mostBlob))-len(text), 0))...)
}

// damaged leaves the new object as the old one is: absent, empty, unreadable or with another content.
func (w *objectWriter) damaged(old evidence.ObjectID, want evidence.ObjectKind, cause error) (evidence.ObjectID, error) {
	id, err := w.pseudo(old)
	if err != nil {
		return id, err
	}
	var raw []byte
	switch evidence.ObjectFaultOf(cause) {
	case evidence.ObjectMissing:
		return id, nil
	case evidence.ObjectEmpty:
	case evidence.ObjectCorrupt:
		raw = []byte("x")
	case evidence.ObjectMismatch:
		if raw, err = deflated([]byte(want.String() + " 0\x00")); err != nil {
			return id, err
		}
	default:
		w.left["objects that are too large or that the file system does not give"] = true
		raw = []byte("x")
	}
	return id, loose(w.dir, id, raw)
}

// tree writes a tree with other names, in the order that git wants.
func (w *objectWriter) tree(old evidence.ObjectID, depth int) (evidence.ObjectID, error) {
	entries, damage := w.reader.Tree(old)
	entries = slices.Clone(entries) // the reader may forget them below
	type entry struct {
		key  string // git sorts a folder as if its name ended in a slash
		line []byte
	}
	list := make([]entry, 0, len(entries))
	taken := map[string]bool{}
	for _, e := range entries {
		name := w.entry(string(e.Name))
		for taken[name] { // two names that differ in case alone, both hexadecimal
			name += "_"
			w.maker.Issue(name)
		}
		taken[name] = true
		var id evidence.ObjectID
		var err error
		key := name
		switch e.Mode.Canonical() {
		case evidence.ModeGitlink:
			id, err = w.foreign(e.ID)
		case evidence.ModeTree:
			key += "/"
			id, err = w.id(e.ID, evidence.KindTree, depth+1)
		default:
			id, err = w.id(e.ID, evidence.KindBlob, depth+1)
		}
		if err != nil {
			return old, err
		}
		list = append(list, entry{key, append(fmt.Appendf(nil, "%o %s\x00", uint32(e.Mode), name), id.Bytes()...)})
	}
	slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(a.key, b.key) })
	var data []byte
	for _, e := range list {
		data = append(data, e.line...)
	}
	if damage != nil {
		data = append(data, '8') // no octal number, so that the tree breaks off here
	}
	return w.write(evidence.KindTree, data)
}

// foreign is the id of a commit in another repository.
func (w *objectWriter) foreign(id evidence.ObjectID) (evidence.ObjectID, error) {
	if w.reader.Has(id) { // unusual, and told
		return w.id(id, evidence.KindCommit, 0)
	}
	w.see(id.String())
	return w.pseudo(id)
}

// entry is the name of a file or folder in a checkpoint. What a checkout treats as special stays (TreeEntry.Unusable).
func (v *veil) entry(name string) string {
	if strings.EqualFold(name, ".git") {
		return name
	}
	v.see(name)
	return v.maker.Name(name)
}

// filePath is entry for a path.
func (v *veil) filePath(path string) string {
	parts := strings.Split(path, "/")
	for i := range parts {
		parts[i] = v.entry(parts[i])
	}
	return strings.Join(parts, "/")
}

// The one who makes every commit of the product (spec/checkpoint-store.md 2.1).
const (
	committer     = "Hermes Checkpoint"
	committerMail = "hermes@local"
)

// commit writes a commit whose text is of a fixed vocabulary but for pseudonyms.
func (w *objectWriter) commit(old evidence.ObjectID, depth int) (evidence.ObjectID, error) {
	c, err := w.reader.Commit(old)
	if err != nil { // a sound object that is no commit inside
		return w.write(evidence.KindCommit, []byte(w.maker.Digest(old.String())))
	}
	tree, err := w.id(c.Tree, evidence.KindTree, depth)
	if err != nil {
		return old, err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", tree)
	for _, p := range c.Parents {
		id, ok := w.ids[p]
		if !ok { // what lies behind was written before, or cannot be read
			if id, err = w.parent(p, depth+1); err != nil {
				return old, err
			}
		}
		fmt.Fprintf(&b, "parent %s\n", id)
	}
	b.WriteString("author " + w.signature(c.Author) + "\ncommitter " + w.signature(c.Committer) + "\n")
	if c.Signed {
		b.WriteString("gpgsig x\n")
	}
	if strings.Contains(c.Flaw, "second tree") {
		fmt.Fprintf(&b, "tree %s\n", tree)
	}
	subject := checkpoints.Subject(c.Message)
	reason, label, _ := strings.Cut(subject, labelMark)
	w.see(string(c.Message))
	text := w.reason(strings.TrimRight(reason, " "))
	if told, ok := w.labels[old]; ok {
		text += told
	} else if label != "" {
		text += checkpoints.LabelFor([]string{w.maker.Digest(label)}, 1)
	}
	b.WriteString("\n" + text + "\n")
	return w.write(evidence.KindCommit, b.Bytes())
}

const labelMark = "[nested git repos not captured: "

// parent writes the commits behind one, the oldest first, so that a long history is no deep recursion.
func (w *objectWriter) parent(tip evidence.ObjectID, depth int) (evidence.ObjectID, error) {
	chain, _ := w.reader.Chain(tip) // a broken one gives the commits up to the break
	for _, c := range slices.Backward(chain) {
		if len(c.Parents) > 0 {
			if _, ok := w.ids[c.Parents[0]]; !ok && c.ID == chain[len(chain)-1].ID {
				id, err := w.ending(c.Parents[0])
				if err != nil {
					return tip, err
				}
				w.ids[c.Parents[0]] = id
				w.told = append(w.told, c.Parents[0])
			}
		}
		if _, err := w.id(c.ID, evidence.KindCommit, depth); err != nil {
			return tip, err
		}
	}
	if id, ok := w.ids[tip]; ok {
		return id, nil
	}
	return w.id(tip, evidence.KindCommit, depth)
}

// ending is the id of what stands where a commit should, behind the last one that can be read.
func (w *objectWriter) ending(id evidence.ObjectID) (evidence.ObjectID, error) {
	w.see(id.String())
	if _, err := w.reader.Commit(id); err == nil { // a circle, or more commits than are read
		w.left["histories that are circles or longer than is read"] = true
		return w.pseudo(id)
	}
	return w.id(id, evidence.KindCommit, 0)
}

func (w *objectWriter) signature(s evidence.CommitSignature) string {
	name, mail := string(s.Name), string(s.Email)
	if name != committer {
		w.see(name)
		name = w.maker.Name(name)
	}
	if mail != committerMail {
		w.see(mail)
		mail = w.maker.Name(mail)
	}
	if !s.Valid {
		return name + " <" + mail + "> x"
	}
	return fmt.Sprintf("%s <%s> %d %s", name, mail, int64(w.epoch(float64(s.When))), s.Zone)
}

// reasons are the words with which the product says why it took a checkpoint (spec/checkpoint-store.md 2.2).
var reasons = set("before write_file patch terminal pre rollback snapshot restoring auto manual checkpoint turn safety")

// reason replaces the words of a subject but those of the product.
func (v *veil) reason(s string) string {
	v.see(s)
	words := strings.Fields(s)
	for i, w := range words {
		if core := strings.Trim(w, ":()-"); !reasons[core] {
			words[i] = v.maker.Name(w)
		}
	}
	return strings.Join(words, " ")
}

// writeObjects writes what the projects of a store, its refs and the commits that no chain leads to hold, and gives the
// writer, which knows the new ids. flush must follow when all refs are written.
func (w *baseWriter) writeObjects(ctx context.Context, s *checkpoints.Store, dir string) (*objectWriter, error) {
	o := &objectWriter{veil: w.veil, ctx: ctx, reader: s.Source.Reader(), format: s.Source.Format, dir: dir,
		ids: w.ids, made: map[uint64]struct{}{}, left: w.left, labels: map[evidence.ObjectID]string{}}
	var err error
	if o.pack, err = newPack(filepath.Join(dir, "pack"), s.Source.Format); err != nil {
		return nil, errors.Join(err, o.reader.Close())
	}
	for _, p := range s.Projects {
		for i := range p.Checkpoints {
			o.labels[p.Checkpoints[i].Commit.ID] = w.label(&p.Checkpoints[i])
		}
	}
	for _, p := range s.Projects {
		if !p.Source.Tip.IsZero() {
			if _, err := o.parent(p.Source.Tip, 0); err != nil {
				return o, err
			}
		}
	}
	if s.Unreachable == nil {
		return o, nil
	}
	for _, c := range slices.Backward(s.Unreachable.Commits) {
		if !o.reader.Has(c.ID) {
			continue // in a pack without an index
		}
		if _, err := o.parent(c.ID, 0); err != nil {
			return o, err
		}
	}
	return o, nil
}

// label is what stands behind a checkpoint's reason in the skeleton: it agrees with the tree where it did.
func (v *veil) label(c *checkpoints.Checkpoint) string {
	switch {
	case c.Told == "":
		return ""
	case c.Label == checkpoints.Wrong || len(c.Nested) == 0:
		return checkpoints.LabelFor([]string{v.maker.Digest(c.Told)}, 1)
	}
	paths := make([]string, len(c.Nested))
	for i, n := range c.Nested {
		paths[i] = v.filePath(n.Path)
	}
	slices.Sort(paths) // as a tree lists them
	return checkpoints.LabelFor(paths, int(c.Total))
}

// flush ends the pack.
func (w *objectWriter) flush() error {
	stem, err := w.pack.finish()
	if stem != "" {
		w.maker.Issue(stem)
		_, hash, _ := strings.Cut(stem, "-")
		w.maker.Issue(hash)
	}
	return errors.Join(err, w.reader.Close())
}
