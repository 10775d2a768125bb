package golearn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	baggingName = "golearn: Bagging"
	baggingKind = "golearn.Bagging"
)

// DefaultModels is the number of models in a Bagging.
const DefaultModels = 10

// BootstrapAttempts is how often a Bagging draws the rows of a model until they hold
// each class.
const BootstrapAttempts = 100

// bootstrapStream keeps the numbers drawn here apart from those that a model draws
// from the same seed.
const bootstrapStream = 0x62616767

// Bagging is a base.Classifier that fits several models, each to as many rows of
// the training grid as it has, drawn with replacement (Breiman, Machine Learning
// 24, 1996, 123-140), and lets them vote; of a float class it takes the mean. It is
// golearn's meta.BaggedModel with a seed and with errors, for regression too.
//
// Rows are drawn again, at most BootstrapAttempts times, until they hold every
// class of the training grid, which the paper does not ask for: a model may refuse
// a single class. The drawn rows and features depend on Seed alone, not on Workers.
//
// A model that tunes itself by leaving rows out, as lssvm's does by default, leaves
// in the copies of a row that was drawn more than once, and is tuned too closely to
// its training rows: set Fraction for it.
//
// Fit and Predict cost Models times those of a model.
type Bagging struct {
	// New returns a new, unfitted model at each call: one of this package or a
	// classifier of golearn, whose panics are errors.
	New func() base.Classifier
	// Models; 0: DefaultModels.
	Models int
	// Features is how many features each model sees, drawn without replacement; 0: all.
	Features int
	// Fraction > 0 draws this share of the rows without replacement for each model,
	// rounded, in place of as many rows as there are with replacement; at most 1.
	Fraction float64
	Seed     uint64 // 0 is a seed like the others
	Workers  int    // models at a time; 0: GOMAXPROCS

	fitted *baggingModel
}

type baggingModel struct {
	columns []column
	class   column
	votes   bool // a float class of 0 and 1 is voted on, not averaged
	members []baggingMember
}

type baggingMember struct {
	features []int // into columns, ascending
	model    base.Classifier
}

var _ ours = (*Bagging)(nil)

// Fit learns from the rows of grid. It is FitContext without a context.
func (b *Bagging) Fit(grid base.FixedDataGrid) error {
	return b.FitContext(context.Background(), grid)
}

// FitContext fits the models to the rows of grid, which has one class attribute.
// Errors leave the model fitted before: ErrParam for a nil New or grid, a field out
// of range, or a class that is not drawn in BootstrapAttempts draws; ErrShape for
// no rows, no features or not one class attribute; the first model's that failed,
// with its number; ctx's.
func (b *Bagging) FitContext(ctx context.Context, grid base.FixedDataGrid) error {
	m, err := b.fit(withScores(ctx, grid), grid)
	if err != nil {
		return fmt.Errorf("%s: %w", baggingName, err)
	}
	b.fitted = m
	return nil
}

func (b *Bagging) fit(ctx context.Context, grid base.FixedDataGrid) (*baggingModel, error) {
	models, err := b.models()
	if err != nil {
		return nil, err
	}
	class, err := trainingGrid(grid)
	if err != nil {
		return nil, err
	}
	cls, err := readClass(grid, class)
	if err != nil {
		return nil, err
	}
	t, err := readTable(grid, cls)
	if err != nil {
		return nil, err
	}
	if b.Features < 0 || b.Features > len(t.Columns) {
		return nil, fault.Param("input", "Features", b.Features, fmt.Sprintf(">= 0 and at most the grid's %d", len(t.Columns)))
	}
	out := &baggingModel{columns: t.Columns, class: t.Class, votes: !wantsScores(ctx) && countClasses(t, nil) > 0, members: make([]baggingMember, models)}
	for i := range out.members {
		if out.members[i].model, err = b.model(); err != nil {
			return nil, err
		}
	}
	err = parallel.For(ctx, b.Workers, models, func(i int) error {
		rng := rand.New(rand.NewPCG(b.Seed, bootstrapStream+uint64(i)))
		rows, err := b.rows(t, rng)
		if err != nil {
			return fmt.Errorf("model %d: %w", i, err)
		}
		features := b.draw(len(t.Columns), rng)
		sample, err := t.sample(features, rows)
		if err != nil {
			return fmt.Errorf("model %d: %w", i, err)
		}
		if err := fitFinal(ctx, out.members[i].model, sample); err != nil {
			return fmt.Errorf("model %d: %w", i, err)
		}
		out.members[i].features = features
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (b *Bagging) models() (int, error) {
	switch {
	case b.New == nil:
		return 0, fault.Param("input", "New", nil, "a function that returns a model")
	case b.Models < 0:
		return 0, fault.Param("input", "Models", b.Models, ">= 1, or 0 for the default")
	case !(b.Fraction >= 0 && b.Fraction <= 1):
		return 0, fault.Param("input", "Fraction", b.Fraction, ">= 0 and at most 1")
	case b.Models == 0:
		return DefaultModels, nil
	}
	return b.Models, nil
}

func (b *Bagging) model() (base.Classifier, error) {
	m := b.New()
	if m == nil {
		return nil, fault.Param("input", "New", "a function that returns nil", "one that returns a model")
	}
	return m, nil
}

// draw chooses the features of a model.
func (b *Bagging) draw(width int, rng *rand.Rand) []int {
	out := rng.Perm(width)
	if b.Features > 0 {
		out = out[:b.Features]
	}
	slices.Sort(out)
	return out
}

// rows draws rows until they hold each class of t.
func (b *Bagging) rows(t table, rng *rand.Rand) ([]int, error) {
	want := countClasses(t, nil)
	rows := make([]int, t.Rows)
	for range BootstrapAttempts {
		if b.Fraction > 0 {
			rows = rng.Perm(t.Rows)[:max(1, int(math.Round(b.Fraction*float64(t.Rows))))]
		} else {
			for i := range rows {
				rows[i] = rng.IntN(t.Rows)
			}
		}
		if want == 0 || countClasses(t, rows) == want {
			return rows, nil
		}
	}
	return nil, fault.Param("input", "grid", fmt.Sprintf("%d rows of %d classes", t.Rows, want), fmt.Sprintf("more rows of the rarest class: %d draws left one out", BootstrapAttempts))
}

// countClasses counts the classes of some rows, nil for all. It is 0 for a float
// class that is not of 0 and 1.
func countClasses(t table, rows []int) int {
	seen := map[uint64]bool{}
	one := func(i int) bool {
		key := cellKey(t.Class.Kind, t.Labels[i])
		seen[key] = true
		return t.Class.Kind != floatKind || key == 0 || key == math.Float64bits(1)
	}
	if rows == nil {
		for i := range t.Rows {
			if !one(i) {
				return 0
			}
		}
	}
	for _, i := range rows {
		one(i)
	}
	return len(seen)
}

// sample makes a grid of some features and rows, whose attributes it shares with
// no other grid: golearn's classifiers may write to them.
func (t table) sample(features, rows []int) (*base.DenseInstances, error) {
	cols := make([]column, len(features))
	bits := make([][]uint64, len(features))
	for j, f := range features {
		cols[j] = t.Columns[f]
		bits[j] = gather(t.Bits[f], rows)
	}
	return mixedGrid(cols, bits, len(rows), &classCells{column: t.Class, bits: gather(t.Labels, rows)})
}

func gather(bits []uint64, rows []int) []uint64 {
	out := make([]uint64, len(rows))
	for i, r := range rows {
		out[i] = bits[r]
	}
	return out
}

// Predict returns, for each row of grid, the class that most models give it, of
// those that tie the first in the class attribute's order; of a float class the
// mean of their predictions, unless the training grid holds 0 and 1 only, the models
// predict one of these, and golearn's meta.OneVsAllModel does not ask for scores.
// Errors: ErrNotFitted; ErrShape for a missing feature;
// ErrParam for one of another type, or a model that predicts no class of the
// training grid; the first model's that failed, with its number.
func (b *Bagging) Predict(grid base.FixedDataGrid) (base.FixedDataGrid, error) {
	m := b.fitted
	if m == nil {
		return empty(column{}), fault.NotFitted(baggingName)
	}
	of, rows, err := m.predictions(grid, b.Workers)
	if err != nil {
		return empty(m.class), fmt.Errorf("%s: %w", baggingName, err)
	}
	bits := make([]uint64, rows)
	if m.class.Kind == floatKind {
		for i := range bits {
			bits[i] = math.Float64bits(m.combine(of, i))
		}
		return classGrid(m.class, bits)
	}
	shares := m.shares(of, rows)
	for i := range bits {
		best := 0
		for k := range m.size() {
			if shares[i][k] > shares[i][best] {
				best = k
			}
		}
		bits[i] = uint64(best)
	}
	return classGrid(m.class, bits)
}

// combine returns the mean of what the models predict for a row, or, where they
// vote on 0 and 1, the one that most of them predict, 0 if they tie.
func (m *baggingModel) combine(of [][]uint64, row int) float64 {
	mean, ones, hard := 0.0, 0, m.votes
	for _, p := range of {
		v := math.Float64frombits(p[row])
		mean += v / float64(len(of))
		if v == 1 {
			ones++
		}
		hard = hard && (v == 0 || v == 1)
	}
	switch {
	case !hard:
		return mean
	case 2*ones > len(of):
		return 1
	}
	return 0
}

// size is the number of classes of the class attribute.
func (m *baggingModel) size() int {
	if m.class.Kind == binaryKind {
		return 2
	}
	return len(m.class.Values)
}

// shares counts the models that give each row each class.
func (m *baggingModel) shares(of [][]uint64, rows int) [][]int {
	out := make([][]int, rows)
	for i := range out {
		out[i] = make([]int, m.size())
		for _, p := range of {
			out[i][p[i]]++
		}
	}
	return out
}

// predictions returns the class cells that each model gives each row.
func (m *baggingModel) predictions(grid base.FixedDataGrid, workers int) (of [][]uint64, rows int, err error) {
	if grid == nil {
		return nil, 0, fault.Param("input", "grid", nil, "a grid")
	}
	cols, bits, rows, err := aligned(grid, m.columns)
	if err != nil || rows == 0 {
		return nil, rows, err
	}
	all := make([]int, rows)
	for i := range all {
		all[i] = i
	}
	t := table{Columns: cols, Bits: bits, Rows: rows, Class: m.class, Labels: make([]uint64, rows)}
	of = make([][]uint64, len(m.members))
	err = parallel.For(context.Background(), workers, len(of), func(i int) error {
		sample, err := t.sample(m.members[i].features, all)
		if err == nil {
			of[i], err = m.vote(m.members[i].model, sample, rows)
		}
		if err != nil {
			return fmt.Errorf("model %d: %w", i, err)
		}
		return nil
	})
	return of, rows, err
}

// vote returns a model's class cells, recoded to the training grid's categories.
func (m *baggingModel) vote(model base.Classifier, sample base.FixedDataGrid, rows int) (_ []uint64, err error) {
	out, err := predictFinal(model, sample)
	if err != nil {
		return nil, err
	}
	defer guard("reading a prediction", &err)
	class, err := findClass(out)
	if err != nil {
		return nil, err
	}
	readers, err := bind(out, []base.Attribute{class})
	if err != nil {
		return nil, err
	}
	r := &readers[0]
	if r.rows != rows || r.column.Kind != m.class.Kind {
		return nil, fault.Shape(fmt.Sprintf("the prediction of %T is %v and has", model, r.column.Kind), r.rows, "rows", "want %d rows of a %v attribute", rows, m.class.Kind)
	}
	bits, err := r.all()
	if err != nil {
		return nil, err
	}
	for i, b := range bits {
		switch m.class.Kind {
		case floatKind:
			if v := math.Float64frombits(b); v-v != 0 {
				return nil, notFinite(r.column.Name, i, v)
			}
		case categoricalKind:
			k := slices.Index(m.class.Values, r.column.Values[b])
			if k < 0 {
				return nil, fault.Param("model", fmt.Sprintf("prediction of %T for row %d", model, i), r.column.Values[b], "a class of the training grid")
			}
			bits[i] = uint64(k)
		}
	}
	return bits, nil
}

// PredictProba returns the share of the models that give each row each class,
// columns in the order of Labels, and the empty matrix for a grid of no rows.
// Errors as Predict's, and one that wraps errors.ErrUnsupported for a float class.
func (b *Bagging) PredictProba(grid base.FixedDataGrid) (*mat.Dense, error) {
	m := b.fitted
	if m == nil {
		return nil, fault.NotFitted(baggingName)
	}
	if m.class.Kind == floatKind {
		return nil, fmt.Errorf("%s: a float class has no probabilities: %w", baggingName, errors.ErrUnsupported)
	}
	of, rows, err := m.predictions(grid, b.Workers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", baggingName, err)
	}
	if rows == 0 {
		return &mat.Dense{}, nil
	}
	out := mat.NewDense(rows, m.size(), nil)
	for i, counts := range m.shares(of, rows) {
		for k, n := range counts {
			out.Set(i, k, float64(n)/float64(len(of)))
		}
	}
	return out, nil
}

// Labels returns the categories of the class attribute, whether they occurred in
// training or not ("0" and "1" for a binary class); nil before Fit and for a float class.
func (b *Bagging) Labels() []string {
	if b.fitted == nil || b.fitted.class.Kind == floatKind {
		return nil
	}
	out := make([]string, b.fitted.size())
	for k := range out {
		out[k] = b.fitted.class.label(k)
	}
	return out
}

// Fitted returns the fitted models; nil before Fit. They must not be fitted again.
func (b *Bagging) Fitted() []base.Classifier {
	if b.fitted == nil {
		return nil
	}
	out := make([]base.Classifier, len(b.fitted.members))
	for i, m := range b.fitted.members {
		out[i] = m.model
	}
	return out
}

// Inspect reads grid as Predict would and says what it ignores and which
// categories it does not know. Errors as Predict's.
func (b *Bagging) Inspect(grid base.FixedDataGrid) (Inspection, error) {
	if b.fitted == nil {
		return Inspection{}, fault.NotFitted(baggingName)
	}
	if grid == nil {
		return Inspection{}, fault.Param(baggingName, "grid", nil, "a grid")
	}
	out, err := inspectAligned(grid, b.fitted.columns)
	if err != nil {
		return Inspection{}, fmt.Errorf("%s: %w", baggingName, err)
	}
	return out, nil
}

// Supports reports whether the method of a capability would work: Proba, unless it
// was fitted on a float class; Cloning; and Marshalling, which depends on the models.
func (b *Bagging) Supports(capability estimators.Capability) bool {
	switch capability {
	case estimators.Proba:
		return b.fitted == nil || b.fitted.class.Kind != floatKind
	case estimators.Cloning:
		return true
	case estimators.Marshalling:
		if b.New == nil {
			return false
		}
		m := b.New()
		if o, ok := m.(ours); ok {
			return o.Supports(capability)
		}
		return m != nil
	}
	return false
}

// Clone returns an unfitted, equally configured copy, which shares New.
func (b *Bagging) Clone() *Bagging {
	return &Bagging{New: b.New, Models: b.Models, Features: b.Features, Fraction: b.Fraction, Seed: b.Seed, Workers: b.Workers}
}

// String says how many models there are, and of what.
func (b *Bagging) String() string {
	if b.fitted == nil {
		return "golearn.Bagging(not fitted)"
	}
	return fmt.Sprintf("golearn.Bagging(%d models, the first %v)", len(b.fitted.members), b.fitted.members[0].model)
}

type baggingPayload struct {
	Columns []column
	Class   column
	Votes   bool
	Members []memberPayload
}

type memberPayload struct {
	Features []int
	Model    finalPayload
}

// MarshalBinary returns the fitted models. Errors: ErrNotFitted, and one that wraps
// errors.ErrUnsupported if a model cannot be marshalled.
func (b *Bagging) MarshalBinary() ([]byte, error) {
	m := b.fitted
	if m == nil {
		return nil, fault.NotFitted(baggingName)
	}
	out := baggingPayload{Columns: m.columns, Class: m.class, Votes: m.votes}
	for i, member := range m.members {
		model, err := marshalFinal(member.model)
		if err != nil {
			return nil, fmt.Errorf("%s: model %d: %w", baggingName, i, err)
		}
		out.Members = append(out.Members, memberPayload{Features: member.features, Model: model})
	}
	return codec.Marshal(baggingKind, payloadVersion, out)
}

// UnmarshalBinary reads what MarshalBinary of a Bagging with an equal New and number
// of Models wrote. Every error leaves the model as it was: ErrBadModel for data that
// is cut short, changed, or of another configuration, and it says which; ErrParam
// for a nil New.
func (b *Bagging) UnmarshalBinary(data []byte) error {
	models, err := b.models()
	if err != nil {
		return fmt.Errorf("%s: %w", baggingName, err)
	}
	var in baggingPayload
	if _, err := codec.Unmarshal(data, baggingKind, payloadVersion, &in); err != nil {
		return err
	}
	if len(in.Members) != models {
		return fault.BadModel(baggingKind, "written with %d models, the receiver has %d", len(in.Members), models)
	}
	if err := (&encoder{Columns: in.Columns}).validate(); err != nil {
		return fault.BadModel(baggingKind, "%v", err)
	}
	if err := in.Class.validate(); err != nil {
		return fault.BadModel(baggingKind, "%v", err)
	}
	out := &baggingModel{columns: in.Columns, class: in.Class, votes: in.Votes, members: make([]baggingMember, models)}
	for i, p := range in.Members {
		if err := checkFeatures(p.Features, len(in.Columns), b.Features); err != nil {
			return fault.BadModel(baggingKind, "model %d: %v", i, err)
		}
		m, err := b.model()
		if err != nil {
			return fmt.Errorf("%s: %w", baggingName, err)
		}
		if err := restoreFinal(m, p.Model); err != nil {
			return fmt.Errorf("%s: model %d: %w", baggingName, i, err)
		}
		out.members[i] = baggingMember{features: p.Features, model: m}
	}
	b.fitted = out
	return nil
}

// checkFeatures checks the features of one model, want of all; 0 wants all.
func checkFeatures(features []int, all, want int) error {
	if want == 0 {
		want = all
	}
	if len(features) != want {
		return fmt.Errorf("written with %d features for each model, the receiver has %d", len(features), want)
	}
	for j, f := range features {
		if f < 0 || f >= all || (j > 0 && f <= features[j-1]) {
			return fmt.Errorf("feature %d of %d", f, all)
		}
	}
	return nil
}

// Save writes the fitted models to path, as a whole or not at all: a Save that
// fails leaves the file that was there. Errors as MarshalBinary's, and the file
// system's.
func (b *Bagging) Save(path string) error { return save(baggingName, path, b) }

// Load reads models that Save of an equally configured Bagging wrote. Errors as
// UnmarshalBinary's, and the file system's.
func (b *Bagging) Load(path string) error { return load(baggingName, path, b) }

// SaveWithPrefix writes the fitted models into an archive of golearn, under one
// key, and leaves the archive open. Errors as MarshalBinary's.
func (b *Bagging) SaveWithPrefix(w *base.ClassifierSerializer, prefix string) error {
	return saveWithPrefix(baggingName, w, prefix, b)
}

// LoadWithPrefix reads what SaveWithPrefix wrote. Errors as UnmarshalBinary's.
func (b *Bagging) LoadWithPrefix(r *base.ClassifierDeserializer, prefix string) error {
	return loadWithPrefix(baggingName, baggingKind, r, prefix, b)
}

// GetMetadata returns the name and version of the format.
func (b *Bagging) GetMetadata() base.ClassifierMetadataV1 { return metadata(baggingKind) }
