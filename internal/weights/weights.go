// Package weights reads the weights of rows. A nil slice means that each weight is 1.
package weights

// Weight returns the weight of row i.
func Weight(w []float64, i int) float64 {
	if w == nil {
		return 1
	}
	return w[i]
}
