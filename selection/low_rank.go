package selection

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
)

// Method is how Entropy computes entropies.
type Method int

// The methods.
const (
	Automatic Method = iota // by the number of rows
	// Exact takes all eigenvalues of the kernel matrix, O(n³) and an n×n matrix.
	Exact
	// LowRank takes rigorous bounds from a factorisation on random pivots that grows
	// until they say on which side of every target the entropy lies, O(nm²) for m pivots
	// and memory mn.
	LowRank
	// Subsample is LowRank on Subsamples draws of SubsampleRows rows. The bits of a kernel
	// settle as rows are added while its entropy falls with log2 n, so the mean of the bits
	// is set against the number of all rows.
	Subsample
)

// String returns the method's name.
func (m Method) String() string {
	switch m {
	case Automatic:
		return "Automatic"
	case Exact:
		return "Exact"
	case LowRank:
		return "LowRank"
	case Subsample:
		return "Subsample"
	}
	return fmt.Sprintf("Method(%d)", int(m))
}

// Where Automatic changes its method, and what Subsample and scores take.
const (
	ExactRows     = 1000
	LowRankRows   = 20_000
	SubsampleRows = 5000
	Subsamples    = 3
	// ScoreRows rows, drawn once, are what a closed form is computed on where pivots
	// leave too much to compute it on all.
	ScoreRows = 1000
)

// scoreResidual is the share of the ridge that the pivots may leave of each row's k(x, x)
// for a score on what they have to count for all: a factor that stops where the entropy is
// decided alone would score wrongly. At a tenth the score is within a few percent.
const scoreResidual = 0.1

// prepareMethod settles the method and draws what it needs.
func (s *entropySearch) prepareMethod() {
	n, _ := s.p.x.Dims()
	s.method = s.Method
	if s.method == Automatic {
		switch {
		case n <= ExactRows:
			s.method = Exact
		case n <= LowRankRows:
			s.method = LowRank
		default:
			s.method = Subsample
		}
	}
	s.aims = s.Targets
	if s.aims == nil {
		s.aims = append(DefaultTargets(), HigherTargets()...)
	}
	if s.method != Subsample {
		return
	}
	for i := range Subsamples {
		s.subsamples = append(s.subsamples, rowsOf(s.p.x, s.draw(SubsampleRows, uint64(i))))
	}
}

// draw returns up to count rows, ascending; which says for what.
func (s *entropySearch) draw(count int, which uint64) []int {
	n, _ := s.p.x.Dims()
	rows := rand.New(rand.NewPCG(s.Seed, 0x73756273616d<<8+which)).Perm(n)[:min(count, n)] // the streams "subsam" 0, 1, ...
	slices.Sort(rows)
	return rows
}

// tolerance is that of a target: a fixed one would let a low target end at any lower one.
func (s *entropySearch) tolerance(target float64) float64 { return min(s.Tolerance, target/4) }

// decides says whether the search can go on from bounds: for every target they say that
// the entropy is below it, above it, or at it, within its tolerance.
func (s *entropySearch) decides(b measures.Bounds) bool {
	for _, target := range s.aims {
		t := s.tolerance(target)
		if !(b.High.Entropy < target-t || b.Low.Entropy > target+t || b.High.Entropy-b.Low.Entropy <= t/2) {
			return false
		}
	}
	return true
}

func (s *entropySearch) lowRankOptions() *measures.LowRankOptions {
	return &measures.LowRankOptions{MaxRank: s.MaxRank, Seed: s.Seed, Workers: s.Workers, Decided: s.decides}
}

// undecided warns of bounds that are wide at the most pivots that are allowed, and returns
// what the trace says.
func (s *entropySearch) undecided(rank int) string {
	s.warn(fmt.Sprintf("the bounds of some entropies are wide at %d pivots: raise MaxRank to narrow them", rank))
	return fmt.Sprintf("; bounds still wide at %d pivots", rank)
}

// lowRank fills a row from bounds on all rows.
func (s *entropySearch) lowRank(ctx context.Context, row *TraceRow) error {
	l, err := measures.LowRankEntropy(ctx, s.p.family.At(row.Param), s.p.x, s.lowRankOptions())
	if err != nil {
		return err
	}
	row.Rows, _ = s.p.x.Dims()
	row.Rank, row.Residual = l.Rank, l.Residual
	row.EntropyLow, row.Entropy, row.EntropyHigh = l.Low.Entropy, l.Point.Entropy, l.High.Entropy
	row.Bits, row.EffectiveRank = l.Point.Bits, l.Point.EffectiveRank
	if !l.Decided {
		row.Decision = s.undecided(l.Rank)
	}
	return nil
}

// subsampled fills a row from the means of subsamples.
func (s *entropySearch) subsampled(ctx context.Context, row *TraceRow) error {
	n, _ := s.p.x.Dims()
	perBit := 1 / math.Log2(float64(n))
	var bits []float64
	var low, high float64
	for _, x := range s.subsamples {
		l, err := measures.LowRankEntropy(ctx, s.p.family.At(row.Param), x, s.lowRankOptions())
		if err != nil {
			return err
		}
		bits = append(bits, l.Point.Bits)
		low, high = low+l.Low.Bits/Subsamples, high+l.High.Bits/Subsamples
		row.Rank, row.Residual = max(row.Rank, l.Rank), max(row.Residual, l.Residual)
		if !l.Decided && row.Decision == "" {
			row.Decision = s.undecided(l.Rank)
		}
	}
	mean, squares := 0.0, 0.0
	for _, b := range bits {
		mean += b / Subsamples
	}
	for _, b := range bits {
		squares += (b - mean) * (b - mean) / (Subsamples - 1)
	}
	row.Rows, _ = s.subsamples[0].Dims()
	row.Bits, row.EffectiveRank, row.Entropy = mean, math.Exp2(mean), mean*perBit
	row.StandardError = math.Sqrt(squares/Subsamples) * perBit
	row.EntropyLow = max(0, low*perBit-2*row.StandardError)
	row.EntropyHigh = min(1, high*perBit+2*row.StandardError)
	return nil
}

// scoreLowRank scores the coordinates by a closed form, all on the same rows, since a score
// depends on their number: on all rows by the features of the pivots if those leave little
// beside the ridge at every coordinate, and else exactly on ScoreRows of them.
func (s *entropySearch) scoreLowRank(ctx context.Context) error {
	if s.method == Exact || s.centred == nil {
		return nil
	}
	if s.method == Subsample {
		s.onSample = true
	}
	// The highest entropy takes the most pivots, so it is the first to tell.
	for i := len(s.coords) - 1; i >= 0 && !s.onSample; i-- {
		if err := s.scoreCoordinate(ctx, i, i == len(s.coords)-1, s.onPivots); err != nil {
			return err
		}
	}
	if !s.onSample {
		return nil
	}
	order := spread(len(s.coords))
	if s.clock.limit == 0 {
		if err := s.scoreAhead(ctx, order); err != nil {
			return err
		}
	}
	for _, i := range order {
		if err := s.scoreCoordinate(ctx, i, i == order[0], s.onRows); err != nil {
			return err
		}
	}
	return nil
}

// The beginnings of what the trace says of a score.
const (
	onPivotsText = "scored on pivots"
	onRowsText   = "scored on rows"
)

// scoreCoordinate scores a coordinate that has no score by this way yet; the first of a round whatever the
// budget says.
func (s *entropySearch) scoreCoordinate(ctx context.Context, i int, first bool, score func(ctx context.Context, row *TraceRow) error) error {
	row := &s.rows[s.byParam[s.coords[i].param]]
	begins := onPivotsText
	if s.onSample {
		begins = onRowsText
	}
	if said(row.Decision, begins) != "" {
		return nil
	}
	if s.clock.spent() && !first {
		s.cut = true
		row.Score, row.Ridge = missing, missing
		row.Decision = unsaid(row.Decision, onPivotsText) + "; not scored: the budget was spent"
		return nil
	}
	if old, ok := s.known.score(row.Param, row.Rows); ok {
		if text := said(old.Decision, begins); text != "" {
			row.Score, row.Ridge, row.Seconds = old.Score, old.Ridge, old.Seconds
			row.Decision = unsaid(row.Decision, onPivotsText) + text
			if s.onSample {
				s.out.KernelMatrices++
			}
			return nil
		}
		if said(old.Decision, onRowsText) != "" { // the earlier search found pivots wanting
			s.onSample = true
			return nil
		}
	}
	begun := s.clock.seconds()
	row.Decision = unsaid(row.Decision, onPivotsText)
	if err := score(ctx, row); err != nil {
		return err
	}
	row.Seconds += s.clock.seconds() - begun
	if s.Observe != nil && !math.IsNaN(row.Score) {
		s.Observe(*row)
	}
	return nil
}

// onPivots scores on all rows by the features of the pivots, or sets onSample if those
// leave too much beside the ridge.
func (s *entropySearch) onPivots(ctx context.Context, row *TraceRow) error {
	kernel := s.p.family.At(row.Param)
	limit := 0.0 // of the residual share: none yet
	for range 2 {
		o := s.lowRankOptions()
		rest := limit
		o.Decided = func(measures.Bounds) bool { return rest == 0 }
		o.Residual = rest
		l, err := measures.LowRankEntropy(ctx, kernel, s.p.x, o)
		if err != nil {
			return err
		}
		score, ridge, mean, err := s.ofFeatures(ctx, l.Factor)
		if err != nil || math.IsNaN(ridge) {
			return err
		}
		// In units of the mean k(x, x).
		if limit = scoreResidual * ridge / mean; l.Residual <= limit {
			row.Score, row.Ridge = score, ridge
			row.Decision += fmt.Sprintf("; %s: %d", onPivotsText, l.Rank)
			return nil
		}
	}
	s.onSample = true
	return nil
}

// rowScore is a score on rows, computed ahead of its turn.
type rowScore struct{ score, ridge, seconds float64 }

// scoreAhead scores the coordinates that onRows will be asked for, on the workers: a
// reduction keeps one processor busy.
func (s *entropySearch) scoreAhead(ctx context.Context, order []int) error {
	var params []float64
	for _, i := range order {
		row := &s.rows[s.byParam[s.coords[i].param]]
		_, known := s.known.score(row.Param, row.Rows)
		if !known && said(row.Decision, onRowsText) == "" {
			params = append(params, row.Param)
		}
	}
	if parallel.Workers(s.Workers) == 1 || len(params) < 2 {
		return nil
	}
	part, err := s.onDrawn(ctx)
	if err != nil {
		return err
	}
	part.Workers = 1
	scores := make([]rowScore, len(params))
	err = parallel.For(ctx, s.Workers, len(params), func(i int) error {
		begun := s.clock.seconds()
		score, ridge, err := s.scoreOn(ctx, part, params[i])
		scores[i] = rowScore{score, ridge, s.clock.seconds() - begun}
		return err
	})
	if err != nil {
		return err
	}
	s.ahead = map[float64]rowScore{}
	for i, param := range params {
		s.ahead[param] = scores[i]
	}
	return nil
}

// onDrawn is the search on ScoreRows rows, drawn once, the same for all parameters.
func (s *entropySearch) onDrawn(ctx context.Context) (*entropySearch, error) {
	if s.sample == nil {
		s.drawn = s.draw(ScoreRows, Subsamples)
		var err error
		if s.sample, err = kernels.Share(ctx, rowsOf(s.p.x, s.drawn), &kernels.Options{Workers: s.Workers, MaxBytes: s.MaxKernelBytes}); err != nil {
			return nil, err
		}
	}
	sub := *s.p
	if s.p.weights != nil {
		sub.weights = pick(s.p.weights, s.drawn)
	}
	return &entropySearch{Entropy: s.Entropy, p: &sub, variance: s.variance, centred: rowsOf(s.centred, s.drawn), out: s.out}, nil
}

// scoreOn scores a parameter on those rows.
func (s *entropySearch) scoreOn(ctx context.Context, part *entropySearch, param float64) (score, ridge float64, err error) {
	k, err := s.sample.Matrix(ctx, s.p.family.At(param))
	if err != nil {
		return missing, missing, err
	}
	_, score, ridge, err = part.judge(ctx, k)
	return score, ridge, err
}

// onRows scores exactly on ScoreRows rows.
func (s *entropySearch) onRows(ctx context.Context, row *TraceRow) error {
	if a, ok := s.ahead[row.Param]; ok {
		row.Score, row.Ridge = a.score, a.ridge
		row.Seconds += a.seconds
	} else {
		part, err := s.onDrawn(ctx)
		if err != nil {
			return err
		}
		if row.Score, row.Ridge, err = s.scoreOn(ctx, part, row.Param); err != nil {
			return err
		}
	}
	s.out.KernelMatrices++
	n, _ := s.p.x.Dims()
	row.Decision += fmt.Sprintf("; %s: %d of %d", onRowsText, len(s.drawn), n)
	return nil
}

// ofFeatures returns the closed-form score of the kernel F'F, its ridge, and the mean of
// its diagonal; NaN for the ridge if none gives a score.
func (s *entropySearch) ofFeatures(ctx context.Context, f *mat.Dense) (score, ridge, mean float64, err error) {
	if f == nil {
		return missing, missing, 0, nil
	}
	m, n := f.Dims()
	for i := range m {
		for _, v := range f.RawRowView(i) {
			mean += v * v / float64(n)
		}
	}
	if s.Score == LogEvidence {
		score, ridge = s.evidenceOfFeatures(f, mean)
		return score, ridge, mean, nil
	}
	z, targets, leverage, weight, scale := s.linearProblem(f)
	gram := mat.NewSymDense(m, nil)
	gram.SymOuterK(1, z.T())
	least, err := loo.NewLinear(gram, z, targets, leverage, weight, scale, s.Workers).SearchFrom(ctx, s.MinRidge*mean*s.meanWeight())
	if err != nil || !(least.Ridge > 0) {
		return missing, missing, mean, err
	}
	return least.Error / s.variance, least.Ridge, mean, nil
}

// linearProblem centres the columns of F and the targets, times the roots of the weights.
func (s *entropySearch) linearProblem(f *mat.Dense) (z, targets *mat.Dense, leverage []float64, weight, scale float64) {
	m, n := f.Dims()
	_, k := s.centred.Dims()
	w := slices.Repeat([]float64{1}, n)
	if s.p.weights != nil {
		w = s.p.weights
	}
	for _, v := range w {
		weight += v
	}
	z, targets, leverage = mat.NewDense(n, m, nil), mat.NewDense(n, k, nil), make([]float64, n)
	for i := range m {
		row, mean := f.RawRowView(i), 0.0
		for j, v := range row {
			mean += w[j] * v / weight
		}
		for j, v := range row {
			z.Set(j, i, math.Sqrt(w[j])*(v-mean))
			scale += w[j] * (v - mean) * (v - mean) / weight
		}
	}
	for i, v := range w {
		leverage[i] = v / weight
		for j, t := range s.centred.RawRowView(i) {
			targets.Set(i, j, math.Sqrt(v)*t)
		}
	}
	return z, targets, leverage, weight, scale * weight / float64(n)
}

// evidenceOfFeatures is logEvidence of F'F in place of K.
func (s *entropySearch) evidenceOfFeatures(f *mat.Dense, meanDiagonal float64) (best, ridge float64) {
	m, n := f.Dims()
	z, y, logWeights := mat.DenseCopyOf(f.T()), mat.DenseCopyOf(s.centred), 0.0
	if s.p.weights != nil {
		meanDiagonal = 0
		for i, w := range s.p.weights {
			logWeights += math.Log(w)
			y.Set(i, 0, math.Sqrt(w)*y.At(i, 0))
			for j, v := range z.RawRowView(i) {
				z.Set(i, j, math.Sqrt(w)*v)
				meanDiagonal += w * v * v / float64(n)
			}
		}
	}
	gram, moment := mat.NewSymDense(m, nil), mat.NewDense(m, 1, nil)
	gram.SymOuterK(1, z.T())
	moment.Mul(z.T(), y)
	tri := linalg.Tridiagonalize(gram)
	tri.Rotate(moment)
	yy := mat.Norm(y, 2)
	yy *= yy
	best, ridge = math.Inf(-1), missing
	half := float64(n) / 2
	for _, lambda := range evidenceRidges(meanDiagonal, s.MinRidge) {
		shifted, ok := tri.Shift(lambda)
		if !ok {
			continue
		}
		solved := mat.DenseCopyOf(moment)
		shifted.Solve(solved)
		// (ZZ' + λI)⁻¹ = (I - Z(Z'Z + λI)⁻¹Z')/λ, and of its determinant n - m factors are λ.
		q := max(0, yy-mat.Dot(moment.ColView(0), solved.ColView(0))) / lambda
		logDet := shifted.LogDet() + float64(n-m)*math.Log(lambda)
		if v := -half*math.Log(2*math.Pi*q/float64(n)) - (logDet-logWeights)/2 - half; v > best {
			best, ridge = v, lambda
		}
	}
	return best, ridge
}
