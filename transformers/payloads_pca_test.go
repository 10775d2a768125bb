package transformers

import (
	"testing"

	"github.com/kernelearn/kernelearn/kernels"
)

func TestHostilePayloadsPca(t *testing.T) {
	RejectPayloads(t, map[string]Payload{
		"no components":  {&PCA{}, "transformers.PCA", pcaModel{}},
		"means of it":    {&PCA{}, "transformers.PCA", pcaModel{Means: []float64{1, 2}, Components: SingleOne(), Deviations: []float64{1}, Ratios: []float64{1}}},
		"deviations":     {&PCA{}, "transformers.PCA", pcaModel{Means: []float64{1}, Components: SingleOne(), Ratios: []float64{1}}},
		"below 0":        {&PCA{}, "transformers.PCA", pcaModel{Means: []float64{1}, Components: SingleOne(), Deviations: []float64{-1}, Ratios: []float64{1}}},
		"share of 2":     {&PCA{}, "transformers.PCA", pcaModel{Means: []float64{1}, Components: SingleOne(), Deviations: []float64{1}, Ratios: []float64{2}}},
		"no kernel rows": {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"weights":        {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: SingleOne(), Weights: Ones(2), Shift: []float64{0}, Values: []float64{1}, Ratios: []float64{1}}},
		"shifts":         {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: SingleOne(), Weights: SingleOne(), Values: []float64{1}, Ratios: []float64{1}}},
		"values":         {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: SingleOne(), Weights: SingleOne(), Shift: []float64{0}, Ratios: []float64{1}}},
		"a kernel":       {&KernelPCA{}, "transformers.KernelPCA", storedKernelPCA{Kernel: kernels.MakeReference(kernels.Linear{}, kernels.Linear{}), Rows: SingleOne(), Weights: SingleOne(), Shift: []float64{0}, Values: []float64{1}, Ratios: []float64{1}}},
	})
}
