package checkpoints

// Newest is the time of the newest checkpoint, epoch seconds; 0 = there is none, or its time cannot be read.
func (p *Project) Newest() float64 {
	if len(p.Checkpoints) == 0 {
		return 0
	}
	return p.Checkpoints[0].At
}

// Times are all times of the base that a clock may be taken from.
func (b *Base) Times() []float64 {
	times := []float64{b.Source.LastPrune}
	for _, s := range b.Stores {
		for _, p := range s.Projects {
			times = append(times, p.Source.LastTouch, p.Source.CreatedAt)
			for i := range p.Checkpoints {
				c := p.Checkpoints[i].Commit
				times = append(times, p.Checkpoints[i].At)
				if c.Committer.Valid {
					times = append(times, float64(c.Committer.When))
				}
			}
		}
	}
	return times
}
