//go:build !purego

package simd

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// replaced runs a test on each vector path that this processor supports.
func replaced(t *testing.T, test func(t *testing.T)) {
	if !hasVectors {
		t.Skip("no AVX2 here")
	}
	defer func(was bool) { hasAVX512 = was }(hasAVX512)
	if hasAVX512 {
		t.Run("AVX-512", test)
	}
	hasAVX512 = false
	t.Run("AVX2", test)
}

// everywhere runs a test on each vector path, and without vectors.
func everywhere(t *testing.T, test func(t *testing.T)) {
	if hasVectors {
		replaced(t, test)
	}
	defer func(was2, was512 bool) { hasVectors, hasAVX512 = was2, was512 }(hasVectors, hasAVX512)
	hasVectors, hasAVX512 = false, false
	t.Run("neither", test)
}

// onPaths calls f on each path of this processor, with and without vectors.
func onPaths(f func(path string, vectors bool)) {
	defer func(was2, was512 bool) { hasVectors, hasAVX512 = was2, was512 }(hasVectors, hasAVX512)
	if hasAVX512 {
		f("AVX-512", true)
	}
	if hasAVX512 = false; hasVectors {
		f("AVX2", true)
	}
	hasVectors = false
	f("neither", false)
}

// Results do not depend on AVX-512, except for triangular matrices.
func TestProcessorDoesNotMatter(t *testing.T) {
	if !hasAVX512 {
		t.Skip("no AVX-512 here")
	}
	calls := largeCalls()
	for seed := range uint64(1000) {
		calls = append(calls, randomCall(source{rand.New(rand.NewPCG(seed, 2))}))
	}
	defer func() { hasAVX512 = true }()
	for _, c := range calls {
		if strings.HasPrefix(c.name, "Dtr") && c.name[:5] != "Dtrsv" {
			continue
		}
		hasAVX512 = true
		want := bits(c.result(Implementation{}))
		hasAVX512 = false
		require.True(t, slices.Equal(want, bits(c.result(Implementation{}))), c.name)
	}
}

// gonum's Dger v0.17.0 on amd64 reads outside its vectors if an increment is negative. Ours does not, as documented.
func TestDgerBackwards(t *testing.T) {
	if !hasVectors {
		t.Skip("no AVX2 here")
	}
	const m, n = 3, 5
	x, y := []float64{3, -1, 2, -1, 1}, []float64{5, 4, 3, 2, 1}
	a := make([]float64, m*n)
	Implementation{}.Dger(m, n, 2, x, -2, y, -1, a, n)
	for i := range m {
		for j := range n {
			require.Equal(t, 2*float64((i+1)*(j+1)), a[i*n+j])
		}
	}
}
