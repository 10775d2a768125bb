package columnwise

import (
	"math"
	"testing"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

func TestHostilePayloads(t *testing.T) {
	maptest.RejectPayloads(t, map[string]maptest.Payload{
		"no scale of λ":  {Into: &PowerTransformer{}, Kind: "transformers.PowerTransformer", Content: powerModel{}},
		"λ":              {Into: &PowerTransformer{}, Kind: "transformers.PowerTransformer", Content: powered(func(m *powerModel) { m.Lambdas[0] = 1001 })},
		"range of λ":     {Into: &PowerTransformer{}, Kind: "transformers.PowerTransformer", Content: powered(func(m *powerModel) { m.Least[0] = 2 })},
		"shift of λ":     {Into: &PowerTransformer{}, Kind: "transformers.PowerTransformer", Content: powered(func(m *powerModel) { m.Shifts[0] = -1 })},
		"infinite λ":     {Into: &PowerTransformer{}, Kind: "transformers.PowerTransformer", Content: powered(func(m *powerModel) { m.Lambdas[0] = math.Inf(1) })},
		"scale of λ":     {Into: &PowerTransformer{}, Kind: "transformers.PowerTransformer", Content: powered(func(m *powerModel) { m.Scales[0] = 0 })},
		"means of λ":     {Into: &PowerTransformer{}, Kind: "transformers.PowerTransformer", Content: powered(func(m *powerModel) { m.Means = nil })},
		"no quantiles":   {Into: &QuantileTransformer{}, Kind: "transformers.QuantileTransformer", Content: quantileModel{}},
		"quantiles":      {Into: &QuantileTransformer{}, Kind: "transformers.QuantileTransformer", Content: quantileModel{Quantiles: codec.Matrix{Rows: 1, Cols: 2, Data: []float64{2, 1}}}},
		"NaN quantile":   {Into: &QuantileTransformer{}, Kind: "transformers.QuantileTransformer", Content: quantileModel{Quantiles: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.NaN()}}}},
		"no bounds":      {Into: &Winsorizer{}, Kind: "transformers.Winsorizer", Content: winsorModel{}},
		"bounds":         {Into: &Winsorizer{}, Kind: "transformers.Winsorizer", Content: winsorModel{Low: []float64{2}, High: []float64{1}}},
		"infinite bound": {Into: &Winsorizer{}, Kind: "transformers.Winsorizer", Content: winsorModel{Low: []float64{0}, High: []float64{math.Inf(1)}}},
		"no values":      {Into: &Imputer{}, Kind: "transformers.Imputer", Content: imputerModel{}},
		"NaN value":      {Into: &Imputer{}, Kind: "transformers.Imputer", Content: imputerModel{Values: []float64{math.NaN()}}},
		"indicator":      {Into: &Imputer{}, Kind: "transformers.Imputer", Content: imputerModel{Values: []float64{0}, Gaps: []int{1}}},
		"no columns":     {Into: &OneHot{}, Kind: "transformers.OneHot", Content: oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{}}}},
		"no levels":      {Into: &OneHot{}, Kind: "transformers.OneHot", Content: oneHotModel{Width: 1, Columns: []int{0}}},
		"descending":     {Into: &OneHot{}, Kind: "transformers.OneHot", Content: oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{2, 1}}}},
		"NaN without":    {Into: &OneHot{}, Kind: "transformers.OneHot", Content: oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{2, math.NaN()}}}},
		"no means":       {Into: &TargetEncoder{}, Kind: "transformers.TargetEncoder", Content: targetEncoderModel{Width: 1, Targets: 1, Columns: []int{0}, Values: []codec.Floats{{1}}, Unseen: []float64{0}}},
		"no targets":     {Into: &TargetEncoder{}, Kind: "transformers.TargetEncoder", Content: targetEncoderModel{Width: 1}},
		"infinite mean":  {Into: &TargetEncoder{}, Kind: "transformers.TargetEncoder", Content: targetEncoderModel{Width: 1, Targets: 1, Columns: []int{0}, Values: []codec.Floats{{1}}, Means: []codec.Floats{{math.Inf(1)}}, Unseen: []float64{0}}},
		"few means":      {Into: &TargetEncoder{}, Kind: "transformers.TargetEncoder", Content: targetEncoderModel{Width: 1, Targets: 1, Columns: []int{0}, Values: []codec.Floats{{1, 2}}, Means: []codec.Floats{{1}}, Unseen: []float64{0}}},
		"columns":        {Into: &OneHot{}, Kind: "transformers.OneHot", Content: oneHotModel{Width: 2, Columns: []int{1, 0}, Values: []codec.Floats{{1}, {1}}}},
	})
}
