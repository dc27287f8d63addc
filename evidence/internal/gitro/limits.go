package gitro

// Limits bound what a store may cost. A zero field takes the default.
type Limits struct {
	Object      int64 // bytes of one object held in memory; default 256 MiB
	Stream      int64 // bytes of one blob that is streamed; default 16 GiB
	Chain       int   // deltas on top of each other; default 4096, git's own largest
	Depth       int   // folders in folders; default 2048, what fits into a path of 4096 bytes
	Entries     int   // entries of one tree; default 1 << 17, a checkpoint has at most 50,000
	Trees       int   // unique trees of one census; default 4 << 20
	Objects     int   // objects of all packs and loose files together; default 16 << 20
	Packs       int   // default 1024
	Steering    int64 // bytes of one tree or commit; default 16 MiB, twice what a tree with all the entries allowed has
	Refs        int   // loose and packed together; default 1 << 14
	Commits     int   // commits followed from one ref; default 1 << 17
	History     int64 // bytes of memory for the commits that one Reader followed from all refs; default 10 MiB
	Work        int64 // bytes inflated by all Readers together; default 2 GiB and 64 times what the store has on the disk
	Index       int64 // bytes of pack indexes kept; default 16 MiB
	ParsedTrees int64 // bytes of parsed trees kept by one Reader; default 2 MiB
	DeltaBases  int64 // bytes of inflated objects kept by one Reader; default 1 MiB
}

func (l Limits) orDefault() Limits {
	def := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	count := func(v *int, d int) {
		if *v <= 0 {
			*v = d
		}
	}
	def(&l.Object, 256<<20)
	def(&l.Stream, 16<<30)
	count(&l.Chain, 4096)
	count(&l.Depth, 2048)
	count(&l.Entries, 1<<17)
	count(&l.Trees, 4<<20)
	count(&l.Objects, 16<<20)
	count(&l.Packs, 1024)
	def(&l.Steering, 16<<20)
	count(&l.Refs, 1<<14)
	def(&l.History, 10<<20)
	count(&l.Commits, 1<<17)
	def(&l.Index, 16<<20)
	def(&l.ParsedTrees, 2<<20)
	def(&l.DeltaBases, 1<<20)
	return l
}
