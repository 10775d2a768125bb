package distinct

// Differ returns the share of the pairs of values that are not equal: twice the variance of a column of 0 and 1. It is 0 of fewer than two.
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
