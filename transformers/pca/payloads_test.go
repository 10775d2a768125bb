package pca

import (
	"testing"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

func TestHostilePayloads(t *testing.T) {
	maptest.RejectPayloads(t, map[string]maptest.Payload{
		"no components":  {Into: &PCA{}, Kind: "transformers.PCA", Content: pcaModel{}},
		"means of it":    {Into: &PCA{}, Kind: "transformers.PCA", Content: pcaModel{Means: []float64{1, 2}, Components: maptest.SingleOne(), Deviations: []float64{1}, Ratios: []float64{1}}},
		"deviations":     {Into: &PCA{}, Kind: "transformers.PCA", Content: pcaModel{Means: []float64{1}, Components: maptest.SingleOne(), Ratios: []float64{1}}},
		"below 0":        {Into: &PCA{}, Kind: "transformers.PCA", Content: pcaModel{Means: []float64{1}, Components: maptest.SingleOne(), Deviations: []float64{-1}, Ratios: []float64{1}}},
		"share of 2":     {Into: &PCA{}, Kind: "transformers.PCA", Content: pcaModel{Means: []float64{1}, Components: maptest.SingleOne(), Deviations: []float64{1}, Ratios: []float64{2}}},
		"no kernel rows": {Into: &KernelPCA{}, Kind: "transformers.KernelPCA", Content: storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{})}},
		"weights":        {Into: &KernelPCA{}, Kind: "transformers.KernelPCA", Content: storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: maptest.SingleOne(), Weights: maptest.Ones(2), Shift: []float64{0}, Values: []float64{1}, Ratios: []float64{1}}},
		"shifts":         {Into: &KernelPCA{}, Kind: "transformers.KernelPCA", Content: storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: maptest.SingleOne(), Weights: maptest.SingleOne(), Values: []float64{1}, Ratios: []float64{1}}},
		"values":         {Into: &KernelPCA{}, Kind: "transformers.KernelPCA", Content: storedKernelPCA{Kernel: kernels.MakeReference(nil, kernels.RBF{}), Rows: maptest.SingleOne(), Weights: maptest.SingleOne(), Shift: []float64{0}, Ratios: []float64{1}}},
		"a kernel":       {Into: &KernelPCA{}, Kind: "transformers.KernelPCA", Content: storedKernelPCA{Kernel: kernels.MakeReference(kernels.Linear{}, kernels.Linear{}), Rows: maptest.SingleOne(), Weights: maptest.SingleOne(), Shift: []float64{0}, Values: []float64{1}, Ratios: []float64{1}}},
	})
}
