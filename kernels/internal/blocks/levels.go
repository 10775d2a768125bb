package blocks

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// levels are columns of categories: what two rows that differ in one are apart.
type levels struct {
	columns      []int // of the rows
	rates        []float64
	codes, trans *mat.Dense
}

func newLevels(rows *mat.Dense, v *view) *levels {
	codes := SelectColumns(v.categories)(rows)
	return &levels{columns: v.categories, rates: v.rates, codes: codes, trans: transpose(codes)}
}

// add adds the power of what row i and the rows of z are apart, in each column, to dst.
func (l *levels) add(dst []float64, i int, z *levels, power float64) {
	for c, v := range l.codes.RawRowView(i) {
		apart := math.Pow(l.rates[c], power)
		for j, u := range z.trans.RawRowView(c) {
			if u != v {
				dst[j] += apart
			}
		}
	}
}

// addAll is add for all rows.
func (o *operand) addLevels(dst *mat.Dense, z *operand, power float64) {
	if o.levels == nil {
		return
	}
	for i := range o.len() {
		o.levels.add(dst.RawRowView(i), i, z.levels, power)
	}
}

// weigh adds to dst[j], for each column j of categories, the sum of g times the power of what row i and the rows of z are apart.
func (l *levels) weigh(dst, g []float64, i int, z *levels, power float64) {
	for c, v := range l.codes.RawRowView(i) {
		sum := 0.0
		for j, u := range z.trans.RawRowView(c) {
			if u != v {
				sum += g[j]
			}
		}
		dst[l.columns[c]] += math.Pow(l.rates[c], power) * sum
	}
}
