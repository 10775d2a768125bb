package blocks

import (
	"slices"
	"sync"

	"github.com/kernelearn/kernelearn/internal/single"
)

// singlePart is a Part that may have values in float32.
type singlePart interface {
	// inSingle reports whether the part has values in float32.
	inSingle() bool
	// singles sets dst, row by row, to the values for a window of the pairs of rows.
	singles(dst []float32, w single.Window, of *singles)
}

// inSingle reports whether a part has values in float32.
func inSingle(p Part) bool {
	s, ok := p.(singlePart)
	return ok && s.inSingle()
}

// singles holds all rows in float32. They are centred and, in a view, divided by their lengths before they are rounded.
type singles struct {
	rows  *single.Rows // nil if the layout needs no distances
	codes *single.Rows // numbers of the categories, or nil
	apart [3][]float32 // as in levels
	views []*singles
}

// newSingles rounds the rows of operands, and reports whether they fit into float32.
func newSingles(side []*operand, l *Layout) (_ *singles, held bool) {
	s, n := &singles{}, 0
	for _, o := range side {
		n += o.len()
	}
	held = true
	if l.need&(needDistances|needManhattan) != 0 {
		_, d := side[0].moved.Dims()
		s.rows = single.NewRows(n, d)
		i := 0
		for _, o := range side {
			centred := o.less()
			for a := range o.len() {
				held = s.rows.Set(i, centred.RawRowView(a)) && held
				i++
			}
		}
	}
	if side[0].levels != nil {
		s.addCodes(side, n)
	}
	for v := range l.views {
		views := make([]*operand, len(side))
		for i, o := range side {
			views[i] = o.views[v]
		}
		view, ok := newSingles(views, &l.views[v].Layout)
		s.views, held = append(s.views, view), held && ok
	}
	return s, held
}

// addCodes numbers the categories of each column, because different codes may be equal in float32.
func (s *singles) addCodes(side []*operand, n int) {
	first := side[0].levels
	for power, apart := range first.apart {
		for _, v := range apart {
			s.apart[power] = append(s.apart[power], float32(v))
		}
	}
	numbers := make([]map[float64]float64, len(first.columns))
	for c := range numbers {
		numbers[c] = map[float64]float64{}
	}
	s.codes = single.NewRows(n, len(numbers))
	row, i := make([]float64, len(numbers)), 0
	for _, o := range side {
		for a := range o.len() {
			for c, code := range o.levels.codes.RawRowView(a) {
				number, ok := numbers[c][code]
				if !ok {
					number = float64(len(numbers[c]))
					numbers[c][code] = number
				}
				row[c] = number
			}
			s.codes.Set(i, row)
			i++
		}
	}
}

// addLevels adds the distances, or squared distances, in columns of categories, if there are any.
func (s *singles) addLevels(dst []float32, w single.Window, power int) {
	if s.codes != nil {
		s.codes.AddDistinct(dst, w, s.apart[power])
	}
}

// singleStrip is the number of rows of float32 values that are computed at a time. They stay in the first-level cache.
const singleStrip = 8

// InSingle reports whether SingleTo supports the kernel.
func (r *Rows) InSingle() bool {
	if r.sparse != nil || !single.Available() || !inSingle(r.of.part) {
		return false
	}
	r.singly.Do(func() {
		if s, held := newSingles(r.side, &r.of.layout); held {
			r.singles = s
		}
	})
	return r.singles != nil
}

// SingleTo is BlockTo in float32, computed from rows in float32. It writes dst row by row. It returns false if the kernel has no
// values in float32, or if a value is not finite.
func (r *Rows) SingleTo(dst []float32, rows, columns, i, j int) bool {
	if !r.InSingle() {
		return false
	}
	part := r.of.part.(singlePart)
	for a := 0; a < rows; a += singleStrip {
		w := single.Window{Row: i + a, Rows: min(singleStrip, rows-a), Column: j, Columns: columns}
		strip := dst[a*columns : (a+w.Rows)*columns]
		if part.singles(strip, w, r.singles); !single.Finite(strip) {
			return false
		}
	}
	r.setDiagonalIn(dst, rows, columns, i, j)
	return true
}

// setDiagonalIn sets the values of rows with themselves to those of the kernel's diag.
func (r *Rows) setDiagonalIn(dst []float32, rows, columns, i, j int) {
	for a := 0; a < rows; a += Stripe {
		b := i + a - j
		if b < 0 || b >= columns {
			continue
		}
		x := r.side[(i+a)/Stripe]
		diagonal := make([]float64, x.len())
		r.of.part.diag(diagonal, x)
		for k, v := range diagonal {
			dst[(a+k)*columns+b+k] = float32(v)
		}
	}
}

// A number that scales distances or values must be a normal float32, and so must its products with usual numbers.
const leastFactor, mostFactor = 1e-30, 1e30

// IsSingleFactor reports whether a factor and its products with usual numbers fit into float32.
func IsSingleFactor(v float64) bool { return v >= leastFactor && v <= mostFactor }

func (k Radial) inSingle() bool { return k.Singles != nil }

func (k Radial) singles(dst []float32, w single.Window, of *singles) {
	of.rows.SquaredDistances(dst, w)
	of.addLevels(dst, w, 2)
	k.Singles(dst)
}

func (k exponential) inSingle() bool { return IsSingleFactor(k.gamma) }

func (k exponential) singles(dst []float32, w single.Window, of *singles) {
	of.rows.ManhattanDistances(dst, w)
	of.addLevels(dst, w, 1)
	single.Exp(dst, -float32(k.gamma))
}

func (p stretched) inSingle() bool { return inSingle(p.inner) }

func (p stretched) singles(dst []float32, w single.Window, of *singles) {
	p.inner.(singlePart).singles(dst, w, of.views[p.view])
}

func (p selected) inSingle() bool { return inSingle(p.inner) }

func (p selected) singles(dst []float32, w single.Window, of *singles) {
	p.inner.(singlePart).singles(dst, w, of.views[p.view])
}

func (s scaled) inSingle() bool { return IsSingleFactor(s.factor) && inSingle(s.inner) }

func (s scaled) singles(dst []float32, w single.Window, of *singles) {
	s.inner.(singlePart).singles(dst, w, of)
	single.Scale(dst, float32(s.factor))
}

func (f fold) inSingle() bool {
	return !slices.ContainsFunc(f.inner, func(p Part) bool { return !inSingle(p) })
}

// strips keeps the memory of strips between calls.
var strips = sync.Pool{New: func() any { return new([]float32) }}

func (f fold) singles(dst []float32, w single.Window, of *singles) {
	for i := range dst {
		dst[i] = float32(f.neutral)
	}
	memory := strips.Get().(*[]float32)
	defer strips.Put(memory)
	*memory = slices.Grow((*memory)[:0], len(dst))[:len(dst)]
	for _, p := range f.inner {
		p.(singlePart).singles(*memory, w, of)
		for i, v := range *memory {
			if f.sum {
				dst[i] += v
			} else {
				dst[i] *= v
			}
		}
	}
}

var _ = []singlePart{Radial{}, exponential{}, stretched{}, selected{}, scaled{}, fold{}}
