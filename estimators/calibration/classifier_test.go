package calibration

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// clouds returns overlapping normal clouds, one for each class.
func clouds(n, k int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range y {
		y[i] = 10 * (i % k)
		angle := 2 * math.Pi * float64(i%k) / float64(k)
		x.SetRow(i, []float64{math.Cos(angle) + rng.NormFloat64(), math.Sin(angle) + rng.NormFloat64()})
	}
	return x, y
}

// Probabilities that are far too extreme or far too moderate are calibrated to about the log loss of a correct estimator. This
// holds for every method, with two and with three classes.
func TestProbabilitiesComeTrue(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := clouds(1500, k, 1)
		test, truth := clouds(3000, k, 2)
		loss := func(c estimators.Classifier) float64 {
			require.NoError(t, c.Fit(t.Context(), x, y))
			p, err := c.(estimators.ProbaPredictor).PredictProba(test)
			require.NoError(t, err)
			out, err := metrics.LogLoss(truth, c.Classes(), p, nil)
			require.NoError(t, err)
			return out
		}
		right := loss(&toy.Centroid{})
		for _, sharpness := range []float64{.1, 12} {
			raw := loss(&toy.Centroid{Sharpness: sharpness})
			assert.Greater(t, raw, 1.2*right)
			for m := Automatic; m <= Isotonic; m++ {
				c := &Classifier{Estimator: &toy.Centroid{Sharpness: sharpness}, Method: m}
				assert.Less(t, loss(c), 1.1*right, "%d classes, sharpness %g, %v", k, sharpness, m)
				if m == Temperature {
					assert.InDelta(t, 1, c.Slope()*sharpness, .15)
				}
			}
		}
	}
}

// If a machine is already calibrated, because its own link uses leave-one-out scores, every method leaves its probabilities nearly
// unchanged.
func TestClosedFormKeepsWhatIsRight(t *testing.T) {
	x, y := clouds(600, 3, 7)
	test, truth := clouds(3000, 3, 8)
	loss := func(c estimators.Classifier) float64 {
		require.NoError(t, c.Fit(t.Context(), x, y))
		p, err := c.(estimators.ProbaPredictor).PredictProba(test)
		require.NoError(t, err)
		out, err := metrics.LogLoss(truth, c.Classes(), p, nil)
		require.NoError(t, err)
		return out
	}
	raw := loss(&lssvm.Classifier{})
	for m := Automatic; m <= Isotonic; m++ {
		assert.Less(t, loss(&Classifier{Method: m}), 1.1*raw, "%v", m)
	}
}

// The closed-form scores equal those of cross-validation with each row as a fold.
func TestLeftOutIsRefitted(t *testing.T) {
	x, y := clouds(60, 3, 3)
	e := &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .5}, Ridge: .3}
	for m := Platt; m <= Isotonic; m++ { // Temperature uses decisions in closed form, but probabilities with folds
		closed, folds := &Classifier{Estimator: e, Method: m}, &Classifier{Estimator: e, Method: m, Folds: 60}
		require.NoError(t, closed.Fit(t.Context(), x, y))
		require.NoError(t, folds.Fit(t.Context(), x, y))
		a, err := closed.PredictProba(x)
		require.NoError(t, err)
		b, err := folds.PredictProba(x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(a, b, 1e-6), "%v", m)
	}
}

func TestErrors(t *testing.T) {
	x, y := clouds(20, 2, 4)
	var param *estimators.ParamError
	for want, c := range map[string]*Classifier{"Method": {Method: 9}, "Folds": {Folds: 1}} {
		require.ErrorAs(t, c.Fit(t.Context(), x, y), &param)
		assert.Equal(t, want, param.Field)
	}
	assert.ErrorIs(t, (&Classifier{Folds: -2}).Fit(t.Context(), x, y), estimators.ErrParam)
	lonely := append([]int(nil), y...)
	lonely[3] = 77
	assert.ErrorIs(t, (&Classifier{Estimator: &toy.Centroid{}}).Fit(t.Context(), x, lonely), estimators.ErrShape)
	assert.ErrorIs(t, (&Classifier{Estimator: mute{&toy.Centroid{}}}).Fit(t.Context(), x, y), errors.ErrUnsupported)
	var nan Classifier
	assert.True(t, math.IsNaN(nan.Slope()))
	assert.Nil(t, nan.Classes())
	assert.Nil(t, nan.Chosen())
	assert.Equal(t, Automatic, nan.ChosenMethod())
	assert.Equal(t, "Method(-1)", Method(-1).String())
}

// mute is a classifier that predicts classes without scores.
type mute struct{ estimators.Classifier }

func (mute) Supports(estimators.Capability) bool { return false }

func TestGoldenFilesStayReadable(t *testing.T) {
	x, y := clouds(60, 3, 5)
	at, _ := clouds(9, 3, 6)
	for m := Temperature; m <= Isotonic; m++ {
		c := &Classifier{Method: m, Folds: 3}
		require.NoError(t, c.Fit(t.Context(), x, y))
		read := &Classifier{}
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Classifier-"+m.String()+"-v1.keln", c.MarshalBinary)))
		want, err := c.PredictProba(at)
		require.NoError(t, err)
		got, err := read.PredictProba(at)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(want, got, 1e-6))
		assert.Equal(t, m, read.ChosenMethod())
	}
}

// Files with contents that no Fit can produce are rejected.
func TestBadFiles(t *testing.T) {
	x, y := clouds(60, 3, 5)
	for m, ways := range map[Method]map[string]func(*stored){
		Platt: {
			"classes": func(s *stored) { s.Classes = s.Classes[:1] },
			"other":   func(s *stored) { s.Classes[2]++ },
			"method":  func(s *stored) { s.Method = 4 },
			"logs":    func(s *stored) { s.Logs = true },
			"slope":   func(s *stored) { s.Slope = -1 },
			"offsets": func(s *stored) { s.Offset = s.Offset[:2] },
			"finite":  func(s *stored) { s.Offset[1] = math.Inf(1) },
			"part":    func(s *stored) { s.Chosen.Data = s.Chosen.Data[:9] },
		},
		Isotonic: {
			"none":     func(s *stored) { s.Steps = s.Steps[:2] },
			"falls":    func(s *stored) { s.Steps[1].P[1] = s.Steps[1].P[0] / 2 },
			"scores":   func(s *stored) { s.Steps[1].X[1] = s.Steps[1].X[0] },
			"certain":  func(s *stored) { s.Steps[0].P[0] = 0 },
			"lengths":  func(s *stored) { s.Steps[0].P = s.Steps[0].P[1:] },
			"infinite": func(s *stored) { s.Steps[0].X[0] = math.Inf(-1) },
		},
	} {
		c := &Classifier{Method: m, Folds: 3}
		require.NoError(t, c.Fit(t.Context(), x, y))
		data, err := c.MarshalBinary()
		require.NoError(t, err)
		for name, spoil := range ways {
			var s stored
			_, err := codec.Unmarshal(data, classifierKind, version, &s)
			require.NoError(t, err)
			spoil(&s)
			bad, err := codec.Marshal(classifierKind, version, s)
			require.NoError(t, err)
			assert.ErrorIs(t, c.UnmarshalBinary(bad), estimators.ErrBadModel, "%v, %s", m, name)
		}
	}
}
