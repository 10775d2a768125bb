package rvm

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

type refCase struct {
	Kernel string
	Param  float64
	Bias   string
	X      [][]float64
	Y      []float64
	Fixed  struct {
		Active   []int
		Alpha    []float64
		Beta     float64
		Evidence float64   `json:"log_evidence"`
		Weights  []float64 `json:"weights"`
		CovDiag  []float64 `json:"cov_diag"`
	} `json:"fixed_point"`
	Optimum struct {
		Relevance []int
		Alpha     []float64
		Beta      float64
		Weights   []float64
		Intercept float64
		Evidence  float64 `json:"log_evidence"`
	}
	Predict struct {
		X    [][]float64
		Mean []float64
		Var  []float64 `json:"var_with_noise"`
	}
}

func TestScratch(t *testing.T) {
	for _, name := range []string{"reg_sinc60_free.json", "reg_sinc60_none.json", "reg_3d80_free.json"} {
		var c refCase
		golden.Load(t, name, &c)
		x := golden.Dense(c.X)
		n := len(c.Y)
		k := kernels.RBF{Gamma: c.Param}
		raw := func(ctx context.Context, dst *mat.Dense, first int) error {
			w, _ := dst.Dims()
			_, d := x.Dims()
			kk, err := kernels.Cross(ctx, k, x.Slice(first, first+w, 0, d), x, nil)
			if err == nil {
				dst.Copy(kk)
			}
			return err
		}
		free := c.Bias == "free"
		b, err := newBasis(ctx, raw, n, n, free, 1<<30, 1)
		require.NoError(t, err)
		p := newProblem(b, c.Y, free, 0, 1)
		st := newState(p, c.Fixed.Beta)
		for i, j := range c.Fixed.Active {
			m, err := p.member(ctx, j)
			require.NoError(t, err)
			st.active, st.members, st.alpha = append(st.active, j), append(st.members, m), append(st.alpha, c.Fixed.Alpha[i]*0+c.Fixed.Alpha[i]/(b.norms[j]*b.norms[j]))
		}
		require.NoError(t, st.recompute(ctx))
		lev := st.lev
		for _, j := range st.active {
			_ = j
		}
		t.Log(name, lev, c.Fixed.Evidence)
		for i, j := range st.active {
			assert.InDelta(t, c.Fixed.Weights[i], st.mu[i]/b.norms[j], 1e-9)
		}
		start := time.Now()
		full, err := startFull(ctx, p)
		require.NoError(t, err)
		ok, err := full.climb(ctx, 0, nil)
		t.Log("full", full.lev, "of", c.Optimum.Evidence, len(full.active), ok, err, full.actions, time.Since(start))
		for _, c0 := range []float64{1, 10, 100} {
			start := time.Now()
			e := startEmpty(p, c0)
			ok, err := e.climb(ctx, noiseHold, nil)
			t.Log("empty", c0, e.lev, len(e.active), ok, err, e.actions, time.Since(start))
		}
	}
}
