package gitro

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync/atomic"
)

// Number stands for one copy of an object: packs come first, by name, each in the order of its index, then loose
// objects by id. It is dense, so that sets of objects can be bits.
type Number uint32

// Repo is an open git directory. Its methods may be used by several goroutines at once.
type Repo struct {
	dir      *Folder
	limits   Limits
	format   Format
	packs    []*pack
	hidden   []*pack // whose index is missing or unusable: git sees nothing of them, nor do readers but whole ones
	loose    *loose
	indexes  *indexBlocks
	total    Number
	problems []Problem
	packDir  PackFolder
	work     atomic.Int64 // bytes inflated so far
	mostWork int64
}

// Open opens the objects below a git directory, which Close does not close. A folder without objects is an empty
// repository with a problem, not an error: an error means that nothing could be looked at. hint is the format that
// the config names, or ""; what the objects themselves show wins.
func Open(dir *Folder, hint Format, limits Limits) (*Repo, error) {
	r := &Repo{dir: dir, limits: limits.orDefault(), loose: &loose{}}
	r.indexes = newIndexBlocks(r.limits.Index)
	objects, err := dir.Sub("objects")
	if err != nil {
		if !missing(err) {
			r.problem("objects", FaultUnreadable, "cannot be opened: "+err.Error())
		} else {
			r.problem("objects", FaultMissing, "the folder is missing")
		}
		r.format = hint
		if r.format == "" {
			r.format = SHA1
		}
		return r, nil
	}
	r.loose.dir = objects
	fans := r.listFans(objects)
	r.listPacks(objects)
	r.format = r.guess(fans, hint)
	r.openLoose(fans)
	r.openPacks()
	r.number()
	r.boundWork()
	return r, nil
}

// boundWork says how much may be inflated when that is not given: enough for every object of a real store, each with
// its deltas, a few times; a bomb of a few KiB makes 2 GiB in some seconds, and that is the end of it.
func (r *Repo) boundWork() {
	if r.mostWork = r.limits.Work; r.mostWork > 0 {
		return
	}
	r.mostWork = 2 << 30
	for _, p := range r.packs {
		r.mostWork += 64 * p.data.size
	}
	r.mostWork += int64(r.loose.count()) * (256 << 10)
}

// Close lets go of all files.
func (r *Repo) Close() error {
	for _, p := range slices.Concat(r.packs, r.hidden) {
		p.close()
	}
	errs := make([]error, 0, 2)
	if r.packDir.dir != nil {
		errs = append(errs, r.packDir.dir.Close())
	}
	if r.loose.dir != nil {
		errs = append(errs, r.loose.dir.Close())
	}
	return errors.Join(errs...)
}

// Format is the hash of the repository's objects.
func (r *Repo) Format() Format { return r.format }

// Objects is how many copies there are; every Number is below it.
func (r *Repo) Objects() int { return int(r.total) }

// Problems are the damaged or strange files among the objects, in the order in which they were met.
func (r *Repo) Problems() []Problem { return r.problems }

// Packs describes the folder of packs.
func (r *Repo) Packs() PackFolder { return r.packDir }

// Limits are those in force.
func (r *Repo) Limits() Limits { return r.limits }

func (r *Repo) problem(path string, f Fault, what string) {
	const most = 10_000 // a folder full of strangers is one statement, not a million
	if len(r.problems) < most {
		r.problems = append(r.problems, Problem{Path: path, Fault: f, What: what})
	}
}

// listFans lists the 256 folders of loose objects.
func (r *Repo) listFans(objects *Folder) (fans [256]looseFiles) {
	total := 0
	for i := range fans {
		name := fmt.Sprintf("%02x", i)
		files, err := listFan(objects, name, r.limits.Objects-total)
		if err != nil {
			r.problem("objects/"+name, FaultUnreadable, "cannot be listed: "+err.Error())
			continue
		}
		total += len(files.objects)
		fans[i] = files
		for _, e := range files.others {
			path := "objects/" + name + "/" + e.Name
			if strings.HasPrefix(e.Name, "tmp_obj_") && e.Mode.IsRegular() {
				r.packDir.Leftovers = append(r.packDir.Leftovers, path)
				continue
			}
			r.problem(path, FaultUnreadable, "is no loose object")
		}
	}
	return fans
}

// guess finds the format by what is there.
func (r *Repo) guess(fans [256]looseFiles, hint Format) Format {
	var votes [2]int
	for _, f := range fans {
		for _, e := range f.objects {
			votes[(len(e.Name)-38)/24]++
		}
	}
	w := &window{indexes: newIndexBlocks(0)}
	for _, stem := range r.packDir.stems {
		f, st, err := r.packDir.dir.Open(stem + ".idx")
		if err != nil {
			continue
		}
		switch hashOf(w, &blockFile{file: f, size: st.Size}, r.limits.Objects) {
		case 20:
			votes[0]++
		case 32:
			votes[1]++
		}
		_ = f.Close() // opened for reading
	}
	switch {
	case votes[0] > votes[1]:
		return SHA1
	case votes[1] > votes[0]:
		return SHA256
	case hint != "":
		return hint
	}
	for _, stem := range slices.Concat(r.packDir.NoIndex, r.packDir.stems) { // git names a pack by a hash
		if len(stem) == len("pack-")+64 {
			return SHA256
		}
	}
	return SHA1
}

// number gives every copy its number.
func (r *Repo) number() {
	for _, p := range r.packs {
		p.base = r.total
		r.total += Number(p.index.count)
	}
	r.loose.base = r.total
	r.total += Number(r.loose.count())
	for _, p := range r.hidden {
		p.base = r.total
		r.total += Number(p.index.count)
	}
}

// place gives the pack that holds a number and the place in its index; nil for a loose object.
func (r *Repo) place(n Number) (*pack, int) {
	if n >= r.loose.base {
		if len(r.hidden) > 0 && n >= r.hidden[0].base {
			i := sort.Search(len(r.hidden), func(i int) bool { return r.hidden[i].base > n }) - 1
			return r.hidden[i], int(n - r.hidden[i].base)
		}
		return nil, int(n - r.loose.base)
	}
	_, p := r.packOf(n)
	return p, int(n - p.base)
}

// packOf gives the pack among those that git sees that holds a number, and which it is; nil for a loose object.
func (r *Repo) packOf(n Number) (int, *pack) {
	if n >= r.loose.base {
		return 0, nil
	}
	i := 0
	if len(r.packs) > 1 {
		i = sort.Search(len(r.packs), func(i int) bool { return r.packs[i].base > n }) - 1
	}
	return i, r.packs[i]
}

// lookup gives the number of the first copy of an object.
func (r *Repo) lookup(w *window, id ID) (Number, bool) {
	if int(id.size) != r.format.Size() {
		return 0, false
	}
	raw := id.sum[:id.size]
	for _, p := range r.packs {
		if at, err := p.index.find(w, raw); err == nil && at >= 0 {
			return p.base + Number(at), true
		}
	}
	if at := r.loose.find(raw); at >= 0 {
		return r.loose.base + Number(at), true
	}
	for _, p := range r.sought(w) {
		if at, err := p.index.find(w, raw); err == nil && at >= 0 {
			return p.base + Number(at), true
		}
	}
	return 0, false
}

// sought are the hidden packs, for a window that is to see them.
func (r *Repo) sought(w *window) []*pack {
	if !w.whole {
		return nil
	}
	return r.hidden
}

// copies gives the numbers of all copies of an object.
func (r *Repo) copies(w *window, id ID) []Number {
	var all []Number
	raw := id.sum[:id.size]
	for _, p := range r.packs {
		if at, err := p.index.find(w, raw); err == nil && at >= 0 {
			all = append(all, p.base+Number(at))
		}
	}
	if at := r.loose.find(raw); at >= 0 {
		all = append(all, r.loose.base+Number(at))
	}
	for _, p := range r.sought(w) {
		if at, err := p.index.find(w, raw); err == nil && at >= 0 {
			all = append(all, p.base+Number(at))
		}
	}
	return all
}

// nameOf gives the id of a number.
func (r *Repo) nameOf(w *window, n Number) (ID, error) {
	p, at := r.place(n)
	if p == nil {
		return IDFrom(r.loose.name(at)), nil
	}
	raw, err := p.index.name(w, at)
	return IDFrom(raw), err
}

// where describes the place of a copy for people.
func (r *Repo) where(w *window, n Number) string {
	p, at := r.place(n)
	if p == nil {
		return looseName(r.loose.name(at))
	}
	if off, err := p.index.offset(w, at); err == nil {
		return fmt.Sprintf("%s at byte %d", p.name, off)
	}
	return p.name
}

func (r *Repo) whereID(w *window, id ID) string {
	n, ok := r.lookup(w, id)
	if !ok {
		return ""
	}
	return r.where(w, n)
}
