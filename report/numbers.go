package report

import "math"

// nanOf makes NaN, which Time shows as blank, of a time that stands for "not known".
func nanOf(epoch float64) float64 {
	if epoch == 0 {
		return math.NaN()
	}
	return epoch
}

func orNaN(f *float64) float64 {
	if f == nil {
		return math.NaN()
	}
	return *f
}
