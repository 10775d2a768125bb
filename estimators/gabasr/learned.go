package gabasr

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/sampler"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// learned holds the common part of Regressor and Classifier after Fit: the scaling of x and a machine for each target.
type learned struct {
	features.Scaling
	trend    features.Trend
	kind     features.Map
	workers  int
	machines []*sampler.Machine
	report   estimators.Report
}

// learn fits a machine to each task, for weighted rows x.
func learn(ctx context.Context, s sampler.Settings, x *mat.Dense, of features.Scaling, rows weights.Counts,
	tasks []sampler.Task) (learned, error) {
	l := learned{Scaling: of, kind: s.Map, workers: s.Workers}
	scaled := l.Apply(x)
	var err error
	if l.trend, err = features.NewTrend(ctx, s.Type, scaled, rows, s.Degree); err != nil {
		return l, err
	}
	if l.machines, err = s.Run(ctx, scaled, l.trend.Columns(scaled), rows, tasks); err == nil {
		l.report = l.summary(s)
	}
	return l, err
}

// frequencies returns w or v of the best draws of all machines, converted to frequencies of x.
func (l *learned) frequencies(local bool) *mat.Dense {
	if l == nil || local && l.kind == features.Stationary {
		return nil
	}
	var data []float64
	for _, m := range l.machines {
		from := m.Best().W
		if local {
			from = m.Best().V
		}
		row := make([]float64, l.Width)
		for i := range from.Rows {
			l.Frequency(row, from.Data[i*from.Cols:(i+1)*from.Cols])
			data = append(data, row...)
		}
	}
	return mat.NewDense(len(data)/l.Width, l.Width, data)
}

// mixture returns the components of all kept sweeps.
func (l *learned) mixture(local bool) (out []Component) {
	if l == nil || local && l.kind == features.Stationary {
		return nil
	}
	l.eachPart(local, func(p features.Part, weight float64) {
		d := len(p.Mu)
		c := Component{Weight: weight, Mean: make([]float64, l.Width), Covariance: mat.NewSymDense(l.Width, nil)}
		l.Frequency(c.Mean, p.Mu)
		columns := sampler.InverseRoot(p) // The covariance is the transpose of columns times columns.
		for a, i := range l.Columns {
			for b, j := range l.Columns[:a+1] {
				sum := 0.0
				for k := range d {
					sum += columns.At(k, a) * columns.At(k, b)
				}
				c.Covariance.SetSym(i, j, sum*l.Inverse[a]*l.Inverse[b])
			}
		}
		out = append(out, c)
	})
	return out
}

// eachPart calls f for each component of all kept sweeps, with its weight in the mixture.
func (l *learned) eachPart(local bool, f func(p features.Part, weight float64)) {
	for _, m := range l.machines {
		for _, d := range m.Draws {
			parts, total := d.Mixture, d.W.Rows
			if local {
				parts, total = d.Local, d.V.Rows
			}
			for _, p := range parts {
				f(p, float64(p.N)/float64(total*len(m.Draws)*len(l.machines)))
			}
		}
	}
}

// density returns ½[p(ω) + p(-ω)] for each row ω of at, where p is the density of the mixture.
func (l *learned) density(typ string, at mat.Matrix) ([]float64, error) {
	if l == nil {
		return nil, fault.NotFitted(typ)
	}
	in, err := check.Wide("at", at, l.Width)
	if err != nil {
		return nil, err
	}
	n, _ := in.Dims()
	d := len(l.Columns)
	logJacobian := -float64(d) / 2 * math.Log(2*math.Pi)
	for _, v := range l.Inverse {
		logJacobian -= math.Log(v)
	}
	out, w, negative := make([]float64, n), make([]float64, d), make([]float64, d)
	l.eachPart(false, func(p features.Part, weight float64) {
		log := sampler.LogDensity(p)
		for i := range n {
			for k, j := range l.Columns {
				w[k] = in.At(i, j) / l.Inverse[k]
				negative[k] = -w[k]
			}
			out[i] += weight / 2 * (math.Exp(log(w)+logJacobian) + math.Exp(log(negative)+logJacobian))
		}
	})
	return out, nil
}

// trace returns a copy of all traces.
func (l *learned) trace() (out []Sweep) {
	if l == nil {
		return nil
	}
	for _, m := range l.machines {
		for _, s := range m.Trace {
			out = append(out, Sweep(s))
		}
	}
	return out
}

// evidences returns the mean log evidence of the kept sweeps and the log evidence of the initial model, each summed over the
// machines.
func (l *learned) evidences() (kept, baseline float64) {
	if l == nil {
		return 0, 0
	}
	for _, m := range l.machines {
		for _, d := range m.Draws {
			kept += d.LogEv / float64(len(m.Draws))
		}
		baseline += m.Baseline
	}
	return kept, baseline
}

// rHat returns the largest of the machines' split R̂, or 0 before Fit.
func (l *learned) rHat() float64 {
	if l == nil {
		return 0
	}
	out := 0.0
	for _, m := range l.machines {
		out = math.Max(out, m.RHat) // NaN if any is NaN
	}
	return out
}

// fourierMap returns the map of the best draws.
func (l *learned) fourierMap() transformers.Transformer {
	if l == nil {
		return nil
	}
	// With Frequencies set, Fit uses only the width of the rows. Kernel has the factor 1.
	rows := mat.NewDense(1, l.Width, nil)
	var out transformers.Transformer
	if l.kind == features.Stationary {
		out = &featuremap.RandomFourier{Kernel: kernels.RBF{}, Frequencies: l.frequencies(false), Workers: l.workers}
	} else {
		out = &featuremap.LocallyStationaryFourier{
			Local: kernels.RBF{}, Stationary: kernels.RBF{}, Frequencies: l.frequencies(false), LocalFrequencies: l.frequencies(true),
			AllPairs: l.kind == features.AllPairs && len(l.machines) == 1, Origin: l.Origin(), Workers: l.workers,
		}
		if l.kind == features.AllPairs && len(l.machines) > 1 {
			// featuremap can combine all pairs only within one machine, so the pairs are listed.
			w, v := l.pairedRows()
			out.(*featuremap.LocallyStationaryFourier).Frequencies, out.(*featuremap.LocallyStationaryFourier).LocalFrequencies = w, v
		}
	}
	if err := out.Fit(context.Background(), rows); err != nil {
		panic(fmt.Sprintf("gabasr: a map of fitted frequencies: %v", err)) // the frequencies are finite and have the right width
	}
	return out
}

// pairedRows returns the pairs of the best draws of all machines as rows.
func (l *learned) pairedRows() (w, v *mat.Dense) {
	var ws, vs []float64
	row := make([]float64, l.Width)
	for _, m := range l.machines {
		d := m.Best()
		for k := range d.V.Rows {
			for n := range d.W.Rows {
				l.Frequency(row, d.W.Data[n*d.W.Cols:(n+1)*d.W.Cols])
				ws = append(ws, row...)
				l.Frequency(row, d.V.Data[k*d.V.Cols:(k+1)*d.V.Cols])
				vs = append(vs, row...)
			}
		}
	}
	return mat.NewDense(len(ws)/l.Width, l.Width, ws), mat.NewDense(len(vs)/l.Width, l.Width, vs)
}

// summary returns the Report.
func (l *learned) summary(s sampler.Settings) estimators.Report {
	kept, baseline := l.evidences()
	rHat := l.rHat()
	out := estimators.Report{Converged: rHat < sampler.MixedBelow, Objective: -kept}
	for _, m := range l.machines {
		out.Iterations += len(m.Trace) - s.Chains
		out.Jitter = max(out.Jitter, m.Jitter)
	}
	if s.Sweeps == 0 {
		out.Converged = true // without sweeps nothing needs to converge
		return out
	}
	if rHat >= sampler.MixedBelow {
		longest := 0
		for _, m := range l.machines {
			longest = max(longest, len(m.Trace)/s.Chains-1)
		}
		out.Warnings = append(out.Warnings, s.Unmixed(rHat, longest))
	}
	if s.Evidence == sampler.NormalEvidence && kept <= baseline {
		out.Warnings = append(out.Warnings,
			fmt.Sprintf("sampling did not improve the model: log evidence %.2f, with the initial random features %.2f",
				kept, baseline))
	}
	return out
}

// predictRows is the number of rows that are predicted at a time, to limit the memory of a prediction.
const predictRows = 1024

// input checks and returns the rows of a prediction.
func (l *learned) input(typ string, x mat.Matrix) (*mat.Dense, error) {
	if l == nil {
		return nil, fault.NotFitted(typ)
	}
	return check.Wide("x", x, l.Width)
}

// inChunks calls f with chunks of the scaled rows of x, and with the number of the first row of each chunk.
func (l *learned) inChunks(x *mat.Dense, f func(first int, x *mat.Dense) error) error {
	n, d := x.Dims()
	for first := 0; first < n; first += predictRows {
		part := x.Slice(first, min(first+predictRows, n), 0, d).(*mat.Dense)
		if err := f(first, l.Apply(part)); err != nil {
			return err
		}
	}
	return nil
}
