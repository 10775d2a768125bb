package main

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
	"github.com/kernelearn/kernelearn/kernels/families"
)

var ctx = context.Background()

func output(t *testing.T, args ...string) string {
	var out bytes.Buffer
	require.NoError(t, run(ctx, args, &out, io.Discard))
	return out.String()
}

// small writes a subset of the shipped set, under the name of a set of the paper, and returns its folder.
func small(t *testing.T) string {
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "data", "diabetes-progression.csv"))
	require.NoError(t, err)
	dir := t.TempDir()
	lines := strings.SplitAfter(string(content), "\n")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "slump.csv"), []byte(strings.Join(lines[:61], "")), 0o600))
	return dir
}

func TestShippedSet(t *testing.T) {
	out := output(t, "-quick", "-splits", "1", "-families", "rbf")
	assert.Contains(t, out, "Without -data")
	assert.Regexp(t, `Table 3.*\n\nset .*\ndiabetes-progression +-(1\.0|0\.9)\d\d +-0\.[5-9]`, out, "the paper's link, and no figure of the paper")
	assert.Regexp(t, `Table 10(.*\n){3}diabetes-progression .* 1 of 1`, out)
	assert.Regexp(t, `The searches, RBF.*\n\nset .*\ndiabetes-progression( +0\.[67]\d{3}){4} +3\.0`, out)
	assert.NotContains(t, out, "polynomial")
}

// The tables are the same without earlier results and with a file of results that ends in the middle of a line.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.csv")
	args := []string{"-data", small(t), "-sets", "slump", "-quick"}
	fresh := output(t, args...)
	assert.Regexp(t, `slump +-0\.\d{3} \(-0\.909\)`, fresh, "the paper's figure beside ours")
	assert.Equal(t, fresh, output(t, append(args, "-workers", "1")...), "the workers change nothing")
	args = append(args, "-results", path)
	assert.Equal(t, fresh, output(t, args...))
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 2*(6+3+12+3+6), bytes.Count(content, []byte("\n")))
	require.NoError(t, os.WriteFile(path, content[:len(content)/2], 0o600))
	assert.Equal(t, fresh, output(t, args...))
	// Points in the file are not computed again.
	require.NoError(t, os.WriteFile(path, bytes.ReplaceAll(content, []byte(",golden section,"), []byte(",0.07,")), 0o600))
	grown := output(t, args...)
	assert.Equal(t, fresh, grown)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, 2*(6+3+12+3+6)+4, bytes.Count(after, []byte("\n")), "only the four that were removed")
	// With another seed or another machine, the points in the file are not used.
	assert.NotEqual(t, fresh, output(t, append(args, "-seed", "2")...))
	assert.NotEqual(t, fresh, output(t, append(args, "-intercept")...))
	for _, line := range []string{"a,b", "a,rbf,x,1,e,1,1,1,1,1,1", "a,rbf,0,1,e,1,1,1,1,1,x"} {
		require.NoError(t, os.WriteFile(path, []byte(line+"\n"), 0o600))
		require.ErrorContains(t, run(ctx, args, io.Discard, io.Discard), "line 1")
	}
}

func TestPictures(t *testing.T) {
	dir := t.TempDir()
	args := []string{"-data", small(t), "-sets", "slump", "-quick", "-splits", "1", "-out", dir}
	output(t, args...)
	names, err := filepath.Glob(filepath.Join(dir, "entropy-figure*.png"))
	require.NoError(t, err)
	assert.Len(t, names, 10)
	for _, name := range names {
		f, err := os.Open(name)
		require.NoError(t, err)
		picture, err := png.Decode(f)
		require.NoError(t, err, name)
		assert.Greater(t, picture.Bounds().Dx(), 200)
		require.NoError(t, f.Close())
	}
}

func TestFlags(t *testing.T) {
	words := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(words, "two.csv"), []byte("a,y\n1,p\n2,q\n"), 0o600))
	for want, args := range map[string][]string{
		"-splits 0": {"-splits", "0"}, "-basis -1": {"-basis", "-1"}, `-families: "tanh" is none of [rbf poly elm]`: {"-families", "rbf,tanh"}, `unexpected argument "table"`: {"table"},
		"nowhere.csv": {"-sets", "nowhere"}, "two: 2 classes, want a regression": {"-data", words, "-sets", "two"},
	} {
		assert.ErrorContains(t, run(ctx, args, io.Discard, io.Discard), want)
	}
	done, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, run(done, nil, io.Discard, io.Discard), context.Canceled)
}

func TestGrids(t *testing.T) {
	s, err := parse(nil, io.Discard)
	require.NoError(t, err)
	assert.Equal(t, 5, s.splits)
	sizes := map[string][2]int{"rbf": {24, 16}, "poly": {46, 32}, "elm": {24, 16}}
	for _, f := range s.families {
		assert.Equal(t, sizes[f.name], [2]int{len(s.params(f, "boston")), len(s.params(f, "abalone"))})
		assert.IsIncreasing(t, f.grid)
		// The grid contains the best parameters that the paper prints.
		for set, p := range paper[f.name] {
			if !math.IsNaN(p.best) {
				assert.Contains(t, s.params(f, set), p.best, "%s, %s", f.name, set)
			}
		}
	}
	assert.Len(t, strings.Split(paperSets, ","), 11)
	for _, set := range strings.Split(paperSets+",abalone", ",") {
		assert.Contains(t, paper["rbf"], set)
		assert.Contains(t, paper["poly"], set)
	}
}

// For integer degrees, the fractional polynomial equals the polynomial of the library.
func TestFractionalPolynomial(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 0, 0.6, 0.8, -1, 0})
	for _, degree := range []float64{1, 2, 7} {
		a, b := fractional{}.Kernel(degree), families.Polynomial{}.Kernel(degree)
		for i := range 3 {
			for j := range 3 {
				assert.InDelta(t, b.Eval(x.RawRowView(i), x.RawRowView(j)), a.Eval(x.RawRowView(i), x.RawRowView(j)), 1e-14)
			}
		}
	}
	half := fractional{}.Kernel(1.5)
	assert.InDelta(t, math.Pow(0.8, 1.5), half.Eval(x.RawRowView(0), x.RawRowView(1)), 1e-15)
	assert.Zero(t, half.Eval(x.RawRowView(0), x.RawRowView(2)), "opposite rows")
}

func TestStatistics(t *testing.T) {
	assert.Equal(t, []float64{2.5, 4, 1, 2.5}, ranks([]float64{3, 9, -1, 3}))
	l := linkOf([]float64{0, 1, 2, 3}, []float64{1, 0, -1, -20})
	assert.Equal(t, -1.0, l.spearman)
	assert.InDelta(t, -32.0/math.Sqrt(5*302), l.pearson, 1e-12)

	// For three or more points on a parabola, fitParabola returns that parabola, wherever the points are.
	want := parabola{2, -0.7, 0.9}
	x := []float64{0, 0.1, 0.1, 0.35, 0.99, 1}
	var y []float64
	for _, v := range x {
		y = append(y, want.value(v))
	}
	got := fitParabola(x, y)
	assert.InDeltaSlice(t, want[:], got[:], 1e-12)
	assert.InDelta(t, 0.7/1.8, got.lowest(), 1e-12)
	assert.True(t, math.IsNaN(parabola{0, 1, -1}.lowest()))
	// The residuals of a least-squares fit are orthogonal to 1, x and x².
	y[2] += 0.3
	got = fitParabola(x, y)
	var sums [3]float64
	for i, v := range x {
		r := y[i] - got.value(v)
		sums[0] += r
		sums[1] += r * v
		sums[2] += r * v * v
	}
	assert.InDeltaSlice(t, []float64{0, 0, 0}, sums[:], 1e-12)

	assert.Equal(t, []float64{-2, 3, 4}, monotonic([]float64{0.1, 0.3, 0.4}, []float64{4, 9, 16}, 0.3))
	assert.Equal(t, []float64{2}, monotonic([]float64{0.1}, []float64{4}, math.NaN()), "without a least point all are on its right")
}

// With fewer basis functions the entropies are those of the complete matrix, and no machine has more vectors than basis functions.
func TestBasis(t *testing.T) {
	path := filepath.Join(t.TempDir(), "points.csv")
	args := []string{"-data", small(t), "-sets", "slump", "-quick", "-splits", "1", "-families", "rbf", "-results", path}
	output(t, args...)
	output(t, append(args, "-basis", "12")...)
	r, err := openResults(path)
	require.NoError(t, err)
	defer r.close()
	fewer := 0
	for at, p := range r.done {
		if !strings.Contains(at.extra, "basis of 12") {
			continue
		}
		assert.LessOrEqual(t, p.vectors, 12)
		at.extra = strings.Replace(at.extra, ", basis of 12", "", 1)
		whole, ok := r.done[at]
		require.True(t, ok)
		if at.at != "entropy by score" { // this search may choose differently for another machine
			assert.Equal(t, whole.entropy, p.entropy)
		}
		if p.vectors != whole.vectors {
			fewer++
		}
	}
	assert.Positive(t, fewer)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
