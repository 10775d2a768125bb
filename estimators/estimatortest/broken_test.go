package estimatortest

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// The broken types are correct types of which some methods are replaced. A method whose replacement is nil stays correct. Without
// replacements a type passes every check, which TestBrokenTypesWithNothingBroken verifies.

// brokenDetector changes the results of a density.
type brokenDetector struct {
	*novelty.Density
	score, p func(out []float64)
	novel    func(out []bool)
}

func (b brokenDetector) build() any {
	b.Density = &novelty.Density{Bandwidth: 0.3}
	return &b
}

func (b *brokenDetector) Score(x mat.Matrix) ([]float64, error) {
	out, err := b.Density.Score(x)
	if err == nil && b.score != nil {
		b.score(out)
	}
	return out, err
}

func (b *brokenDetector) PredictP(x mat.Matrix) ([]float64, error) {
	out, err := b.Density.PredictP(x)
	if err == nil && b.p != nil {
		b.p(out)
	}
	return out, err
}

func (b *brokenDetector) Predict(x mat.Matrix) ([]bool, error) {
	out, err := b.Density.Predict(x)
	if err == nil && b.novel != nil {
		b.novel(out)
	}
	return out, err
}

func (b *brokenDetector) Clone() estimators.Detector {
	return &brokenDetector{Density: estimators.Clone(b.Density), score: b.score, p: b.p, novel: b.novel}
}

type brokenRegressor struct {
	*toy.Ridge
	with  regressorMethods
	calls *atomic.Int64 // a counter for replacements
}

type regressorMethods struct {
	fit       func(b *brokenRegressor, ctx context.Context, x mat.Matrix, y []float64) error
	predict   func(b *brokenRegressor, x mat.Matrix) ([]float64, error)
	variance  func(b *brokenRegressor, x mat.Matrix) ([]float64, []float64, error)
	interval  func(b *brokenRegressor, x mat.Matrix, level float64) ([]float64, []float64, error)
	to        func(b *brokenRegressor, dst []float64, x mat.Matrix) error
	weighted  func(b *brokenRegressor, ctx context.Context, x mat.Matrix, y, w []float64) error
	clone     func(b *brokenRegressor) estimators.Regressor
	report    func(b *brokenRegressor) estimators.Report
	marshal   func(b *brokenRegressor) ([]byte, error)
	unmarshal func(b *brokenRegressor, data []byte) error
}

func (with regressorMethods) build() any {
	return &brokenRegressor{&toy.Ridge{}, with, &atomic.Int64{}}
}

func (b *brokenRegressor) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	if b.with.fit != nil {
		return b.with.fit(b, ctx, x, y)
	}
	return b.Ridge.Fit(ctx, x, y)
}

func (b *brokenRegressor) Predict(x mat.Matrix) ([]float64, error) {
	if b.with.predict != nil {
		return b.with.predict(b, x)
	}
	return b.Ridge.Predict(x)
}

func (b *brokenRegressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	if b.with.variance != nil {
		return b.with.variance(b, x)
	}
	return b.Ridge.PredictVariance(x)
}

// PredictInterval uses b.PredictVariance, which may be replaced.
func (b *brokenRegressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	if b.with.interval != nil {
		return b.with.interval(b, x, level)
	}
	if err := interval.Level("broken", level); err != nil {
		return nil, nil, err
	}
	return interval.Normal(level)(b.PredictVariance(x))
}

// PredictTo uses b.Predict, which may be replaced.
func (b *brokenRegressor) PredictTo(dst []float64, x mat.Matrix) error {
	if b.with.to != nil {
		return b.with.to(b, dst, x)
	}
	y, err := b.Predict(x)
	if err != nil {
		return err
	}
	return copyInto(dst, y)
}

func copyInto(dst, y []float64) error {
	if len(dst) != len(y) {
		return fault.Shape("dst has", len(dst), "entries", "x has %d rows", len(y))
	}
	copy(dst, y)
	return nil
}

func (b *brokenRegressor) FitWeighted(ctx context.Context, x mat.Matrix, y, w []float64) error {
	if b.with.weighted != nil {
		return b.with.weighted(b, ctx, x, y, w)
	}
	return b.Ridge.FitWeighted(ctx, x, y, w)
}

func (b *brokenRegressor) Clone() estimators.Regressor {
	if b.with.clone != nil {
		return b.with.clone(b)
	}
	return b.with.build().(estimators.Regressor)
}

func (b *brokenRegressor) Report() estimators.Report {
	if b.with.report != nil {
		return b.with.report(b)
	}
	return b.Ridge.Report()
}

func (b *brokenRegressor) MarshalBinary() ([]byte, error) {
	if b.with.marshal != nil {
		return b.with.marshal(b)
	}
	return b.Ridge.MarshalBinary()
}

func (b *brokenRegressor) UnmarshalBinary(data []byte) error {
	if b.with.unmarshal != nil {
		return b.with.unmarshal(b, data)
	}
	return b.Ridge.UnmarshalBinary(data)
}

type brokenClassifier struct {
	*toy.Centroid
	with classifierMethods
}

type classifierMethods struct {
	fit      func(b *brokenClassifier, ctx context.Context, x mat.Matrix, y []int) error
	predict  func(b *brokenClassifier, x mat.Matrix) ([]int, error)
	classes  func(b *brokenClassifier) []int
	proba    func(b *brokenClassifier, x mat.Matrix) (*mat.Dense, error)
	decision func(b *brokenClassifier, x mat.Matrix) (*mat.Dense, error)
	to       func(b *brokenClassifier, dst *mat.Dense, x mat.Matrix) error
	probaTo  func(b *brokenClassifier, dst *mat.Dense, x mat.Matrix) error
}

func (with classifierMethods) build() any { return &brokenClassifier{&toy.Centroid{}, with} }

func (b *brokenClassifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	if b.with.fit != nil {
		return b.with.fit(b, ctx, x, y)
	}
	return b.Centroid.Fit(ctx, x, y)
}

func (b *brokenClassifier) Predict(x mat.Matrix) ([]int, error) {
	if b.with.predict != nil {
		return b.with.predict(b, x)
	}
	return b.Centroid.Predict(x)
}

func (b *brokenClassifier) Classes() []int {
	if b.with.classes != nil {
		return b.with.classes(b)
	}
	return b.Centroid.Classes()
}

func (b *brokenClassifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	if b.with.proba != nil {
		return b.with.proba(b, x)
	}
	return b.Centroid.PredictProba(x)
}

func (b *brokenClassifier) Decision(x mat.Matrix) (*mat.Dense, error) {
	if b.with.decision != nil {
		return b.with.decision(b, x)
	}
	return b.Centroid.Decision(x)
}

// DecisionTo uses b.Decision, which may be replaced.
func (b *brokenClassifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error {
	if b.with.to != nil {
		return b.with.to(b, dst, x)
	}
	scores, err := b.Decision(x)
	if err != nil {
		return err
	}
	return copyTo(dst, scores)
}

// PredictProbaTo uses b.PredictProba, which may be replaced.
func (b *brokenClassifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) error {
	if b.with.probaTo != nil {
		return b.with.probaTo(b, dst, x)
	}
	proba, err := b.PredictProba(x)
	if err != nil {
		return err
	}
	return copyTo(dst, proba)
}

func copyTo(dst, from *mat.Dense) error {
	n, k := from.Dims()
	if r, c := dst.Dims(); r != n || c != k {
		return fault.Shape("dst has", r, "rows", "want %d of %d columns, dst has %d", n, k, c)
	}
	dst.Copy(from)
	return nil
}

func (b *brokenClassifier) Clone() estimators.Classifier {
	return b.with.build().(estimators.Classifier)
}

// brokenTransformer embeds nothing, because it needs a separate InverseTransform.
type brokenTransformer struct {
	StandardScaler *scalers.StandardScaler
	with           transformerMethods
}

func (b *brokenTransformer) MarshalBinary() ([]byte, error) { return b.StandardScaler.MarshalBinary() }

func (b *brokenTransformer) UnmarshalBinary(data []byte) error {
	return b.StandardScaler.UnmarshalBinary(data)
}

type transformerMethods struct {
	fit       func(b *brokenTransformer, ctx context.Context, x mat.Matrix) error
	transform func(b *brokenTransformer, x mat.Matrix) (*mat.Dense, error)
	to        func(b *brokenTransformer, dst *mat.Dense, x mat.Matrix) error
	clone     func(b *brokenTransformer) transformers.Transformer
	inverse   func(b *brokenTransformer, z mat.Matrix) (*mat.Dense, error)
	blocks    func(b *brokenTransformer, ctx context.Context, rows iter.Seq2[streaming.Block[streaming.None], error]) error
	sums      sumsMethods
	fitSums   func(b *brokenTransformer, ctx context.Context, s streaming.Statistics[streaming.None]) error
}

// brokenSums are statistics of a StandardScaler.
type brokenSums struct {
	streaming.Statistics[streaming.None]
	with sumsMethods
}

type sumsMethods struct {
	add       func(b *brokenSums, ctx context.Context, x *mat.Dense) error
	merge     func(b *brokenSums, other streaming.Statistics[streaming.None]) error
	unmarshal func(b *brokenSums, data []byte) error
}

func (b *brokenSums) AddBlock(ctx context.Context, block streaming.Block[streaming.None]) error {
	if b.with.add != nil {
		return b.with.add(b, ctx, block.X)
	}
	return b.Statistics.AddBlock(ctx, block)
}

func (b *brokenSums) Merge(other streaming.Statistics[streaming.None]) error {
	if b.with.merge != nil {
		return b.with.merge(b, other)
	}
	return b.sound(other)
}

// sound merges correctly.
func (b *brokenSums) sound(other streaming.Statistics[streaming.None]) error {
	if o, ok := other.(*brokenSums); ok {
		return b.Statistics.Merge(o.Statistics)
	}
	return b.Statistics.Merge(other)
}

func (b *brokenSums) Clone() streaming.Statistics[streaming.None] {
	return &brokenSums{b.Statistics.Clone(), b.with}
}

func (b *brokenSums) UnmarshalBinary(data []byte) error {
	if b.with.unmarshal != nil {
		return b.with.unmarshal(b, data)
	}
	return b.Statistics.UnmarshalBinary(data)
}

func (b *brokenTransformer) NewStatistics() (streaming.Statistics[streaming.None], error) {
	s, err := b.StandardScaler.NewStatistics()
	return &brokenSums{s, b.with.sums}, err
}

func (b *brokenTransformer) FitStatistics(ctx context.Context, s streaming.Statistics[streaming.None]) error {
	if b.with.fitSums != nil {
		return b.with.fitSums(b, ctx, s)
	}
	if o, ok := s.(*brokenSums); ok {
		s = o.Statistics
	}
	return b.StandardScaler.FitStatistics(ctx, s)
}

func (with transformerMethods) build() any {
	return &brokenTransformer{&scalers.StandardScaler{}, with}
}

func (b *brokenTransformer) Fit(ctx context.Context, x mat.Matrix) error {
	if b.with.fit != nil {
		return b.with.fit(b, ctx, x)
	}
	return b.StandardScaler.Fit(ctx, x)
}

func (b *brokenTransformer) Transform(x mat.Matrix) (*mat.Dense, error) {
	if b.with.transform != nil {
		return b.with.transform(b, x)
	}
	return b.StandardScaler.Transform(x)
}

func (b *brokenTransformer) FitBlocks(ctx context.Context, rows iter.Seq2[streaming.Block[streaming.None], error]) error {
	if b.with.blocks != nil {
		return b.with.blocks(b, ctx, rows)
	}
	return b.StandardScaler.FitBlocks(ctx, rows)
}

func (b *brokenTransformer) InverseTransform(z mat.Matrix) (*mat.Dense, error) {
	if b.with.inverse != nil {
		return b.with.inverse(b, z)
	}
	return b.StandardScaler.InverseTransform(z)
}

// TransformTo uses b.Transform, which may be replaced.
func (b *brokenTransformer) TransformTo(dst *mat.Dense, x mat.Matrix) error {
	if b.with.to != nil {
		return b.with.to(b, dst, x)
	}
	z, err := b.Transform(x)
	if err != nil || z == nil {
		return err
	}
	if dst.IsEmpty() {
		n, c := z.Dims()
		dst.ReuseAs(n, c)
	}
	return copyTo(dst, z)
}

func (b *brokenTransformer) Clone() transformers.Transformer {
	if b.with.clone != nil {
		return b.with.clone(b)
	}
	return b.with.build().(transformers.Transformer)
}

// liar is a wrapper that can be stored, although its Supports method denies it.
type liar struct{ *brokenRegressor }

func (l liar) Supports(c estimators.Capability) bool {
	return c != estimators.Marshalling && estimators.Supports(l.brokenRegressor, c)
}

// writer is a regressor that can be encoded, but not decoded.
type writer struct{ estimators.Regressor }

func (writer) MarshalBinary() ([]byte, error) { return []byte("for ever"), nil }

// configured is a regressor with fields, some of which its clone may lack.
type configured struct {
	*brokenRegressor
	Tolerance    float64
	Widths       []float64
	keeps, fresh bool // whether a clone keeps Tolerance, and whether it copies Widths
}

func newConfigured(keeps, fresh bool) *configured {
	return &configured{regressorMethods{}.build().(*brokenRegressor), 1e-3, []float64{1, 2}, keeps, fresh}
}

func (c *configured) Clone() estimators.Regressor {
	out := newConfigured(c.keeps, c.fresh)
	if out.Tolerance = 0; c.keeps {
		out.Tolerance = c.Tolerance
	}
	if !c.fresh {
		out.Widths = c.Widths
	}
	return out
}

// chunked is a regressor whose PartialFit calls Fit with all rows so far.
type chunked struct {
	*brokenRegressor
	chunks  subject.Data
	partial func(c *chunked, x mat.Matrix, y []float64) error
}

func newChunked(partial func(c *chunked, x mat.Matrix, y []float64) error) func() any {
	return func() any {
		return &chunked{brokenRegressor: regressorMethods{}.build().(*brokenRegressor), partial: partial}
	}
}

func (c *chunked) PartialFit(_ context.Context, x mat.Matrix, y []float64) error {
	return c.partial(c, x, y)
}

func (c *chunked) takeIn(x mat.Matrix, y []float64) error {
	ctx := context.Background()
	if err := (&toy.Ridge{}).Fit(ctx, x, y); err != nil { // returns the errors that concern the chunk
		return err
	}
	all := subject.Data{X: mat.DenseCopyOf(x), Y: append(slices.Clone(c.chunks.Y), y...)}
	if c.chunks.X != nil {
		if width(x) != width(c.chunks.X) {
			return fault.Columns("x", width(x), width(c.chunks.X))
		}
		chunk := all.X
		all.X = &mat.Dense{}
		all.X.Stack(c.chunks.X, chunk)
	}
	if err := c.Fit(ctx, all.X, all.Y); err != nil {
		return err
	}
	c.chunks = all
	return nil
}

func (c *chunked) Clone() estimators.Regressor { return newChunked(c.partial)().(*chunked) }

// onMatrices is a correct machine for kernel matrices, with one method replaced.
type onMatrices struct {
	*lssvm.Regressor
	fit     func(m *lssvm.Regressor, k mat.Symmetric, y []float64) error
	predict func(m *lssvm.Regressor, k mat.Matrix) ([]float64, error)
}

func (o onMatrices) build() any {
	o.Regressor = &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}}
	return &o
}

func (o *onMatrices) FitMatrix(ctx context.Context, k mat.Symmetric, y []float64) error {
	if o.fit != nil {
		return o.fit(o.Regressor, k, y)
	}
	return o.Regressor.FitMatrix(ctx, k, y)
}

func (o *onMatrices) PredictMatrix(k mat.Matrix) ([]float64, error) {
	if o.predict != nil {
		return o.predict(o.Regressor, k)
	}
	return o.Regressor.PredictMatrix(k)
}

func (o *onMatrices) Clone() estimators.Regressor { return o.build().(*onMatrices) }

// leaving is a regressor that computes leave-one-out residuals from refits.
type leaving struct {
	*brokenRegressor
	rows subject.Data
	out  func(l *leaving, row int) float64
}

func newLeaving(out func(l *leaving, row int) float64) func() any {
	return func() any { return &leaving{brokenRegressor: regressorMethods{}.build().(*brokenRegressor), out: out} }
}

func (l *leaving) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	err := l.brokenRegressor.Fit(ctx, x, y)
	if err == nil {
		l.rows = subject.Data{X: mat.DenseCopyOf(x), Y: slices.Clone(y)}
	}
	return err
}

func (l *leaving) LeaveOneOutResiduals(context.Context) ([]float64, error) {
	if l.rows.X == nil {
		return nil, fault.NotFitted("leaving")
	}
	out := make([]float64, len(l.rows.Y))
	for i := range out {
		out[i] = l.out(l, i)
	}
	return out, nil
}

func (l *leaving) refit(row int) float64 {
	var others []int
	for i := range l.rows.Y {
		if i != row {
			others = append(others, i)
		}
	}
	d, one := l.rows.Pick(others), l.rows.Pick([]int{row})
	r := &toy.Ridge{}
	if r.Fit(context.Background(), d.X, d.Y) != nil {
		return 0
	}
	y, err := r.Predict(one.X)
	if err != nil {
		return 0
	}
	return one.Y[0] - y[0]
}

func (l *leaving) Clone() estimators.Regressor { return newLeaving(l.out)().(*leaving) }

func (l *leaving) UnmarshalBinary(data []byte) error {
	err := l.brokenRegressor.UnmarshalBinary(data)
	if err == nil {
		l.rows.X = nil
	}
	return err
}

// smoothing changes the results of its Smoother.
type smoothing struct {
	*ridge.Regressor
	rows  func(weights []float64) []float64
	spoil func(c []float64, f, b *mat.Dense, s []float64)
}

func (m smoothing) build() any {
	m.Regressor = &ridge.Regressor{}
	return &m
}

func (m *smoothing) Smoother(ctx context.Context, x mat.Matrix, targets *mat.Dense, weights []float64) (estimators.Smoother, error) {
	if m.rows != nil {
		weights = m.rows(weights)
	}
	s, err := m.Regressor.Smoother(ctx, x, targets, weights)
	if err != nil {
		return nil, err
	}
	return &spoilt{s, m.spoil}, nil
}

type spoilt struct {
	estimators.Smoother
	how func(c []float64, f, b *mat.Dense, s []float64)
}

func (m *spoilt) Influence(ctx context.Context, x mat.Matrix) (f, b *mat.Dense, s []float64, err error) {
	f, b, s, err = m.Smoother.Influence(ctx, x)
	if err == nil && m.how != nil {
		_, c := m.Rows()
		m.how(c, f, b, s)
	}
	return f, b, s, err
}

// setting changes the sets of classes that it predicts.
type setting struct {
	*conformal.Classifier
	how func(classes []int, level float64, sets [][]int) [][]int
}

func (m setting) build() any {
	m.Classifier = &conformal.Classifier{}
	return &m
}

func (m *setting) PredictSet(x mat.Matrix, level float64) ([][]int, error) {
	sets, err := m.Classifier.PredictSet(x, min(max(level, 0.001), 0.9995))
	if err != nil {
		return nil, err
	}
	if !(level > 0 && level < 1) && m.how != nil {
		return nil, estimators.ErrParam
	}
	if m.how != nil {
		sets = m.how(m.Classes(), level, sets)
	}
	return sets, nil
}
