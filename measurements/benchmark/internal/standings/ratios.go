package standings

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
)

const (
	NoisyError    = 0.01 // a set is noisy if no method has a smaller error
	clearlyRatio  = 1.1
	clearlyErrors = 2.0 // standard errors of the difference
)

// Ratios holds the errors of methods divided by those of a reference.
type Ratios struct {
	Reference string  `json:"reference"`
	Methods   []Ratio `json:"methods"` // in ascending order of the geometric mean, without the reference
}

// Ratio compares a method with the reference on the sets where both are complete.
type Ratio struct {
	Method string   `json:"method"`
	Source string   `json:"source"`
	Sets   int      `json:"sets"`
	Mean   *float64 `json:"geometric_mean"`
	// Low and High are the ends of a 95% bootstrap interval of Mean over the sets. They are nil with a single set.
	Low     *float64 `json:"low"`
	High    *float64 `json:"high"`
	Noisy   int      `json:"noisy_sets"`
	OfNoisy *float64 `json:"geometric_mean_of_noisy"`
	Worse   int      `json:"worse"`
	// ClearlyWorse and ClearlyBetter hold the names of sets.
	ClearlyWorse  []string `json:"clearly_worse,omitempty"`
	ClearlyBetter []string `json:"clearly_better,omitempty"`
}

// ratios compares all methods with selection, or with the first method of ours if there is no selection. It returns nil if there is
// none, or if there is no other method.
func (r Results) ratios() *Ratios {
	at := slices.IndexFunc(r.methods, func(m string) bool { return methods.SourceOf(m) == methods.OursSource })
	if zero := slices.Index(r.methods, ZeroMethod); zero >= 0 {
		at = zero
	}
	if at < 0 || len(r.methods) < 2 {
		return nil
	}
	out := &Ratios{Reference: r.methods[at]}
	for _, m := range r.methods {
		if m == out.Reference {
			continue
		}
		if one := r.ratio(m, out.Reference); one.Sets > 0 {
			out.Methods = append(out.Methods, one)
		}
	}
	slices.SortStableFunc(out.Methods, func(a, b Ratio) int { return cmp.Compare(*a.Mean, *b.Mean) })
	return out
}

func (r Results) ratio(method, reference string) Ratio {
	out := Ratio{Method: method, Source: methods.SourceOf(method)}
	var all []float64
	noisy := 0.0
	for _, d := range r.Sets {
		own, of := r.Error(d.Set, method), r.Error(d.Set, reference)
		if !(own > 0 && of > 0) { // a method is not complete, or its error is 0, which has no logarithm
			continue
		}
		log := math.Log(own / of)
		out.Sets++
		all = append(all, log)
		if least, _ := r.front(d).leastError(); least > NoisyError {
			out.Noisy++
			noisy += log
		}
		if own > of {
			out.Worse++
		}
		c, ok := r.compare(d, method, reference)
		if !ok || c.StandardError == 0 || math.Abs(log) <= math.Log(clearlyRatio) || math.Abs(c.Mean) <= clearlyErrors*c.StandardError {
			continue
		}
		if own > of {
			out.ClearlyWorse = append(out.ClearlyWorse, d.Set)
		} else {
			out.ClearlyBetter = append(out.ClearlyBetter, d.Set)
		}
	}
	out.Mean, out.OfNoisy = geometric(floats.Sum(all), out.Sets), geometric(noisy, out.Noisy)
	if len(all) > 1 {
		low, high := bootstrap(all, mean)
		low, high = math.Exp(low), math.Exp(high)
		out.Low, out.High = &low, &high
	}
	return out
}

// BootstrapSamples is the number of samples of the sets.
const BootstrapSamples = 10_000

// bootstrap returns the ends of a 95% percentile interval of a statistic of values, one for each set (Efron and Tibshirani 1993,
// chapter 13). Each sample draws as many sets as there are, with replacement. The draws are the same in every report.
func bootstrap(values []float64, statistic func([]float64) float64) (low, high float64) {
	rng := rand.New(rand.NewPCG(1, BootstrapSamples))
	results, sample := make([]float64, BootstrapSamples), make([]float64, len(values))
	for i := range results {
		for j := range sample {
			sample[j] = values[rng.IntN(len(values))]
		}
		results[i] = statistic(sample)
	}
	slices.Sort(results)
	return stat.Quantile(.025, stat.LinInterp, results, nil), stat.Quantile(.975, stat.LinInterp, results, nil)
}

func mean(values []float64) float64 { return floats.Sum(values) / float64(len(values)) }

// geometric returns the geometric mean of n ratios from the sum of their logarithms.
func geometric(sum float64, n int) *float64 {
	if n == 0 {
		return nil
	}
	v := math.Exp(sum / float64(n))
	return &v
}
