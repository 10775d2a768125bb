package distinct

// Differ returns the fraction of pairs of values that differ. For a column of 0 and 1 this is twice the variance. It returns 0 if
// there are fewer than two values.
func Differ(values []float64) float64 {
	counts := map[float64]float64{}
	for _, v := range values {
		counts[v]++
	}
	n, same := float64(len(values)), 0.0
	for _, k := range counts {
		same += k * (k - 1)
	}
	if n < 2 {
		return 0
	}
	return 1 - same/(n*(n-1))
}
