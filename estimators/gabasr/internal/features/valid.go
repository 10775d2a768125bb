package features

import "github.com/kernelearn/kernelearn/internal/codec"

// Held reports whether draw k uses the factor of a draw that has one.
func Held(draws []*Draw, k int) bool {
	by := draws[k].Holder
	return by == 0 || by > -len(draws) && by < len(draws) && k+by >= 0 && k+by < len(draws) && draws[k+by] != nil && draws[k+by].Holder == 0
}

// Valid reports whether the draw can predict rows with the given numbers of columns and of trend columns.
func (d *Draw) Valid(columns, trend int, kind Map, variances bool) bool {
	w, err := d.W.Dense()
	if err != nil || w == nil || d.W.Cols != columns {
		return false
	}
	v, err := d.V.Dense()
	switch {
	case err != nil, (v == nil) != (kind == Stationary), v != nil && d.V.Cols != columns, kind == Paired && d.V.Rows != d.W.Rows:
		return false
	case v != nil && float64(d.W.Rows)*float64(d.V.Rows) > 1<<30:
		return false
	}
	p := 1 + trend + 2*Pairs(w, v, kind)
	switch numbers := (codec.Floats{d.Shape, d.Rate, d.Ridge, d.LogEv}); {
	case len(d.Coefficients) != p || !d.Coefficients.Finite() || !numbers.Finite() || !(d.Shape > 0) || !(d.Rate > 0):
		return false
	case variances && d.Holder == 0 && !triangular(d.Factor, p), (!variances || d.Holder != 0) && len(d.Factor) != 0, !variances &&
		d.Holder != 0:
		return false
	}
	return validParts(d.Mixture, columns, d.W.Rows) && (v == nil && len(d.Local) == 0 || v != nil && validParts(d.Local, columns, d.V.Rows))
}

// triangular reports whether data holds the rows of an upper factor of order p with a positive diagonal.
func triangular(data codec.Floats, p int) bool {
	if float64(len(data)) != float64(p)*(float64(p)+1)/2 || !data.Finite() {
		return false
	}
	at := 0
	for i := range p {
		if !(data[at] > 0) {
			return false
		}
		at += p - i
	}
	return true
}

// validParts reports whether the components are valid and have the given number of frequencies in total.
func validParts(parts []Part, columns, rows int) bool {
	total := 0
	for _, p := range parts {
		if p.N < 1 || p.N > rows || len(p.Mu) != columns || !p.Mu.Finite() || len(p.Root) != columns*(columns+1)/2 || !p.Root.Finite() {
			return false
		}
		for i := range columns {
			if !(p.Root[i*(i+3)/2] > 0) { // i*(i+3)/2 is the index of the diagonal element
				return false
			}
		}
		total += p.N
	}
	return total == rows
}
