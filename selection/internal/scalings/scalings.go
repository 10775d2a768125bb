// Package scalings has the ways in which the columns of rows are made even with nothing set: the steps before a kernel is learnt.
package scalings

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Scaling is a transformation that makes the columns even.
type Scaling struct {
	Name    string
	Encoded []int // the categories whose mean targets are columns too: see WithMeans
	step    func() transformers.Transformer
}

// All lists the scalings that a Regressor and a Classifier try if nothing is set. After each a shape.Search
// learns its own kernel. For classes models of one length for all columns, found by entropy, made
// the mean no better: settled on 24 sets, two splits of seed 8.
var All = []Scaling{
	{Name: "standardised", step: func() transformers.Transformer { return &scalers.StandardScaler{Clip: true} }},
	{Name: "Yeo-Johnson", step: func() transformers.Transformer { return &columnwise.PowerTransformer{Clip: true} }},
}

const (
	// NameWithMeans is the name of WithMeans.
	NameWithMeans = "standardised with means of categories"
	// leastLevels is the number of levels from which the mean target of a category is tried as a column. Of fewer levels
	// the length of the category learns as much.
	leastLevels = 11
	// gapCode is the category of a gap: a number that no code is likely to be.
	gapCode = -1 << 53
)

// WithMeans has the mean targets of some categories as columns, beside the categories. Levels with similar means are
// then similar, which no length of a category can say. On nine tables with up to 2000 levels the mean of the errors was
// 0.996 of that without, the largest 1.01; settled on nine others.
func WithMeans(categories []int) Scaling {
	return Scaling{Name: NameWithMeans, Encoded: categories, step: All[0].step}
}

// Step returns the step for rows whose first columns are so many categories, which it leaves as they are.
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

// Filling takes the place of gaps, wherever they come. Categories become the first columns. The indicators of gaps stay numbers: once
// standardised, two of their values are as far apart as two categories are at the start of a climb. As categories they were level on
// four sets with gaps of their own, and 1.3% worse in the geometric mean of 20 with gaps that were drawn, six splits of seeds 7 and 8.
func Filling(categories []int) transformers.Transformer {
	fill := &columnwise.Imputer{Statistic: columnwise.Median, Indicators: true}
	if len(categories) == 0 {
		return fill
	}
	return &pipeline.ColumnTransformer{Rest: fill, Parts: []pipeline.ColumnPart{
		{Columns: categories, Of: &columnwise.Imputer{Statistic: columnwise.Constant, Value: gapCode}},
	}}
}

// ManyLevels returns those of the categories, so many first columns of x, that have levels enough for WithMeans.
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

// BendsNothing reports whether a step leaves every column as standardising makes it: a PowerTransformer of columns of two
// values, for one, or of no column.
func BendsNothing(chain *pipeline.Transformer) bool {
	step := chain.FittedSteps()[0]
	if c, ok := step.(*pipeline.ColumnTransformer); ok {
		parts := c.FittedParts()
		step = parts[len(parts)-1].Of
	}
	p, ok := step.(*columnwise.PowerTransformer)
	return step == nil || ok && !slices.ContainsFunc(p.Lambdas(), func(l float64) bool { return l != 1 })
}
