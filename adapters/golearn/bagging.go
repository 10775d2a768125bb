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

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

// defaultModels is the number of models in a Bagging.
const defaultModels = 10

// leastModel is the smallest memory of a model, in bytes.
const leastModel = 1024

// bootstrapAttempts limits how often the rows of a model are drawn until they contain every class.
const bootstrapAttempts = 100

// bootstrapStream separates the random numbers of a Bagging from those that a model draws with the same seed.
const bootstrapStream = 0x62616767

// Bagging is a base.Classifier that fits several models and combines their predictions (Breiman, Machine Learning 24, 1996,
// 123-140). It fits each model to n of the n rows, drawn with replacement. Unlike golearn's meta.BaggedModel it has a seed, returns
// errors, and also works for regression.
//
// Predict returns, for each row, the class that most models predict. Ties go to the first class in the class attribute's order. For
// a float class it returns the mean of the predictions.
//
// A float class is also put to the vote if the training grid contains only 0 and 1, the models predict only these, and the grid
// does not come from golearn's meta.OneVsAllModel, which needs scores. If a model predicts a class that the training grid does not
// contain, the error is ErrParam. Errors contain the number of the first model that failed.
//
// Rows are drawn again, at most 100 times, until they contain every class of the training grid. The paper does not require this,
// but a model may reject rows of a single class. The drawn rows and features depend only on Seed, not on Workers.
//
// Some models choose their settings by leave-one-out, as those of lssvm do by default. If a row was drawn more than once, leaving
// out one copy keeps the others, and such a model overfits its training rows. Set Fraction for these models.
//
// Fit and Predict cost Models times as much as those of one model.
type Bagging struct {
	// New returns a new, unfitted model at each call: a model of this package, or a golearn classifier. Panics of golearn
	// classifiers become errors.
	New func() base.Classifier
	// Models is the number of models; 0: 10.
	Models int
	// Features is the number of features of each model, drawn without replacement; 0: all.
	Features int
	// Fraction is the share of the rows, rounded, that are drawn for each model without replacement. It is at most 1. If it is 0, n
	// of the n rows are drawn with replacement.
	Fraction float64
	Seed     uint64 // 0 is a valid seed
	Workers  int    // number of models that are fitted concurrently; 0: GOMAXPROCS

	adapter[baggingModel]
}

type baggingModel struct {
	trained
	votes   bool // the models vote on a float class of 0 and 1
	workers int
	members []baggingMember
}

type baggingMember struct {
	features []int // indices of the schema's columns, ascending
	model    base.Classifier
}

const baggingKind = "golearn.Bagging"

var _ gridEstimator = (*Bagging)(nil)

// Fit fits the models to the rows of grid. It is FitContext with a background context.
func (b *Bagging) Fit(grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(context.Background(), b, grid)
}

// FitContext fits the models to the rows of grid, which has one class attribute. If it returns an error, the model is unchanged. It
// returns ErrParam for a nil New or grid, a field out of range, or a class that does not occur in 100 draws. It returns ErrShape if
// there are no rows, no features, or not exactly one class attribute. It also returns the error of the first model that failed,
// with its number, or ctx's error.
func (b *Bagging) FitContext(ctx context.Context, grid base.FixedDataGrid) (err error) {
	defer fault.Recover(&err)
	return fit(ctx, b, grid)
}

func (b *Bagging) fitTable(ctx context.Context, t *gridtable.Table) error {
	members, err := b.build()
	if err != nil {
		return err
	}
	if b.Features > len(t.Features) {
		return fault.Param("input", "Features", b.Features, fmt.Sprintf("at most the grid's %d", len(t.Features)))
	}
	if t, err = t.Copy(); err != nil {
		return err
	}
	class, count := gridtable.Strata(t.Classes[0].Numbers)
	if !hard(&t.Classes[0]) {
		count = 0
	}
	err = parallel.ForEach(ctx, b.Workers, len(members), func(i int) error {
		rng := rand.New(rand.NewPCG(b.Seed, bootstrapStream+uint64(i)))
		rows, err := b.draw(class, count, rng)
		if err == nil {
			members[i].features = b.drawFeatures(len(t.Features), rng)
			err = fitInner(ctx, members[i].model, t.Pick(members[i].features, rows))
		}
		if err != nil {
			return fmt.Errorf("model %d: %w", i, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	b.fitted = &baggingModel{trained: keep(t), workers: b.Workers, votes: !t.OneVsAll && count > 0, members: members}
	return nil
}

// build returns new, unfitted models.
func (b *Bagging) build() ([]baggingMember, error) {
	switch {
	case b.New == nil:
		return nil, fault.Param("input", "New", nil, "a function that returns a model")
	case b.Models < 0:
		return nil, fault.Param("input", "Models", b.Models, ">= 1, or 0 for the default")
	case b.Features < 0:
		return nil, fault.Param("input", "Features", b.Features, ">= 1, or 0 for all")
	case b.Workers < 0:
		return nil, fault.Param("input", "Workers", b.Workers, ">= 1, or 0 for GOMAXPROCS")
	case !(b.Fraction >= 0 && b.Fraction <= 1):
		return nil, fault.Param("input", "Fraction", b.Fraction, ">= 0 and at most 1")
	}
	models := b.Models
	if models == 0 {
		models = defaultModels
	}
	if err := check.Bytes(fmt.Sprintf("a Bagging of %d Models", models), float64(models)*leastModel, "take fewer Models"); err != nil {
		return nil, err
	}
	out := make([]baggingMember, models)
	for i := range out {
		if out[i].model = b.New(); out[i].model == nil {
			return nil, fault.Param("input", "New", "a function that returns nil", "one that returns a model")
		}
	}
	return out, nil
}

// drawFeatures draws the features of a model, and returns their indices.
func (b *Bagging) drawFeatures(width int, rng *rand.Rand) []int {
	out := rng.Perm(width)
	if b.Features > 0 {
		out = out[:b.Features]
	}
	slices.Sort(out)
	return out
}

// hard reports whether a class is categorical or binary, or a float class of 0 and 1.
func hard(class *gridtable.Cells) bool {
	return class.Column.Kind != gridtable.FloatKind || !slices.ContainsFunc(class.Numbers, func(v float64) bool { return v != 0 && v != 1 })
}

// draw draws rows until they contain each of count classes, and returns their indices.
func (b *Bagging) draw(class []int, count int, rng *rand.Rand) ([]int, error) {
	rows := make([]int, len(class))
	for range bootstrapAttempts {
		if b.Fraction > 0 {
			rows = rng.Perm(len(class))[:max(1, int(math.Round(b.Fraction*float64(len(class)))))]
		} else {
			for i := range rows {
				rows[i] = rng.IntN(len(class))
			}
		}
		seen, left := make([]bool, count), count
		for _, r := range rows {
			if left > 0 && !seen[class[r]] {
				seen[class[r]] = true
				left--
			}
		}
		if left == 0 {
			return rows, nil
		}
	}
	return nil, fault.Param("input", "grid", fmt.Sprintf("%d rows of %d classes", len(class), count),
		fmt.Sprintf("more rows of the rarest class: %d draws left one out", bootstrapAttempts))
}

func (m *baggingModel) kind() string { return baggingKind }

func (m *baggingModel) predict(t *gridtable.Table) (gridtable.Cells, error) {
	of, err := m.votesOf(t)
	if err != nil {
		return gridtable.Cells{}, err
	}
	out := make([]float64, t.Rows)
	if m.Target.Kind == gridtable.FloatKind {
		for i := range out {
			out[i] = m.combine(of, i)
		}
		return gridtable.NewCells(m.Target, out), nil
	}
	shares := m.shares(of, t.Rows)
	for i := range out {
		out[i] = float64(classes.Largest(shares.RawRowView(i)))
	}
	return gridtable.NewCells(m.Target, out), nil
}

// combine returns the mean of the predictions for a row. If the models vote on 0 and 1, it returns the majority, and 0 for a tie.
func (m *baggingModel) combine(of [][]float64, row int) float64 {
	mean, ones, hard := 0.0, 0, m.votes
	for _, p := range of {
		v := p[row]
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

// shares returns the share of the models that predict each class, for each row.
func (m *baggingModel) shares(of [][]float64, rows int) *mat.Dense {
	out := mat.NewDense(rows, m.Target.Categories(), nil)
	for i := range rows {
		row := out.RawRowView(i)
		for _, p := range of {
			row[int(p[i])]++
		}
		for k, n := range row {
			row[k] = n / float64(len(of))
		}
	}
	return out
}

// votesOf returns the class cells that each model predicts for each row.
func (m *baggingModel) votesOf(t *gridtable.Table) ([][]float64, error) {
	t, err := t.Compute() // computed once, because several models read the table at the same time
	if err != nil {
		return nil, err
	}
	of := make([][]float64, len(m.members))
	err = parallel.ForEach(context.Background(), m.workers, len(of), func(i int) error {
		member := m.members[i]
		vote, err := ofInner(member.model, t.Pick(member.features, nil), m.Target, answer)
		if err == nil {
			of[i], err = m.counted(vote)
		}
		if err != nil {
			return fmt.Errorf("model %d: %w", i, err)
		}
		return nil
	})
	return of, err
}

// counted converts the class cells that a model predicts to the levels of the training grid.
func (m *baggingModel) counted(vote gridtable.Cells) ([]float64, error) {
	if vote.Column.Kind != m.Target.Kind {
		return nil, fault.Param("model", "prediction", vote.Column.Kind, m.Target.Kind.String())
	}
	if m.Target.Kind == gridtable.CategoricalKind {
		vote.Recode(m.Target.Values)
	}
	for i, v := range vote.Numbers {
		switch m.Target.Kind {
		case gridtable.FloatKind:
			if v-v != 0 {
				return nil, gridtable.NotFinite(vote.Column.Name, i, v)
			}
		case gridtable.CategoricalKind:
			k := vote.Codes[int(v)]
			if int(k) >= len(m.Target.Values) {
				return nil, fault.Param("model", fmt.Sprintf("prediction for row %d", i), vote.Column.Values[int(k)],
					"a class of the training grid")
			}
			vote.Numbers[i] = k
		}
	}
	return vote.Numbers, nil
}

// PredictProba returns, for each row, the share of the models that predict each class, with columns in the order of Labels. For a
// grid without rows it returns the empty matrix. It returns the errors of Predict. If the class is a float, the error wraps
// errors.ErrUnsupported.
func (b *Bagging) PredictProba(grid base.FixedDataGrid) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return predictProba(b, grid)
}

func (m *baggingModel) proba(t *gridtable.Table) (*mat.Dense, error) {
	if m.Target.Kind == gridtable.FloatKind {
		return nil, fmt.Errorf("a float class has no probabilities: %w", errors.ErrUnsupported)
	}
	if t.Rows == 0 {
		return &mat.Dense{}, nil
	}
	of, err := m.votesOf(t)
	if err != nil {
		return nil, err
	}
	return m.shares(of, t.Rows), nil
}

// Labels returns the levels of the class attribute, including those without training rows. They are "0" and "1" for a binary
// class. Labels returns nil before Fit, and if the class is a float.
func (b *Bagging) Labels() []string {
	if b.fitted == nil || b.fitted.Target.Kind == gridtable.FloatKind {
		return nil
	}
	return gridtable.ClassTexts(b.fitted.Target, upTo(b.fitted.Target.Categories()))
}

// Fitted returns the fitted models, or nil before Fit. They must not be fitted again.
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

// Supports reports whether the method of a capability would work. Proba works unless the class is a float, and Marshalling depends
// on the models.
func (b *Bagging) Supports(capability estimators.Capability) bool {
	w := estimators.Wrapped{Estimators: []any{nil}, Own: []estimators.Capability{estimators.Proba}}
	if b.New != nil {
		w.Estimators = inside(b.New())
	}
	hasNone := capability == estimators.Proba && b.fitted != nil && b.fitted.Target.Kind == gridtable.FloatKind
	return !hasNone && supports(b, capability, w)
}

// String returns the number of models and their type.
func (b *Bagging) String() string {
	if b.fitted == nil {
		return "golearn.Bagging(not fitted)"
	}
	return fmt.Sprintf("golearn.Bagging(%d models, the first %v)", len(b.fitted.members), b.fitted.members[0].model)
}

type baggingPayload struct {
	Trained trained
	Votes   bool
	Members []memberPayload
}

type memberPayload struct {
	Features []int
	Model    modelPart
}

func (m *baggingModel) payload() (any, error) {
	out := baggingPayload{Trained: m.trained, Votes: m.votes}
	for i, member := range m.members {
		model, err := makeModelPart(member.model)
		if err != nil {
			return nil, fmt.Errorf("model %d: %w", i, err)
		}
		out.Members = append(out.Members, memberPayload{Features: member.features, Model: model})
	}
	return out, nil
}

// UnmarshalBinary decodes the output of MarshalBinary of a Bagging with the same New and number of Models. If it returns an error,
// the model is unchanged. The error is ErrBadModel, with the reason, for data that is truncated, changed, or from another
// configuration. It is ErrParam for a nil New.
func (b *Bagging) UnmarshalBinary(data []byte) error {
	members, err := b.build()
	if err != nil {
		return named(b, err)
	}
	var in baggingPayload
	if err := readPayload(b, data, &in); err != nil {
		return err
	}
	if len(in.Members) != len(members) {
		return fault.BadModel(baggingKind, "written with %d models, the receiver has %d", len(in.Members), len(members))
	}
	if err := in.Trained.fits(baggingKind, false, Pass); err != nil {
		return err
	}
	for i, p := range in.Members {
		if err := checkFeatures(p.Features, len(in.Trained.Schema.Columns), b.Features); err != nil {
			return fault.BadModel(baggingKind, "model %d: %v", i, err)
		}
		err := p.Model.fits(baggingKind, members[i].model)
		if err == nil {
			err = p.Model.unmarshalInto(baggingKind, members[i].model)
		}
		if err != nil {
			return named(b, fmt.Errorf("model %d: %w", i, err))
		}
		members[i].features = p.Features
	}
	b.fitted = &baggingModel{trained: in.Trained, workers: b.Workers, votes: in.Votes, members: members}
	return nil
}

// checkFeatures checks the feature indices of one model. Their number must be want, or all if want is 0.
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
