package entropy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Method selects how a [Search] computes entropies.
type Method int

// The methods.
const (
	// Automatic chooses the method by the number of rows.
	Automatic Method = iota
	// Exact computes all eigenvalues of the kernel matrix, with cost O(n³) and memory for an n×n matrix.
	Exact
	// LowRank computes rigorous bounds from a factorisation on random pivots, which grows until the bounds decide on which side of
	// every target the entropy lies. It costs O(nm²) for m pivots, and memory for mn numbers.
	LowRank
	// Subsample is [LowRank] on three samples of 5000 rows. As rows are added, the entropy in bits converges while the relative
	// entropy falls with log2 n, so the mean of the bits is divided by log2 of the number of all rows.
	Subsample
)

// String returns the method's name.
func (m Method) String() string {
	return enum.Name("Method", int(m), "Automatic", "Exact", "LowRank", "Subsample")
}

// The limits of the methods that Automatic chooses, and the sizes of samples.
const (
	exactRows     = 1000
	lowRankRows   = 20_000
	subsampleRows = 5000
	subsamples    = 3
	// scoreRows is the number of sampled rows for a closed form if pivots do not suffice for all rows.
	scoreRows = 1000
)

// settled returns m, or the method for n rows if m is Automatic.
func (m Method) settled(n int) Method {
	switch {
	case m != Automatic:
		return m
	case n <= exactRows:
		return Exact
	case n <= lowRankRows:
		return LowRank
	}
	return Subsample
}

// entropySource computes entropies of kernels on the training rows.
type entropySource interface {
	// rows returns the number of rows of an entropy.
	rows() int
	// measure stores the entropy of the kernel in row, and also its score if both are computed together.
	measure(ctx context.Context, k kernels.Kernel, row *search.TraceRow) error
}

// newSource returns the source of a search.
func newSource(e *Search, r *search.Run, form *closedform.Form) entropySource {
	n, _ := r.X.Dims()
	if e.samples(n) {
		drawn := e.draw(n, firstRows, subsamples)
		if form != nil {
			form = form.Subset(drawn)
		}
		return &exactSource{run: r, form: form, score: e.Score, x: linalg.Rows(r.X, drawn)}
	}
	switch e.Method.settled(n) {
	case Exact:
		return &exactSource{run: r, form: form, score: e.Score, x: r.X}
	case LowRank:
		return lowRankSource{search: e, x: r.X, workers: r.Workers}
	}
	out := subsampleSource{all: n}
	for i := range subsamples {
		part := linalg.Rows(r.X, e.draw(n, subsampleRows, uint64(i)))
		out.parts = append(out.parts, lowRankSource{search: e, x: part, workers: r.Workers})
	}
	return out
}

// draw returns count row indices below n in ascending order, or all if there are fewer. The argument which distinguishes samples.
func (e *Search) draw(n, count int, which uint64) []int {
	rows := rand.New(rand.NewPCG(e.Seed, 0x73756273616d<<8+which)).Perm(n)[:min(count, n)] // the random streams "subsam" 0, 1, ...
	slices.Sort(rows)
	return rows
}

// exactSource computes the eigenvalues of complete kernel matrices, and the closed-form score from the same reduction.
type exactSource struct {
	run    *search.Run
	form   *closedform.Form
	score  Score
	x      *mat.Dense
	shared *kernels.Shared // distances or inner products of all kernels; initially nil
}

func (s *exactSource) rows() int { n, _ := s.x.Dims(); return n }

func (s *exactSource) measure(ctx context.Context, kernel kernels.Kernel, row *search.TraceRow) error {
	if s.shared == nil {
		var err error
		if s.shared, err = kernels.Share(progress.Detach(ctx), s.x,
			&kernels.Options{Workers: s.run.Workers, MaxBytes: s.run.MaxKernelBytes}); err != nil {
			return err
		}
	}
	first, rest := progress.Two(ctx, 1, 8)
	k, err := s.shared.Matrix(first, kernel)
	if err != nil {
		return err
	}
	row.Matrices = 1
	entropy, curve, err := s.form.OfMatrix(rest, k, true)
	if err != nil {
		return err
	}
	row.SetEntropy(entropy)
	if s.form != nil {
		row.SetCurve(curve, s.score == LogEvidence, search.OnMatrix, 0)
	}
	return nil
}

// lowRankSource computes bounds of entropies from pivots.
type lowRankSource struct {
	search  *Search
	x       *mat.Dense
	workers int
}

func (s lowRankSource) rows() int { n, _ := s.x.Dims(); return n }

func (s lowRankSource) options() *measures.LowRankOptions {
	return &measures.LowRankOptions{MaxRank: s.search.MaxRank, Seed: s.search.Seed, Workers: s.workers, Decided: s.search.decides}
}

// decides reports whether bounds suffice for the search. For every target they must show whether the entropy is below the target,
// above it, or within its tolerance.
func (e *Search) decides(b measures.Bounds) bool {
	for _, target := range e.aims() {
		t := e.tolerance(target)
		if !(b.High.Entropy < target-t || b.Low.Entropy > target+t || b.High.Entropy-b.Low.Entropy <= t/2) {
			return false
		}
	}
	return true
}

func (s lowRankSource) measure(ctx context.Context, k kernels.Kernel, row *search.TraceRow) error {
	l, err := measures.LowRankEntropy(ctx, k, s.x, s.options())
	if err != nil {
		return err
	}
	row.SetEntropy(l.Point)
	row.EntropyLow, row.EntropyHigh = l.Low.Entropy, l.High.Entropy
	row.Rank, row.Residual, row.Wide = l.Rank, l.Residual, !l.Decided
	return nil
}

// subsampleSource computes mean entropies over samples of the rows.
type subsampleSource struct {
	parts []lowRankSource
	all   int // number of rows
}

func (s subsampleSource) rows() int { return s.parts[0].rows() }

func (s subsampleSource) measure(ctx context.Context, k kernels.Kernel, row *search.TraceRow) error {
	perBit := 1 / math.Log2(float64(s.all))
	var bits []float64
	var low, high float64
	group := progress.Open(ctx)
	for i, part := range s.parts {
		l, err := measures.LowRankEntropy(group.Step(i, len(s.parts)), k, part.x, part.options())
		if err != nil {
			return err
		}
		bits = append(bits, l.Point.Bits)
		low, high = low+l.Low.Bits/subsamples, high+l.High.Bits/subsamples
		row.Rank, row.Residual = max(row.Rank, l.Rank), max(row.Residual, l.Residual)
		row.Wide = row.Wide || !l.Decided
	}
	mean, squares := 0.0, 0.0
	for _, b := range bits {
		mean += b / subsamples
	}
	for _, b := range bits {
		squares += (b - mean) * (b - mean) / (subsamples - 1)
	}
	row.Bits, row.Entropy = mean, mean*perBit
	row.StandardError = math.Sqrt(squares/subsamples) * perBit
	row.EntropyLow = max(0, low*perBit-2*row.StandardError)
	row.EntropyHigh = min(1, high*perBit+2*row.StandardError)
	return nil
}
