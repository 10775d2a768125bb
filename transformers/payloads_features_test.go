package transformers

import (
	"math"
	"testing"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/kernels"
)

func TestHostilePayloadsFeatures(t *testing.T) {
	RejectPayloads(t, map[string]Payload{
		"no rows":        {&KernelMap{}, "transformers.KernelMap", storedKernelMap{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"infinite row":   {&KernelMap{}, "transformers.KernelMap", storedKernelMap{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.Inf(1)}}}},
		"other kernel":   {&KernelMap{}, "transformers.KernelMap", storedKernelMap{Kernel: kernels.MakeReference(kernels.Linear{}, kernels.Linear{}), Rows: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}}},
		"no means":       {&KernelCenterer{}, "transformers.KernelCenterer", kernelCentererModel{}},
		"infinite means": {&KernelCenterer{}, "transformers.KernelCenterer", kernelCentererModel{Means: []float64{math.Inf(-1)}}},
		"no units":       {&RandomHidden{}, "transformers.RandomHidden", hiddenModel{}},
		"biases":         {&RandomHidden{}, "transformers.RandomHidden", hiddenModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}}},
		"infinite bias":  {&RandomHidden{}, "transformers.RandomHidden", hiddenModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}, B: []float64{math.Inf(1)}}},
		"activation":     {&RandomHidden{}, "transformers.RandomHidden", hiddenModel{Activation: 9, W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{1}}, B: []float64{1}}},
		"no frequencies": {&RandomFourier{}, "transformers.RandomFourier", fourierModel{Scale: 1}},
		"shift":          {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: SingleOne(), Shift: []float64{1, 2}, Scale: 1}},
		"infinite shift": {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: SingleOne(), Shift: []float64{math.Inf(1)}, Scale: 1}},
		"phases":         {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: SingleOne(), Shift: []float64{1}, Phases: []float64{1, 2}, Scale: 1}},
		"NaN phase":      {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: SingleOne(), Shift: []float64{1}, Phases: []float64{math.NaN()}, Scale: 1}},
		"no scale":       {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: SingleOne(), Shift: []float64{1}}},
		"infinite w":     {&RandomFourier{}, "transformers.RandomFourier", fourierModel{W: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.Inf(1)}}, Shift: []float64{1}, Scale: 1}},
		"no v":           {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{W: SingleOne(), Origin: []float64{0}, Scale: 1}},
		"pairs":          {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{V: Ones(2), W: SingleOne(), Origin: []float64{0}, Scale: 1}},
		"origin":         {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{V: SingleOne(), W: SingleOne(), Scale: 1}},
		"scale below 0":  {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{V: SingleOne(), W: SingleOne(), Origin: []float64{0}, Scale: -1}},
		"features":       {&LocallyStationaryFourier{}, "transformers.LocallyStationaryFourier", localModel{V: Ones(3000), W: Ones(3000), AllPairs: true, Origin: []float64{0}, Scale: 1}},
		"no landmarks":   {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"factor":         {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: SingleOne(), Factor: []float64{1, 2}}},
		"factor of 0":    {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: SingleOne(), Factor: []float64{0}}},
		"indices":        {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: SingleOne(), Factor: []float64{1}, Indices: []int{1, 2}}},
		"residual":       {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: SingleOne(), Factor: []float64{1}, Residual: []float64{math.NaN()}}},
		"landmark":       {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Landmarks: codec.Matrix{Rows: 1, Cols: 1, Data: []float64{math.NaN()}}, Factor: []float64{1}}},
		"the kernel":     {&Nystroem{}, "transformers.Nystroem", storedNystroem{Kernel: kernels.MakeReference(kernels.RBF{}, kernels.RBF{}), Landmarks: SingleOne(), Factor: []float64{1}}},
	})
}
