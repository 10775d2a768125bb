// Package weights reads the weights of rows. Nil weights are 1 each.
package weights

// Weight returns the weight of row i.
func Weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}
