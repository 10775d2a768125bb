// Package scalings provides the scalings of columns that a fit with default settings tries.
package scalings

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Scaling transforms columns so that their values have comparable sizes.
type Scaling struct {
	Name    string
	Encoded []int // categories whose mean targets become columns: see WithMeans
	step    func() transformers.Transformer
}

// All lists the scalings of a Regressor and a Classifier with default settings. A shape.Search learns a separate kernel after each.
// For classes, models with one length for all columns, found by entropy, were also tried. They did not improve the mean on 24 sets,
// with two splits of seed 8.
var All = []Scaling{
	{Name: "standardised", step: func() transformers.Transformer { return &scalers.StandardScaler{Clip: true} }},
	{Name: "Yeo-Johnson", step: func() transformers.Transformer { return &columnwise.PowerTransformer{Clip: true} }},
}

const (
	// NameWithMeans is the name of the scaling that WithMeans returns.
	NameWithMeans = "standardised with means of categories"
	// leastLevels is the smallest number of levels with which the mean targets of a category are tried as a column. With fewer
	// levels, the length of the category captures as much.
	leastLevels = 11
	// gapCode is the code of a gap. It is a number that is unlikely to be the code of a level.
	gapCode = -1 << 53
)

// WithMeans returns a scaling that also adds the mean targets of some categories as columns. Levels with similar means become
// similar, which no length of a category can express. On nine tables with up to 2000 levels, the mean ratio of the errors with and
// without these columns was 0.996, and the largest 1.01. It was chosen on nine other tables.
func WithMeans(categories []int) Scaling {
	return Scaling{Name: NameWithMeans, Encoded: categories, step: All[0].step}
}

// Step returns the step of the scaling. The first columns of its rows are the given number of categories, which it does not change.
func (s Scaling) Step(categories int) transformers.Transformer {
	if categories == 0 {
		return s.step()
	}
	first := make([]int, categories)
	for j := range first {
		first[j] = j
	}
	out := &pipeline.ColumnTransformer{Rest: s.step(), Parts: []pipeline.ColumnPart{{Columns: first}}}
	if len(s.Encoded) > 0 {
		out.Parts = append(out.Parts, pipeline.ColumnPart{Columns: s.Encoded,
			Of: &pipeline.Transformer{Steps: []transformers.Transformer{&columnwise.TargetEncoder{}, s.step()}}})
	}
	return out
}

// Filling returns the step that fills gaps, whether or not the training rows have any. It moves categories to the first columns.
// The indicators of gaps stay numeric: after standardisation their two values are initially as far apart as two levels. As
// categories they made no difference on four sets with real gaps. On 20 sets with random gaps (six splits of seeds 7 and 8) they
// were 1.3% worse in the geometric mean.
func Filling(categories []int) transformers.Transformer {
	fill := &columnwise.Imputer{Statistic: columnwise.Median, Indicators: true}
	if len(categories) == 0 {
		return fill
	}
	return &pipeline.ColumnTransformer{Rest: fill, Parts: []pipeline.ColumnPart{
		{Columns: categories, Of: &columnwise.Imputer{Statistic: columnwise.Constant, Value: gapCode}},
	}}
}

// ManyLevels returns the categories that have enough levels for WithMeans. The first columns of x are the categories.
func ManyLevels(x *mat.Dense, categories int) (out []int) {
	n, _ := x.Dims()
	for j := range categories {
		levels := map[float64]bool{}
		for i := range n {
			levels[x.At(i, j)] = true
		}
		if len(levels) >= leastLevels {
			out = append(out, j)
		}
	}
	return out
}

// IsStandardisation reports whether a scaling returns the same columns as standardisation. A PowerTransformer does so if it has no
// columns, or if λ = 1 in each column.
func IsStandardisation(chain *pipeline.Transformer) bool {
	step := chain.FittedSteps()[0]
	if c, ok := step.(*pipeline.ColumnTransformer); ok {
		parts := c.FittedParts()
		step = parts[len(parts)-1].Of
	}
	p, ok := step.(*columnwise.PowerTransformer)
	return step == nil || ok && !slices.ContainsFunc(p.Lambdas(), func(l float64) bool { return l != 1 })
}
