package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/moments"
	"github.com/kernelearn/kernelearn/streaming"
)

const (
	targetSumsType = "measures: TargetSums"
	targetSumsKind = "measures.TargetSums"
	classSumsType  = "measures: ClassSums"
	classSumsKind  = "measures.ClassSums"
	sumsVersion    = 1
)

// TargetSums holds statistics of the rows of a feature map with real targets that suffice for the measures of K = ΦΦ'. They consist
// of means, and of products of the deviations from the means, r²/2 numbers for r features. The sums of parts of the rows can be
// merged in any order. The zero value holds no rows. Rows with weights are an ErrParam error.
type TargetSums struct{ sums moments.Gram }

var _ streaming.Statistics[float64] = (*TargetSums)(nil)

// Rows returns the number of rows.
func (s *TargetSums) Rows() int { return s.sums.N }

// Clone returns a copy that shares no memory.
func (s *TargetSums) Clone() streaming.Statistics[float64] { return &TargetSums{*s.sums.Clone()} }

// AddBlock adds rows of features with their targets. It costs O(nr²).
func (s *TargetSums) AddBlock(ctx context.Context, b streaming.Block[float64]) (err error) {
	defer check.Begin(&ctx)(&err)
	phi, err := check.Targeted(b.X, b.Y)
	if err != nil {
		return err
	}
	if b.Weights != nil {
		return unweighted(targetSumsType)
	}
	n, r := phi.Dims()
	if s.sums.N > 0 && r+1 != len(s.sums.Mean) {
		return fault.Shape("x has", r, "columns", "the statistics have %d", len(s.sums.Mean)-1)
	}
	joint := mat.NewDense(n, r+1, nil)
	joint.Slice(0, n, 0, r).(*mat.Dense).Copy(phi)
	joint.SetCol(r, b.Y)
	block, err := moments.NewGram(ctx, joint, nil)
	if err != nil {
		return err
	}
	return take(targetSumsType, &s.sums, block)
}

func unweighted(typ string) error {
	return fault.Param(typ, "weights", "given", "none: measures do not use weights")
}

// take merges o into s. It returns an error if o has overflowed.
func take(typ string, s, o *moments.Gram) error {
	if !o.Finite() {
		return fmt.Errorf("%s: the features are too large, their squares overflow: %w", typ, fault.ErrNotFinite)
	}
	s.Merge(o)
	return nil
}

// Merge adds the rows of other TargetSums.
func (s *TargetSums) Merge(other streaming.Statistics[float64]) error {
	o, ok := other.(*TargetSums)
	switch {
	case !ok || o == nil:
		return fault.Param(targetSumsType, "statistics", fmt.Sprintf("%T", other), "*measures.TargetSums")
	case s.sums.N > 0 && o.sums.N > 0 && len(o.sums.Mean) != len(s.sums.Mean):
		return fault.Shape("the other statistics have", len(o.sums.Mean)-1, "columns", "these have %d", len(s.sums.Mean)-1)
	}
	return take(targetSumsType, &s.sums, o.sums.Clone())
}

// MarshalBinary implements encoding.BinaryMarshaler.
func (s *TargetSums) MarshalBinary() ([]byte, error) {
	return codec.Marshal(targetSumsKind, sumsVersion, s.sums.Store())
}

// UnmarshalBinary implements encoding.BinaryUnmarshaler. Its errors are ErrBadModel and leave s unchanged.
func (s *TargetSums) UnmarshalBinary(data []byte) error {
	var in moments.Stored
	if _, err := codec.Unmarshal(data, targetSumsKind, sumsVersion, &in); err != nil {
		return err
	}
	sums, err := in.Gram()
	if err == nil && len(sums.Mean) == 1 {
		err = fmt.Errorf("no features beside the targets")
	}
	if err != nil {
		return fault.BadModel(targetSumsKind, "%v", err)
	}
	s.sums = *sums
	return nil
}

// checkRows returns an error if n is 0.
func checkRows(typ string, n int) error {
	if n == 0 {
		return fmt.Errorf("%s: %w", typ, fault.Shape("the statistics have", 0, "rows", "want at least 1"))
	}
	return nil
}

// Alignment returns the result of AlignmentOfFeatures for all rows. It costs O(r²). Without rows it returns an ErrShape error.
func (s *TargetSums) Alignment() (Alignment, error) {
	if err := checkRows(targetSumsType, s.Rows()); err != nil {
		return Alignment{}, err
	}
	r := len(s.sums.Mean) - 1
	k := newFeatureSums(&s.sums, r)
	scale := powerOfTwo([]float64{math.Sqrt(s.sums.S.At(r, r) / k.n), s.sums.Mean[r]})
	along := make([]float64, r)
	for j := range along {
		along[j] = s.sums.S.At(j, r) * k.scale * scale
	}
	return alignOf(k.n, s.sums.S.At(r, r)*scale*scale, s.sums.Mean[r]*scale, k.forms(along), k.size), nil
}

// Entropy returns the result of EntropyOfFeatures for all rows, also if there are more features than rows. It costs O(r³). It
// returns ErrShape for no rows, ErrNotFinite for products that overflow, or ctx's error.
func (s *TargetSums) Entropy(ctx context.Context) (_ VonNeumann, err error) {
	defer check.Begin(&ctx)(&err)
	return entropyOf(ctx, targetSumsType, &s.sums, max(0, len(s.sums.Mean)-1))
}

// entropyOf returns the entropy of the first r columns.
func entropyOf(ctx context.Context, typ string, g *moments.Gram, r int) (VonNeumann, error) {
	if err := checkRows(typ, g.N); err != nil {
		return VonNeumann{}, err
	}
	gram := mat.NewSymDense(r, nil)
	gram.CopySym(g.About0().SliceSym(0, r).(*mat.SymDense))
	if v := mat.Trace(gram); v-v != 0 {
		return VonNeumann{}, fmt.Errorf("%s: the features are too large, their squares overflow: %w", typ, fault.ErrNotFinite)
	}
	w, err := linalg.Eigenvalues(ctx, gram)
	if err != nil {
		return VonNeumann{}, err
	}
	return ofBits(EntropyOfEigenvalues(w).Bits, g.N), nil
}

// featureSums holds the sums of r features from which the norms and the forms of s²K are computed, where s is a power of two.
type featureSums struct {
	n      float64
	scale  float64
	mean   []float64 // sμ
	square float64   // mean of |sφ[i]|²
	size   norms
}

func newFeatureSums(g *moments.Gram, r int) featureSums {
	k := featureSums{n: float64(g.N), mean: make([]float64, r)}
	floats.AddTo(k.mean, g.Mean[:r], g.Low[:r])
	spread := make([]float64, r)
	for j := range spread {
		spread[j] = math.Sqrt(g.S.At(j, j) / k.n)
	}
	k.scale = powerOfTwo(k.mean, spread)
	floats.Scale(k.scale, k.mean)
	centred, through := 0.0, 0.0
	for i := range r {
		k.square += g.S.At(i, i) * k.scale * k.scale / k.n
		for j := range r {
			v := g.S.At(i, j) * k.scale * k.scale
			centred += v * v
			through += k.mean[i] * v * k.mean[j]
		}
	}
	own := k.n * floats.Dot(k.mean, k.mean)
	k.square += own / k.n
	k.size = makeNorms(centred+2*k.n*through+own*own, centred, noise*noise)
	return k
}

// forms returns the forms of s²K with a z of mean 0, given along = sΦ'z.
func (k featureSums) forms(along []float64) forms {
	return forms{floats.Dot(along, along), k.n * floats.Dot(along, k.mean), k.n * k.n * floats.Dot(k.mean, k.mean)}
}

// MarshalText implements encoding.TextMarshaler, so that JSON holds the bytes as a base64 string.
func (s *TargetSums) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *TargetSums) UnmarshalText(text []byte) error { return codec.FromText(targetSumsKind, s, text) }
