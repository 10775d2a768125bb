// Package weights reads the weights of rows, of which nil stands for 1 each.
package weights

// Weight returns the weight of row i.
func Weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}
