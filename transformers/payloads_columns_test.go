package transformers

import (
	"math"
	"testing"

	"github.com/kernelearn/kernelearn/internal/codec"
)

func TestHostilePayloadsColumns(t *testing.T) {
	RejectPayloads(t, map[string]Payload{
		"no scale of λ":  {&PowerTransformer{}, "transformers.PowerTransformer", powerModel{}},
		"λ":              {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Lambdas[0] = 1001 })},
		"range of λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Least[0] = 2 })},
		"shift of λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Shifts[0] = -1 })},
		"infinite λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Lambdas[0] = math.Inf(1) })},
		"scale of λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Scales[0] = 0 })},
		"means of λ":     {&PowerTransformer{}, "transformers.PowerTransformer", powered(func(m *powerModel) { m.Means = nil })},
		"no quantiles":   {&QuantileTransformer{}, "transformers.QuantileTransformer", quantileModel{}},
		"quantiles":      {&QuantileTransformer{}, "transformers.QuantileTransformer", quantileModel{Quantiles: codec.Matrix{Rows: 1, Cols: 2, Data: []float64{2, 1}}}},
		"NaN quantile":   {&QuantileTransformer{}, "transformers.QuantileTransformer", quantileModel{Quantiles: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.NaN()}}}},
		"no bounds":      {&Winsorizer{}, "transformers.Winsorizer", winsorModel{}},
		"bounds":         {&Winsorizer{}, "transformers.Winsorizer", winsorModel{Low: []float64{2}, High: []float64{1}}},
		"infinite bound": {&Winsorizer{}, "transformers.Winsorizer", winsorModel{Low: []float64{0}, High: []float64{math.Inf(1)}}},
		"no values":      {&Imputer{}, "transformers.Imputer", imputerModel{}},
		"NaN value":      {&Imputer{}, "transformers.Imputer", imputerModel{Values: []float64{math.NaN()}}},
		"indicator":      {&Imputer{}, "transformers.Imputer", imputerModel{Values: []float64{0}, Gaps: []int{1}}},
		"no columns":     {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{}}}},
		"no categories":  {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 1, Columns: []int{0}}},
		"descending":     {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{2, 1}}}},
		"NaN without":    {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 1, Columns: []int{0}, Values: []codec.Floats{{2, math.NaN()}}}},
		"columns":        {&OneHot{}, "transformers.OneHot", oneHotModel{Width: 2, Columns: []int{1, 0}, Values: []codec.Floats{{1}, {1}}}},
	})
}
