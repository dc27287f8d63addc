package gitro

import (
	"slices"
	"strings"
)

// PackFolder is what lies in objects/pack.
type PackFolder struct {
	Whole     []string // stems like "pack-1f…" that have a pack and an index
	NoIndex   []string // stems of packs without an index: git sees none of their objects
	NoPack    []string // stems of indexes without a pack
	Leftovers []string // tmp_pack_*, tmp_idx_* and tmp_obj_* of a killed writer, below the git directory
	Reindexed int      // objects that were found by reading packs without a usable index; git sees none of them
	Others    []string // like *.rev, *.keep, *.bitmap, multi-pack-index: not used here
	dir       *Folder
	stems     []string
}

// listPacks lists objects/pack.
func (r *Repo) listPacks(objects *Folder) {
	d := &r.packDir
	dir, err := objects.Sub("pack")
	if err != nil {
		if !missing(err) {
			r.problem("objects/pack", FaultUnreadable, "cannot be opened: "+err.Error())
		}
		return
	}
	d.dir = dir
	entries, err := dir.List(16*r.limits.Packs + 1<<16)
	if err != nil {
		r.problem("objects/pack", FaultUnreadable, "cannot be listed: "+err.Error())
		return
	}
	packs, indexes := map[string]bool{}, map[string]bool{}
	for _, e := range entries {
		path := "objects/pack/" + e.Name
		if !e.Mode.IsRegular() {
			r.problem(path, FaultUnreadable, "is no regular file")
			continue
		}
		if stem, ok := strings.CutSuffix(e.Name, ".pack"); ok {
			packs[stem] = true
		} else if stem, ok := strings.CutSuffix(e.Name, ".idx"); ok {
			indexes[stem] = true
		} else if strings.HasPrefix(e.Name, "tmp_") || strings.HasPrefix(e.Name, ".tmp-") {
			d.Leftovers = append(d.Leftovers, path)
		} else {
			d.Others = append(d.Others, path)
		}
	}
	for stem := range packs {
		if indexes[stem] {
			d.Whole = append(d.Whole, stem)
		} else {
			d.NoIndex = append(d.NoIndex, stem)
		}
	}
	for stem := range indexes {
		if d.stems = append(d.stems, stem); !packs[stem] {
			d.NoPack = append(d.NoPack, stem)
		}
	}
	for _, l := range [][]string{d.Whole, d.NoIndex, d.NoPack, d.stems} {
		slices.Sort(l)
	}
}

// openPacks opens every pack that has an index.
func (r *Repo) openPacks() {
	w := &window{indexes: r.indexes}
	left := r.limits.Objects - r.loose.count()
	unusable := slices.Clone(r.packDir.NoIndex)
	for _, stem := range r.packDir.NoIndex {
		r.problem("objects/pack/"+stem+".pack", FaultMissing, "the pack has no index: git sees none of its objects")
	}
	defer func() { r.reindex(unusable) }()
	for _, stem := range r.packDir.NoPack {
		r.problem("objects/pack/"+stem+".idx", FaultMissing, "the index has no pack: its objects are lost unless another pack or file has them")
	}
	for i, stem := range r.packDir.Whole {
		path := "objects/pack/" + stem + ".pack"
		if i >= r.limits.Packs {
			r.problem(path, FaultLimit, "more packs than are read")
			return
		}
		p, note, err := openPack(w, r.packDir.dir, stem, r.format.Size(), left)
		if err != nil {
			r.problem(path, named(ID{}, path, err).Fault, err.Error())
			unusable = append(unusable, stem)
			continue
		}
		if note != "" {
			r.problem(path, FaultCorrupt, note)
		}
		left -= p.index.count
		r.packs = append(r.packs, p)
	}
}
