package pca_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/pca"
)

func ExamplePCA() {
	// The columns are the length, width and area of leaves, which differ mainly in size.
	leaves := mat.NewDense(6, 3, []float64{2, 1, 1.7, 3, 1.4, 3.6, 4, 2.1, 7, 5, 2.4, 10, 6, 3.1, 15.5, 7, 3.4, 20})
	pca := &pca.PCA{Share: .99}
	if err := pca.Fit(context.Background(), leaves); err != nil {
		log.Fatal(err)
	}
	z, err := pca.Transform(leaves)
	if err != nil {
		log.Fatal(err)
	}
	back, err := pca.InverseTransform(z)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of 3 components, a share of %.3f\n", len(pca.Ratios()), pca.Ratios()[0])
	fmt.Printf("direction %.2f\n", mat.Formatted(pca.Directions()))
	fmt.Printf("first leaf %.1f, again %.1f\n", leaves.RawRowView(0), back.RawRowView(0))
	// Output:
	// 1 of 3 components, a share of 0.998
	// direction [0.25  0.13  0.96]
	// first leaf [2.0 1.0 1.7], again [2.4 1.2 1.6]
}

func ExampleKernelPCA() {
	// Rows in the middle and rows at both ends form two groups that no single threshold can separate.
	rows := mat.NewDense(7, 1, []float64{-3, -2.8, -.1, 0, .1, 2.8, 3})
	kpca := &pca.KernelPCA{Kernel: kernels.Polynomial{Degree: 2, Gamma: 1, Coef0: 1}, Components: 1}
	if err := kpca.Fit(context.Background(), rows); err != nil {
		log.Fatal(err)
	}
	z, err := kpca.Transform(mat.NewDense(3, 1, []float64{-2.9, .05, 2.9}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("share %.2f\n", kpca.Ratios())
	fmt.Printf("%.1f\n", mat.Formatted(z.T()))
	// Output:
	// share [0.65]
	// [-3.6   4.8  -3.6]
}
