package eem

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/internal/codec"
)

// Statistics holds the moments of the rows of a class about their mean. A fit needs only these moments of a class. With y = x - m
// and rows of weight w, which is 1 without FitWeighted,
//
//	n = Σ w,  m,  C2 = Σ w yy',  C3 = Σ w |y|² y,  C4 = Σ w |y|⁴
//
// They determine the covariance and its shrinkage. They can be merged and subtracted, so rows may come in blocks and from several
// computers, and may be removed again. All moments are about the mean, because raw moments would lose every digit if the rows had a
// large common offset. The zero value holds no rows.
type Statistics struct{ m moments.Moments }

// moments returns the moments of s, or nil if s is nil.
func (s *Statistics) moments() *moments.Moments {
	if s == nil {
		return nil
	}
	return &s.m
}

// N returns the number of rows, or the sum of their weights.
func (s *Statistics) N() float64 { return s.m.Weight }

// Dim returns the number of columns. It returns 0 before the first row.
func (s *Statistics) Dim() int { return len(s.m.Means) }

// Mean returns m, or nil if there are no rows.
func (s *Statistics) Mean() []float64 { return slices.Clone(s.m.Means) }

// Clone returns an independent copy.
func (s *Statistics) Clone() *Statistics { return &Statistics{*s.m.Clone()} }

// Add adds the rows of x (k×h). It costs a symmetric product of rank k, O(kh²), and O(h²) for the merge. It returns ErrShape if the
// width differs from that of earlier rows, or ErrNotFinite.
func (s *Statistics) Add(x mat.Matrix) error { return s.m.Add(x) }

// Merge adds the moments of o, which it does not change. Any order and grouping of merges gives the same result up to rounding.
// Merge costs O(h²). It returns ErrShape if the widths differ.
func (s *Statistics) Merge(o *Statistics) error { return s.m.Merge(o.moments()) }

// Unmerge removes the rows of o, which must have been added before. It can only check their number. It costs O(h²). It returns
// ErrShape if the widths differ, or if o has more rows than s.
func (s *Statistics) Unmerge(o *Statistics) error { return s.m.Unmerge(o.moments()) }

// Covariance returns C2/n, or nil if there are no rows.
func (s *Statistics) Covariance() *mat.SymDense { return s.m.Covariance() }

// LedoitWolf returns the covariance shrunk towards a multiple of the identity,
//
//	(1-ρ) C2/n + ρ μ I,    μ the mean of the diagonal of C2/n,
//
// and the ρ that minimises the expected squared error (Ledoit and Wolf, Journal of Multivariate Analysis 88, 2004), as in
// scikit-learn. With up to two rows ρ is 0. If there are no rows, the covariance is nil. The cost is O(h²).
func (s *Statistics) LedoitWolf() (cov *mat.SymDense, rho float64) { return s.m.LedoitWolf() }

// MarshalBinary implements encoding.BinaryMarshaler, so that statistics can be sent to other computers.
func (s *Statistics) MarshalBinary() ([]byte, error) { return s.m.MarshalBinary() }

// UnmarshalBinary implements encoding.BinaryUnmarshaler. If the data are invalid, it returns ErrBadModel, and s is unchanged.
func (s *Statistics) UnmarshalBinary(data []byte) error { return s.m.UnmarshalBinary(data) }

// MarshalText implements encoding.TextMarshaler. In JSON the bytes are a base64 string.
func (s *Statistics) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Statistics) UnmarshalText(text []byte) error { return codec.FromText(moments.Kind, s, text) }
