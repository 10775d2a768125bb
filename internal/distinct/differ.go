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

// MostCommon returns the share of the most common value in the weights. If weights is nil, all weights are 1. It returns 0 if there
// are no values.
func MostCommon(values, weights []float64) float64 {
	of, total, most := map[float64]float64{}, 0., 0.
	for i, v := range values {
		w := 1.
		if weights != nil {
			w = weights[i]
		}
		of[v] += w
		total += w
		most = max(most, of[v])
	}
	if total == 0 {
		return 0
	}
	return most / total
}
