package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/measurements/internal/peer"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// measured returns a saved measurement, or computes and saves it.
func (p program) measured(k key, take func() (value, error)) (value, error) {
	if v, ok := p.cells.At[k]; ok {
		return v, nil
	}
	p.say(k)
	v, err := take()
	if err != nil {
		return v, fmt.Errorf("%v: %w", k, err)
	}
	return v, p.cells.Add(k, v)
}

// growth prints a line for each number of landmarks and rows, and the exponents.
func (p program) growth(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "%9s %9s %8s %10s %10s %8s %10s\n", "landmarks", "rows", "seconds", "processor", "MB beside", "NMSE", "iterations")
	for _, m := range p.landmarks {
		var logs [4][]float64 // logarithms of rows, seconds, memory and error
		for _, n := range p.rows {
			if m > n {
				continue
			}
			mean := value{}
			for _, seed := range p.seeds() {
				v, err := p.measured(key{"growth", "friedman1", "falkon", n, m, seed},
					func() (value, error) { return p.grown(ctx, n, m, seed) })
				if err != nil {
					return err
				}
				to := mean.fields()
				for i, field := range v.fields() {
					*to[i] += *field / float64(p.draws)
				}
			}
			fmt.Fprintf(out, "%9d %9d %8.1f %10.1f %10.0f %8.5f %10.0f\n", m, n, mean.seconds, mean.processor, mean.megabytes, mean.error,
				mean.iterations)
			for i, v := range []float64{float64(n), mean.seconds, mean.megabytes, mean.error} {
				logs[i] = append(logs[i], math.Log(v))
			}
		}
		if len(logs[0]) > 1 {
			var slopes [3]float64
			for i := range slopes {
				_, slopes[i] = stat.LinearRegression(logs[0], logs[i+1], nil, false)
			}
			fmt.Fprintf(out, "%9d exponents in the rows: seconds %.2f, memory %.2f, NMSE %.2f\n", m, slopes[0], slopes[1], slopes[2])
		}
	}
	return nil
}

// grown measures falkon with m landmarks on n rows.
func (p program) grown(ctx context.Context, n, m int, seed uint64) (value, error) {
	train, test := friedman(n, drawnColumns, seed)
	return landmarked(ctx, &falkon.Regressor{Components: m, Seed: seed}, train, test)
}

// landmarked fits r and predicts the test rows.
func landmarked(ctx context.Context, r *falkon.Regressor, train, test part) (value, error) {
	v, err := took(func() error { return r.Fit(ctx, train.x, train.y) })
	if err != nil {
		return v, err
	}
	v.landmarks, v.iterations = float64(r.Details().Landmarks), float64(r.Report().Iterations)
	got, err := r.Predict(test.x)
	if err != nil {
		return v, err
	}
	v.error, err = metrics.NMSE(test.y, got, nil)
	return v, err
}

// The number of columns, the kernel's γ and the ridge per row in the comparison with Nystroem.
const nystroemColumns, nystroemGamma, nystroemRidge = 20, .6, 1e-6

// nystroem prints a line for each number of rows and landmarks. A line contains the smallest seconds of all turns and the mean
// errors. The errors vary with the landmarks that each turn draws.
func (p program) nystroem(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "%9s %9s %12s %12s %6s %10s %10s %6s\n", "rows", "landmarks", "seconds", "scikit-learn", "ratio", "NMSE", "its NMSE",
		"ratio")
	for _, n := range p.rows {
		for _, m := range p.landmarks {
			own, theirs := value{seconds: math.Inf(1)}, value{seconds: math.Inf(1)} // errors become means
			for _, seed := range p.seeds() {
				a, b, err := p.comparePeer(ctx, n, m, seed)
				if err != nil {
					return err
				}
				own.seconds, theirs.seconds = min(own.seconds, a.seconds), min(theirs.seconds, b.seconds)
				own.error += a.error / float64(p.draws)
				theirs.error += b.error / float64(p.draws)
			}
			fmt.Fprintf(out, "%9d %9d %12.1f %12.1f %6.2f %10.5f %10.5f %6.3f\n", n, m, own.seconds, theirs.seconds,
				own.seconds/theirs.seconds,
				own.error, theirs.error, own.error/theirs.error)
		}
	}
	return nil
}

// comparePeer measures the peer and falkon in one turn. Both use the landmarks that the peer draws.
func (p program) comparePeer(ctx context.Context, n, m int, seed uint64) (own, theirs value, err error) {
	k := key{"nystroem", "friedman1", "falkon", n, m, seed}
	theirKey := k
	theirKey.learner = "sklearn"
	_, here := p.cells.At[k]
	_, there := p.cells.At[theirKey]
	if here && there {
		return p.cells.At[k], p.cells.At[theirKey], nil
	}
	dir, err := os.MkdirTemp("", "landmarks")
	if err != nil {
		return own, theirs, err
	}
	defer os.RemoveAll(dir)
	train, test := friedman(n, nystroemColumns, p.seed)
	if err := put(peer.Folder(dir), train, test); err != nil {
		return own, theirs, err
	}
	ridge := nystroemRidge * float64(n)
	delete(p.cells.At, theirKey) // a turn always measures both
	delete(p.cells.At, k)
	theirs, err = p.measured(theirKey, func() (value, error) {
		return p.peer(ctx, peer.Folder(dir), test, "nystroem", strconv.FormatUint(seed, 10), strconv.Itoa(m),
			strconv.FormatFloat(nystroemGamma, 'g', -1, 64), strconv.FormatFloat(ridge, 'g', -1, 64))
	})
	if err != nil {
		return own, theirs, err
	}
	landmarks, err := peer.Folder(dir).Read("landmarks")
	if err != nil {
		return own, theirs, err
	}
	own, err = p.measured(k, func() (value, error) {
		return landmarked(ctx, &falkon.Regressor{Kernel: kernels.RBF{Gamma: nystroemGamma}, Landmarks: landmarks, Ridge: ridge}, train,
			test)
	})
	return own, theirs, err
}
