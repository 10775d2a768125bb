package measures

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

var ctx = context.Background()

type reference struct {
	Name  string
	N     int
	X     [][]float64
	Cases []struct {
		Kernel  string
		Param   float64
		Trace   float64
		VNE     float64
		VNEBits float64 `json:"vne_bits"`
		Fro     float64
	}
}

// unit returns a copy of x with rows of length 1, as in the polynomial cases of the files. Zero rows are not changed.
func unit(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	n, _ := x.Dims()
	for i := range n {
		r := out.RawRowView(i)
		s := 0.0
		for _, v := range r {
			s += v * v
		}
		for j := range r {
			if s > 0 {
				r[j] /= math.Sqrt(s)
			}
		}
	}
	return out
}

// kernelOf returns the kernel that the reference files call name, and x scaled as that kernel needs it.
func kernelOf(t *testing.T, name string, param float64, x *mat.Dense) (kernels.Kernel, *mat.Dense) {
	switch name {
	case "rbf":
		return kernels.RBF{Gamma: param}, x
	case "normpoly", "poly":
		return families.Polynomial{}.Kernel(param), unit(x)
	case "elm":
		return kernels.ELM{Sigma: param}, x
	}
	t.Fatalf("kernel %q", name)
	return nil, nil
}

func TestReferenceFiles(t *testing.T) {
	checked := map[string]int{}
	for _, f := range referenceFiles(t) {
		var ref reference
		golden.Load(t, f, &ref)
		x := golden.Dense(ref.X)
		for _, c := range ref.Cases {
			k, rows := kernelOf(t, c.Kernel, c.Param, x)
			checked[c.Kernel]++
			km, err := kernels.Matrix(ctx, k, rows, nil)
			require.NoError(t, err)
			s, err := Entropy(ctx, km)
			require.NoError(t, err)
			label := ref.Name + " " + k.String()
			// Golden values below 1e-14 stand for 0.
			assert.LessOrEqual(t, golden.MaxError([]float64{s.Entropy, s.Bits}, []float64{c.VNE, c.VNEBits}), 1e-9, label)
			assert.LessOrEqual(t, math.Abs(mat.Trace(km)-c.Trace)/c.Trace, 1e-9, label)
			assert.LessOrEqual(t, math.Abs(mat.Norm(km, 2)-c.Fro)/c.Fro, 1e-9, label)
			assert.InEpsilon(t, math.Exp2(s.Bits), s.EffectiveRank, 1e-12)

			top := EntropyCeiling(rows)
			assert.LessOrEqual(t, s.Entropy, top.Entropy+1e-10, label)
			if strings.HasPrefix(ref.Name, "dup_rows") {
				assert.InDelta(t, 0.537243573680, top.Entropy, 1e-12)
			}
		}
	}
	t.Log("cases checked:", checked)
	assert.GreaterOrEqual(t, checked["rbf"], 60)
	assert.GreaterOrEqual(t, checked["elm"], 30)
	assert.GreaterOrEqual(t, checked["normpoly"]+checked["poly"], 50)
}

func TestEntropyLimits(t *testing.T) {
	n := 16
	identity, ones := mat.NewSymDense(n, nil), mat.NewSymDense(n, nil)
	for i := range n {
		identity.SetSym(i, i, 3)
		for j := i; j < n; j++ {
			ones.SetSym(i, j, 7)
		}
	}
	s, err := Entropy(ctx, identity)
	require.NoError(t, err)
	assert.InDelta(t, 1, s.Entropy, 1e-14)
	assert.InDelta(t, 4, s.Bits, 1e-13)
	assert.InDelta(t, 16, s.EffectiveRank, 1e-11)
	s, err = Entropy(ctx, ones)
	require.NoError(t, err)
	assert.InDelta(t, 0, s.Entropy, 1e-12)
	s, err = Entropy(ctx, mat.NewSymDense(1, []float64{5}))
	require.NoError(t, err)
	assert.Equal(t, VonNeumann{EffectiveRank: 1}, s)
	// Negative eigenvalues count as 0.
	assert.Equal(t, EntropyOfEigenvalues([]float64{1, 1, 0, 0}), EntropyOfEigenvalues([]float64{1, 1, -5, 0}))
	assert.Equal(t, VonNeumann{EffectiveRank: 1}, EntropyOfEigenvalues([]float64{0, 0}))
}

func TestEntropyErrors(t *testing.T) {
	_, err := Entropy(ctx, nil)
	assert.ErrorIs(t, err, fault.ErrShape)
	k := mat.NewSymDense(2, []float64{1, math.NaN(), 0, 1})
	_, err = Entropy(ctx, k)
	assert.ErrorContains(t, err, "K[0,1] is NaN")
	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = Entropy(done, mat.NewSymDense(2, []float64{1, 0, 0, 1}))
	assert.ErrorIs(t, err, context.Canceled)
}

func TestCeiling(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, math.Copysign(0, -1), 2, 3})
	assert.InDelta(t, 1.5, EntropyCeiling(x).Bits, 1e-15, "the two zeros are equal")
	assert.Zero(t, EntropyCeiling(mat.NewDense(3, 2, nil)).Entropy)
	assert.Equal(t, 1.0, EntropyCeiling(mat.NewDense(4, 1, []float64{1, 2, 3, 4})).Entropy)
}

// endsAtCheck is a context that is cancelled at a given check and stays cancelled.
type endsAtCheck struct {
	context.Context
	left atomic.Int64
}

func (c *endsAtCheck) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// The measures stop at any check at which the context is cancelled.
func TestMeasuresHearTheirContext(t *testing.T) {
	const n = 200
	phi := mat.NewDense(n, 70, nil)
	phi.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i*j + i)) }, phi)
	k := mat.NewSymDense(n, nil)
	k.SymOuterK(1, phi)
	for name, measure := range map[string]func(ctx context.Context) error{
		"Entropy":           func(ctx context.Context) error { _, err := Entropy(ctx, k); return err },
		"Condition":         func(ctx context.Context) error { _, err := Condition(ctx, k); return err },
		"EntropyOfFeatures": func(ctx context.Context) error { _, err := EntropyOfFeatures(ctx, phi); return err },
	} {
		looks := int64(0)
		for ; ; looks++ {
			at := &endsAtCheck{Context: ctx}
			at.left.Store(looks)
			err := measure(at)
			if at.left.Load() >= 0 {
				require.NoError(t, err, name)
				break
			}
			require.ErrorIs(t, err, context.Canceled, "%s after %d looks", name, looks)
		}
		assert.Greater(t, looks, int64(60), name) // one check per row of the reduction
	}
}
