package transformers

import (
	"math"
	"testing"
)

func TestHostilePayloadsScaling(t *testing.T) {
	RejectPayloads(t, map[string]Payload{
		"no scales":      {&StandardScaler{}, "transformers.StandardScaler", standardScalerModel{}},
		"lengths":        {&StandardScaler{}, "transformers.StandardScaler", standardScalerModel{Means: []float64{0, 0}, Scales: []float64{1}}},
		"infinite mean":  {&StandardScaler{}, "transformers.StandardScaler", standardScalerModel{Means: []float64{math.Inf(1)}, Scales: []float64{1}}},
		"zero scale":     {&StandardScaler{}, "transformers.StandardScaler", standardScalerModel{Means: []float64{0}, Scales: []float64{0}}},
		"negative scale": {&RMSScaler{}, "transformers.RMSScaler", rmsScalerModel{Scales: []float64{1, -1}}},
		"NaN scale":      {&RMSScaler{}, "transformers.RMSScaler", rmsScalerModel{Scales: []float64{math.NaN()}}},
		"infinite scale": {&RMSScaler{}, "transformers.RMSScaler", rmsScalerModel{Scales: []float64{math.Inf(1)}}},
		"no width":       {&UnitRows{}, "transformers.UnitRows", unitRowsModel{}},
		"no minimum":     {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{High: 1}},
		"min above max":  {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{High: 1, Min: []float64{2}, Max: []float64{1}}},
		"NaN minimum":    {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{High: 1, Min: []float64{math.NaN()}, Max: []float64{1}}},
		"no range":       {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{Min: []float64{0}, Max: []float64{1}}},
		"infinite range": {&MinMaxScaler{}, "transformers.MinMaxScaler", minMaxModel{High: math.Inf(1), Min: []float64{0}, Max: []float64{1}}},
		"other kind":     {&UnitRows{}, "transformers.RMSScaler", rmsScalerModel{Scales: []float64{1}}},
	})
}
