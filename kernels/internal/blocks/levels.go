package blocks

import "gonum.org/v1/gonum/mat"

// levels holds columns of categories, and the distances between two rows that differ in one.
type levels struct {
	columns      []int        // indices in the rows
	apart        [3][]float64 // indexed by the power of the distance
	codes, trans *mat.Dense
}

func newLevels(rows *mat.Dense, v *view) *levels {
	codes := SelectColumns(v.categories)(rows)
	squares := make([]float64, len(v.rates))
	for c, rate := range v.rates {
		squares[c] = rate * rate
	}
	return &levels{columns: v.categories, apart: [3][]float64{1: v.rates, 2: squares}, codes: codes, trans: transpose(codes)}
}

// add adds to dst the distances, or squared distances, between row i and the rows of z over all columns.
func (l *levels) add(dst []float64, i int, z *levels, power int) {
	for c, v := range l.codes.RawRowView(i) {
		apart := l.apart[power][c]
		for j, u := range z.trans.RawRowView(c) {
			if u != v {
				dst[j] += apart
			}
		}
	}
}

// addLevels adds the distances, or squared distances, in columns of categories to those of all pairs, if there are such columns.
func (o *operand) addLevels(dst *mat.Dense, z *operand, power int) {
	if o.levels == nil {
		return
	}
	for i := range o.len() {
		o.levels.add(dst.RawRowView(i), i, z.levels, power)
	}
}

// weigh adds to dst[j], for each column j of categories, the sum of g times the distances, or squared distances, between row i and
// the rows of z.
func (l *levels) weigh(dst, g []float64, i int, z *levels, power int) {
	for c, v := range l.codes.RawRowView(i) {
		sum := 0.0
		for j, u := range z.trans.RawRowView(c) {
			if u != v {
				sum += g[j]
			}
		}
		dst[l.columns[c]] += l.apart[power][c] * sum
	}
}
