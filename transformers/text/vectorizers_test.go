package text

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/sparse"
)

// reference holds the rows from scikit-learn; see testdata/vectorizers.py.
type reference struct {
	Documents []string
	TFIDF     map[string]struct {
		Terms       []string
		Rows, Fresh [][3]float64
	}
	Hashing map[string]struct{ Rows [][3]float64 }
	Murmur3 map[string]uint32
}

var tfidfCases = map[string]*TFIDF{
	"default":                  {},
	"words of one to three":    {Terms: Terms{Longest: 3}},
	"pairs without stop words": {Terms: Terms{Shortest: 2, StopWords: []string{"the", "and", "ridge"}}},
	"characters":               {Terms: Terms{Unit: Characters, Longest: 3}},
	"characters of words":      {Terms: Terms{Unit: CharactersOfWords, Shortest: 3, Longest: 5}},
	"case":                     {Terms: Terms{KeepCase: true}},
	"limits":                   {MinDocuments: 3, MaxShare: .4},
	"shares":                   {MinShare: .1, MaxDocuments: 12},
	"largest":                  {MaxTerms: 9},
	"sublinear":                {Sublinear: true, Norm: L1},
	"binary":                   {Binary: true, Norm: NoNorm},
	"no idf":                   {NoIDF: true},
	"no smoothing":             {NoSmoothing: true},
}

var hashingCases = map[string]*Hashing{
	"default":     {},
	"few columns": {Columns: 50},
	"no signs":    {Columns: 50, NoSigns: true, Norm: L1},
	"binary":      {Columns: 64, Binary: true, Norm: NoNorm},
	"characters":  {Columns: 1000, Terms: Terms{Unit: CharactersOfWords, Shortest: 2, Longest: 4}},
}

// nonzero returns the positions, as [row, column], and the values of the nonzero entries.
func nonzero(x *sparse.Rows) (places [][2]float64, values []float64) {
	n, _ := x.Dims()
	for i := range n {
		x.DoRowNonZero(i, func(i, j int, v float64) {
			if v != 0 {
				places, values = append(places, [2]float64{float64(i), float64(j)}), append(values, v)
			}
		})
	}
	return places, values
}

func requireEntries(t *testing.T, want [][3]float64, got *sparse.Rows, name string) {
	t.Helper()
	var places [][2]float64
	var values []float64
	for _, e := range want {
		places, values = append(places, [2]float64{e[0], e[1]}), append(values, e[2])
	}
	gotPlaces, gotValues := nonzero(got)
	require.Equal(t, places, gotPlaces, name)
	assert.LessOrEqual(t, golden.MaxError(gotValues, values), 1e-14, name)
}

func TestTFIDFIsThatOfScikitLearn(t *testing.T) {
	var want reference
	golden.Load(t, "vectorizers.json", &want)
	require.Len(t, tfidfCases, len(want.TFIDF))
	ctx := context.Background()
	for name, w := range want.TFIDF {
		v := tfidfCases[name]
		require.NotNil(t, v, name)
		var first *sparse.Rows
		for _, workers := range []int{1, 3} {
			own := *v
			own.Workers = workers
			x, err := own.FitTransform(ctx, want.Documents)
			require.NoError(t, err, name)
			assert.Equal(t, w.Terms, own.FeatureNames(), name)
			requireEntries(t, w.Rows, x, name)
			if first == nil {
				first = x
			}
			assert.Equal(t, first, x, name)
			for j, term := range own.FeatureNames() {
				assert.Equal(t, j, own.Vocabulary()[term], name)
			}
			assert.Len(t, own.IDF(), len(w.Terms), name)
			fresh, err := own.Transform(ctx, []string{"ridge the row два zzz", "q"})
			require.NoError(t, err, name)
			requireEntries(t, w.Fresh, fresh, name)
		}
	}
}

func TestHashingIsThatOfScikitLearn(t *testing.T) {
	var want reference
	golden.Load(t, "vectorizers.json", &want)
	require.Len(t, hashingCases, len(want.Hashing))
	for name, w := range want.Hashing {
		h := hashingCases[name]
		require.NotNil(t, h, name)
		for _, workers := range []int{1, 3} {
			own := *h
			own.Workers = workers
			x, err := own.Transform(context.Background(), want.Documents)
			require.NoError(t, err, name)
			requireEntries(t, w.Rows, x, name)
		}
	}
	for word, hash := range want.Murmur3 {
		assert.Equal(t, hash, murmur3([]byte(word)), word)
	}
	column, sign := columnOf(-1<<31, 1000)
	assert.Equal(t, 648, column, "2147483648 modulo 1000")
	assert.Equal(t, -1., sign)
}
