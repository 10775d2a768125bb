package scalers

import (
	"math"
	"testing"

	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

func TestHostilePayloads(t *testing.T) {
	maptest.RejectPayloads(t, map[string]maptest.Payload{
		"no scales":      {Into: &StandardScaler{}, Kind: "transformers.StandardScaler", Content: standardScalerModel{}},
		"lengths":        {Into: &StandardScaler{}, Kind: "transformers.StandardScaler", Content: standardScalerModel{Means: []float64{0, 0}, Scales: []float64{1}}},
		"infinite mean":  {Into: &StandardScaler{}, Kind: "transformers.StandardScaler", Content: standardScalerModel{Means: []float64{math.Inf(1)}, Scales: []float64{1}}},
		"zero scale":     {Into: &StandardScaler{}, Kind: "transformers.StandardScaler", Content: standardScalerModel{Means: []float64{0}, Scales: []float64{0}}},
		"negative scale": {Into: &RMSScaler{}, Kind: "transformers.RMSScaler", Content: rmsScalerModel{Scales: []float64{1, -1}}},
		"NaN scale":      {Into: &RMSScaler{}, Kind: "transformers.RMSScaler", Content: rmsScalerModel{Scales: []float64{math.NaN()}}},
		"infinite scale": {Into: &RMSScaler{}, Kind: "transformers.RMSScaler", Content: rmsScalerModel{Scales: []float64{math.Inf(1)}}},
		"no width":       {Into: &UnitRows{}, Kind: "transformers.UnitRows", Content: unitRowsModel{}},
		"no minimum":     {Into: &MinMaxScaler{}, Kind: "transformers.MinMaxScaler", Content: minMaxModel{High: 1}},
		"min above max":  {Into: &MinMaxScaler{}, Kind: "transformers.MinMaxScaler", Content: minMaxModel{High: 1, Min: []float64{2}, Max: []float64{1}}},
		"NaN minimum":    {Into: &MinMaxScaler{}, Kind: "transformers.MinMaxScaler", Content: minMaxModel{High: 1, Min: []float64{math.NaN()}, Max: []float64{1}}},
		"no range":       {Into: &MinMaxScaler{}, Kind: "transformers.MinMaxScaler", Content: minMaxModel{Min: []float64{0}, Max: []float64{1}}},
		"infinite range": {Into: &MinMaxScaler{}, Kind: "transformers.MinMaxScaler", Content: minMaxModel{High: math.Inf(1), Min: []float64{0}, Max: []float64{1}}},
		"other kind":     {Into: &UnitRows{}, Kind: "transformers.RMSScaler", Content: rmsScalerModel{Scales: []float64{1}}},
	})
}
