package featuremap

import (
	"math"
	"testing"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

func TestHostilePayloads(t *testing.T) {
	maptest.RejectPayloads(t, map[string]maptest.Payload{
		"no rows":        {Into: &KernelMap{}, Kind: "transformers.KernelMap", Content: storedKernelMap{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"infinite row":   {Into: &KernelMap{}, Kind: "transformers.KernelMap", Content: storedKernelMap{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.Inf(1)}}}},
		"other kernel":   {Into: &KernelMap{}, Kind: "transformers.KernelMap", Content: storedKernelMap{Kernel: kernels.MakeReference(kernels.Linear{}, kernels.Linear{}), Rows: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}}},
		"no means":       {Into: &KernelCenterer{}, Kind: "transformers.KernelCenterer", Content: kernelCentererModel{}},
		"infinite means": {Into: &KernelCenterer{}, Kind: "transformers.KernelCenterer", Content: kernelCentererModel{Means: []float64{math.Inf(-1)}}},
		"no units":       {Into: &RandomHidden{}, Kind: "transformers.RandomHidden", Content: hiddenModel{}},
		"biases":         {Into: &RandomHidden{}, Kind: "transformers.RandomHidden", Content: hiddenModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}}},
		"infinite bias":  {Into: &RandomHidden{}, Kind: "transformers.RandomHidden", Content: hiddenModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}, B: []float64{math.Inf(1)}}},
		"activation":     {Into: &RandomHidden{}, Kind: "transformers.RandomHidden", Content: hiddenModel{Activation: 9, W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}, B: []float64{1}}},
		"no frequencies": {Into: &RandomFourier{}, Kind: "transformers.RandomFourier", Content: fourierModel{Scale: 1}},
		"shift":          {Into: &RandomFourier{}, Kind: "transformers.RandomFourier", Content: fourierModel{W: maptest.SingleOne(), Shift: []float64{1, 2}, Scale: 1}},
		"infinite shift": {Into: &RandomFourier{}, Kind: "transformers.RandomFourier", Content: fourierModel{W: maptest.SingleOne(), Shift: []float64{math.Inf(1)}, Scale: 1}},
		"phases":         {Into: &RandomFourier{}, Kind: "transformers.RandomFourier", Content: fourierModel{W: maptest.SingleOne(), Shift: []float64{1}, Phases: []float64{1, 2}, Scale: 1}},
		"NaN phase":      {Into: &RandomFourier{}, Kind: "transformers.RandomFourier", Content: fourierModel{W: maptest.SingleOne(), Shift: []float64{1}, Phases: []float64{math.NaN()}, Scale: 1}},
		"no scale":       {Into: &RandomFourier{}, Kind: "transformers.RandomFourier", Content: fourierModel{W: maptest.SingleOne(), Shift: []float64{1}}},
		"infinite w":     {Into: &RandomFourier{}, Kind: "transformers.RandomFourier", Content: fourierModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.Inf(1)}}, Shift: []float64{1}, Scale: 1}},
		"no v":           {Into: &LocallyStationaryFourier{}, Kind: "transformers.LocallyStationaryFourier", Content: localModel{W: maptest.SingleOne(), Origin: []float64{0}, Scale: 1}},
		"pairs":          {Into: &LocallyStationaryFourier{}, Kind: "transformers.LocallyStationaryFourier", Content: localModel{V: maptest.Ones(2), W: maptest.SingleOne(), Origin: []float64{0}, Scale: 1}},
		"origin":         {Into: &LocallyStationaryFourier{}, Kind: "transformers.LocallyStationaryFourier", Content: localModel{V: maptest.SingleOne(), W: maptest.SingleOne(), Scale: 1}},
		"scale below 0":  {Into: &LocallyStationaryFourier{}, Kind: "transformers.LocallyStationaryFourier", Content: localModel{V: maptest.SingleOne(), W: maptest.SingleOne(), Origin: []float64{0}, Scale: -1}},
		"features":       {Into: &LocallyStationaryFourier{}, Kind: "transformers.LocallyStationaryFourier", Content: localModel{V: maptest.Ones(3000), W: maptest.Ones(3000), AllPairs: true, Origin: []float64{0}, Scale: 1}},
		"no landmarks":   {Into: &Nystroem{}, Kind: "transformers.Nystroem", Content: storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"factor":         {Into: &Nystroem{}, Kind: "transformers.Nystroem", Content: storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: maptest.SingleOne(), Factor: []float64{1, 2}}},
		"factor of 0":    {Into: &Nystroem{}, Kind: "transformers.Nystroem", Content: storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: maptest.SingleOne(), Factor: []float64{0}}},
		"indices":        {Into: &Nystroem{}, Kind: "transformers.Nystroem", Content: storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: maptest.SingleOne(), Factor: []float64{1}, Indices: []int{1, 2}}},
		"residual":       {Into: &Nystroem{}, Kind: "transformers.Nystroem", Content: storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: maptest.SingleOne(), Factor: []float64{1}, Residual: []float64{math.NaN()}}},
		"landmark":       {Into: &Nystroem{}, Kind: "transformers.Nystroem", Content: storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.NaN()}}, Factor: []float64{1}}},
		"the kernel":     {Into: &Nystroem{}, Kind: "transformers.Nystroem", Content: storedNystroem{Kernel: kernels.MakeReference(kernels.RBF{}, kernels.RBF{}), Landmarks: maptest.SingleOne(), Factor: []float64{1}}},
	})
}
