package rvm

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// basisPlace is what the fields of Regressor and Classifier say of the basis.
type basisPlace struct {
	typ        string
	kernel     kernels.Kernel
	kernels    []kernels.Kernel
	landmarks  *mat.Dense
	components int
	seed       uint64
	cacheBytes int64
	workers    int
}

func (p basisPlace) validate() error {
	err := cmp.Or(check.Workers(p.typ, p.workers), check.Setting(p.typ, "Components", p.components, "all rows"), check.Setting(p.typ, "CacheBytes", p.cacheBytes, "the default"))
	if err == nil && p.kernel != nil && len(p.kernels) > 0 {
		err = fault.Param(p.typ, "Kernels", len(p.kernels), "nil where Kernel is set: the one goes among the others")
	}
	for i, k := range p.configured() {
		if err == nil && check.IsNil(k) {
			err = fault.Param(p.typ, fmt.Sprintf("Kernels[%d]", i), k, "a kernel")
		}
		if err == nil {
			err = kernels.Validate(k)
		}
	}
	return err
}

// configured are the kernels of the fields; none where it is to be learnt.
func (p basisPlace) configured() dictionary {
	if p.kernel != nil {
		return dictionary{p.kernel}
	}
	return p.kernels
}

func (p basisPlace) bytes() int64 { return cmp.Or(p.cacheBytes, defaultCacheBytes) }

// design is a basis before a fit: n×m, and what it takes to have its columns at new rows.
type design struct {
	raw     columns
	n, m    int // m, of all kernels, without the column of ones, which raw gives last
	width   int // of the rows, or of the design matrix
	kernels dictionary
	centres *mat.Dense // that columns sit on; nil for a design matrix
	rows    []int      // the training rows that the centres are; nil for landmarks
	x       *mat.Dense // the distinct training rows, or those of the design matrix
	first   []int      // where each of them occurs first in Fit; nil if no two are equal
}

// onRows is the basis of a kernel on distinct rows; a kernel that is not set is learnt from the targets that wanted
// returns.
func (p basisPlace) onRows(ctx context.Context, rows *distinct.Rows, wanted func() (learning.Targets, learning.Kind)) (d design, err error) {
	xd := rows.X
	d.first = rows.First
	d.n, d.width = xd.Dims()
	if d.kernels = p.configured(); len(d.kernels) == 0 {
		learnt, err := p.learntKernel(ctx, xd, wanted)
		if err != nil {
			return d, err
		}
		d.kernels = dictionary{learnt}
	}
	if err = d.kernels.validateColumns(d.width); err != nil {
		return d, err
	}
	if d.centres, d.rows, err = p.centres(xd); err != nil {
		return d, err
	}
	d.x = xd
	d.sit()
	return d, nil
}

// designRows checks a design matrix, which has so many targets.
func designRows(phi mat.Matrix, targets int) (*mat.Dense, error) {
	pd, err := check.Dense("phi", phi)
	if err != nil {
		return nil, err
	}
	if n, _ := pd.Dims(); targets != n {
		return nil, fault.Shape("y has", targets, "entries", "phi has %d rows", n)
	}
	return pd, nil
}

// onMatrix is the basis that is the distinct rows of a design matrix.
func onMatrix(rows *distinct.Rows) (d design) {
	d.n, d.m = rows.X.Dims()
	d.width, d.raw, d.x = d.m, matrixColumns(rows.X), rows.X
	return d
}

// centres returns the rows that basis functions sit on, and which training rows they are.
func (p basisPlace) centres(x *mat.Dense) (*mat.Dense, []int, error) {
	n, d := x.Dims()
	if p.landmarks != nil {
		l, err := check.Dense("Landmarks", p.landmarks)
		if err != nil {
			return nil, nil, err
		}
		if _, c := l.Dims(); c != d {
			return nil, nil, fault.Shape("Landmarks has", c, "columns", "x has %d", d)
		}
		return l, nil, nil
	}
	if p.components == 0 || p.components >= n {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		return x, rows, nil
	}
	rows := rand.New(rand.NewPCG(p.seed, 0x62617369_73)).Perm(n)[:p.components] // the stream "basis"
	slices.Sort(rows)
	return linalg.Rows(x, rows), rows, nil
}

// sit makes the columns of the kernels on the centres.
func (d *design) sit() {
	d.m, _ = d.centres.Dims()
	d.m *= len(d.kernels)
	d.raw = d.kernels.columns(d.centres, d.x)
}

// matrixColumns gives the columns of a matrix, and ones after the last.
func matrixColumns(phi *mat.Dense) columns {
	_, m := phi.Dims()
	return func(_ context.Context, dst *mat.Dense, first int) error {
		width, _ := dst.Dims()
		for i := range width {
			row := dst.RawRowView(i)
			if first+i < m {
				mat.Col(row, first+i, phi)
			} else {
				fill(row, 1)
			}
		}
		return nil
	}
}

func fill(v []float64, with float64) {
	for i := range v {
		v[i] = with
	}
}

// support is the part of a basis that a fit has kept: the relevance vectors.
type support struct {
	kernels dictionary   // nil after FitDesign
	ends    []int        // the end of each kernel's columns
	vectors *mat.Dense   // nil after FitDesign, and without any
	parts   []*mat.Dense // those of each of several kernels
	rows    []int        // the training rows that the vectors are, or of several kernels the landmarks; nil for landmarks of one
	columns []int        // of the basis, which the vectors are, ascending
	width   int          // of the rows, or of the design matrix
	seen    vectorFactor
}

// support keeps some columns.
func (d design) support(columns []int) *support {
	s := &support{kernels: d.kernels, columns: columns, width: d.width}
	if d.centres == nil {
		return s
	}
	m := d.m / len(d.kernels)
	at, ends := make([]int, len(columns)), make([]int, len(d.kernels))
	for i, j := range columns {
		at[i] = j % m
		for k := j / m; k < len(ends); k++ {
			ends[k]++
		}
	}
	if len(columns) > 0 {
		s.vectors = linalg.Rows(d.centres, at)
	}
	for _, i := range at {
		switch {
		case d.rows != nil:
			row := d.rows[i]
			if d.first != nil {
				row = d.first[row]
			}
			s.rows = append(s.rows, row)
		case len(d.kernels) > 1:
			s.rows = append(s.rows, i)
		}
	}
	s.divide(ends)
	return s
}

// features returns the kept columns at the rows of x, r×k, and after them so many of ones;
// nil where that is none.
func (s *support) features(x *mat.Dense, ones, workers int) (*mat.Dense, error) {
	n, _ := x.Dims()
	k := len(s.columns)
	if k+ones == 0 {
		return nil, nil
	}
	if s.vectors != nil && ones == 0 && len(s.kernels) == 1 {
		return kernels.Cross(context.Background(), s.kernels[0], x, s.vectors, &kernels.Options{Workers: workers})
	}
	out := mat.NewDense(n, k+ones, nil)
	if s.vectors != nil {
		if err := s.values(out, x, workers); err != nil {
			return nil, err
		}
	}
	for i := range n {
		row := out.RawRowView(i)
		if s.vectors == nil {
			for a, j := range s.columns {
				row[a] = x.At(i, j)
			}
		}
		fill(row[k:], 1)
	}
	return out, nil
}

// input checks rows for a prediction of a type by the name; matrix tells whether they are
// those of a design matrix.
func (s *support) input(typ, name string, x mat.Matrix, matrix bool) (*mat.Dense, error) {
	switch {
	case s == nil:
		return nil, fault.NotFitted(typ)
	case matrix && s.kernels != nil:
		return nil, fmt.Errorf("%s: fitted on rows, use the methods that do not end in Design: %w", typ, fault.ErrNotFitted)
	case !matrix && s.kernels == nil:
		return nil, fmt.Errorf("%s: fitted on a design matrix, use the methods that end in Design: %w", typ, fault.ErrNotFitted)
	}
	return check.Wide(name, x, s.width)
}

// rowWidth is the number of columns of a row; 0 where there is no kernel.
func (s *support) rowWidth() int {
	if s == nil || s.kernels == nil {
		return 0
	}
	return s.width
}

// index is the training row, landmark or column of a vector.
func (s *support) index(vector int) int {
	if s.rows != nil {
		return s.rows[vector]
	}
	return s.columns[vector]
}

func (s *support) relevant() []int {
	if s == nil {
		return nil
	}
	out := make([]int, len(s.columns))
	for i := range out {
		out[i] = s.index(i)
	}
	return out
}

func (s *support) copiedVectors() *mat.Dense {
	if s == nil || s.vectors == nil {
		return nil
	}
	return mat.DenseCopyOf(s.vectors)
}

func (s *support) chosenKernel() kernels.Kernel {
	if s == nil || s.kernels == nil {
		return nil
	}
	return s.kernels.whole()
}
