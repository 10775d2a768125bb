package table

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// line returns a CSV file in lines, with y = 2a + 10 for red and y = 2a for blue, and a class that depends on y.
func line(rows int) []string {
	out := []string{"a,colour,weight,y,class"}
	for i := range rows {
		colour, y := "blue", 2*float64(i%13)
		if i%3 == 0 {
			colour, y = "red", y+10
		}
		class := "low"
		if y > 15 {
			class = "high"
		}
		out = append(out, fmt.Sprintf("%d,%s,%d,%g,%s", i%13, colour, 1+i%2, y, class))
	}
	return out
}

func linearModel(t testing.TB) *Model {
	m := &Model{Regressor: &ridge.Regressor{Ridge: 1e-9}}
	require.NoError(t, m.Fit(context.Background(), parsed(t, &Options{Target: "y", Weight: "weight", Drop: []string{"class"}}, line(40)...)))
	return m
}

func TestModelPredictsRowsAsTheyAreWritten(t *testing.T) {
	m := linearModel(t)
	type row struct {
		A      *int `table:"a"`
		Colour string
		Y      float64 `table:"-"`
	}
	five := 5
	for _, c := range []struct {
		row  any
		want float64
	}{
		{map[string]any{"a": 5, "colour": "red"}, 20},
		{map[string]any{"a": 5.0, "colour": "blue", "y": nil, "class": "low"}, 10},
		{map[string]string{"a": " 7 ", "colour": "blue"}, 14},
		{&struct {
			A      *int   `table:"a"`
			Colour string `table:"colour"`
		}{&five, "red"}, 20},
		{"7,red,1,?,low", 24},
		{"7,red,1,low", 24}, // without the target
	} {
		p, err := m.PredictRow(c.row)
		require.NoError(t, err)
		assert.InDelta(t, c.want, p.Number, 1e-4)
		assert.LessOrEqual(t, p.Low, p.Number)
		assert.GreaterOrEqual(t, p.High, p.Number)
		assert.Empty(t, p.Class)
	}
	for want, wrong := range map[string]any{
		`table: rows:1: column = "colour", which is missing`: map[string]any{"a": 5},
		`column = "color", which is not known`:               map[string]any{"a": 5, "colour": "red", "color": "red"},
		`column "a" = "five", want a number`:                 map[string]any{"a": "five", "colour": "red"},
		`column "a" = a []int`:                               map[string]any{"a": []int{1}, "colour": "red"},
		`which is missing`:                                   row{Colour: "red"}, // its column is called Colour
		"the line has 2 cells":                               "1,2",
		`the line "\"": `:                                    `"`,
		"want a map from names, a struct or a line":          7,
		`row = nil`:                (*row)(nil),
		"UTF-8":                    map[string]any{"a": 5, "colour": "\xff"},
		`column "a": +Inf exceeds`: map[string]any{"a": math.Inf(1), "colour": "red"},
		`column "a" = 9007199254740995, want an integer`: map[string]any{"a": int64(9007199254740995), "colour": "red"},
	} {
		_, err := m.PredictRow(wrong)
		require.Error(t, err, want)
		assert.ErrorContains(t, err, want)
	}
}

func TestModelOfAFile(t *testing.T) {
	m := linearModel(t)
	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, m.Save(path))
	got, err := Load(path)
	require.NoError(t, err)
	assert.Equal(t, m.Schema(), got.Schema())
	assert.Equal(t, m.String(), got.String())
	rows := parsed(t, nil, line(5)...) // with its own schema
	want, err := m.Predict(rows)
	require.NoError(t, err)
	again, err := got.Predict(rows)
	require.NoError(t, err)
	assert.Equal(t, want, again)
	for i, v := range []float64{10, 2, 4, 16, 8} {
		assert.InDelta(t, v, again.Numbers[i], 1e-4)
	}
	info, err := modelfile.DescribeFile(path)
	require.NoError(t, err)
	assert.Equal(t, "table.Model", info.Type)
	assert.Equal(t, []string{"a", "colour"}, info.ColumnNames)
	_, err = modelfile.Load[estimators.Regressor](path)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	require.ErrorIs(t, (&Model{}).Save(path+"2"), estimators.ErrNotFitted)
	require.NoFileExists(t, path+"2")
}

func TestClassesOfAModel(t *testing.T) {
	rows := parsed(t, &Options{Target: "class", Drop: []string{"y"}, Weight: "weight"}, line(60)...)
	m := &Model{Classifier: &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .1}, Ridge: .01}}
	require.NoError(t, m.Fit(context.Background(), rows))
	p, err := m.Predict(rows)
	require.NoError(t, err)
	assert.Equal(t, []string{"high", "low"}, p.ClassNames)
	assert.Equal(t, []string{"low", "low", "low", "high"}, p.Classes[:4])
	one, err := m.PredictRow("12,red,1,0,low")
	require.NoError(t, err)
	assert.Equal(t, "high", one.Class)
	assert.Greater(t, one.Proba["high"], .5)
	assert.InDelta(t, 1, one.Proba["high"]+one.Proba["low"], 1e-12)
	_, err = m.PredictInterval(rows, .9)
	require.ErrorIs(t, err, errors.ErrUnsupported)

	// A class without rows in the subset has the probability 0.
	three := parsed(t, &Options{Target: "y"}, "a,y", "1,a", "2,b", "3,c", "4,a", "5,b", "6,c", "1,a", "2,b")
	some, err := three.Subset([]int{0, 2, 3, 5})
	require.NoError(t, err)
	require.NoError(t, m.Fit(context.Background(), some))
	p, err = m.Predict(three)
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b", "c"}, p.ClassNames)
	for i := range three.Rows() {
		assert.Zero(t, p.Proba.At(i, 1))
		assert.NotEqual(t, "b", p.Classes[i])
	}
	none := &Model{Classifier: &svm.Classifier{Kernel: kernels.RBF{Gamma: .1}, C: 1}}
	require.NoError(t, none.Fit(context.Background(), three))
	one, err = none.PredictRow("1,?")
	require.NoError(t, err)
	assert.Equal(t, "a", one.Class)
	assert.Nil(t, one.Proba)
}

// The zero Model accepts gaps and categories, including levels that the training rows lack.
func TestZeroModel(t *testing.T) {
	lines := line(60)
	lines[4], lines[9] = ",blue,1,6,low", "8,,1,16,high"
	rows := parsed(t, &Options{Target: "y", Drop: []string{"class"}}, lines...)
	m := &Model{}
	require.NoError(t, m.Fit(context.Background(), rows))
	fitted, ok := m.Fitted().(*selection.Regressor)
	require.True(t, ok)
	assert.Equal(t, []int{1}, fitted.Categories)
	assert.Nil(t, m.Regressor)
	for row, want := range map[string]float64{"5,red,1,,": 20, "5,blue,1,,": 10} {
		p, err := m.PredictRow(row)
		require.NoError(t, err)
		assert.InDelta(t, want, p.Number, 2)
		assert.Less(t, p.Low, p.Number)
	}
	for _, row := range []string{"5,green,1,,", ",,1,,"} {
		p, err := m.PredictRow(row)
		require.NoError(t, err)
		assert.False(t, math.IsNaN(p.Number))
	}
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	var read Model
	require.NoError(t, read.UnmarshalBinary(data))
	want, err := m.PredictInterval(rows, .8)
	require.NoError(t, err)
	got, err := read.PredictInterval(rows, .8)
	require.NoError(t, err)
	assert.Equal(t, want, got)

	classes := &Model{}
	require.NoError(t, classes.Fit(context.Background(), parsed(t, &Options{Target: "class", Drop: []string{"y"}}, lines...)))
	p, err := classes.PredictRow("0,blue,1,,")
	require.NoError(t, err)
	assert.Equal(t, "low", p.Class)
}

// A pipeline receives the codes of categories, and encodes them itself.
func TestPipelineGetsTheMatrix(t *testing.T) {
	rows := parsed(t, &Options{Target: "y", Drop: []string{"class", "weight"}}, line(40)...)
	m := &Model{Regressor: &pipeline.Regressor{Steps: []transformers.Transformer{&columnwise.OneHot{Columns: []int{1}}}, Final: &ridge.Regressor{Ridge: 1e-9}}}
	require.NoError(t, m.Fit(context.Background(), rows))
	p, err := m.Predict(rows)
	require.NoError(t, err)
	assert.InDeltaSlice(t, rows.Targets, p.Numbers, 1e-4)
	gaps := &Model{Regressor: &pipeline.Regressor{Final: &ridge.Regressor{}}}
	err = gaps.Fit(context.Background(), parsed(t, &Options{Target: "y"}, "a,b,y", "1,2,3", "4,,7", "5,5,5"))
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	assert.ErrorContains(t, err, `column "b", row 1`)
	assert.Nil(t, gaps.Schema())
}

// A pipeline can choose columns by the names and kinds in the schema. Its file contains the chosen columns.
func TestPipelineChoosesColumnsByName(t *testing.T) {
	rows := parsed(t, &Options{Target: "y", Drop: []string{"class", "weight"}}, line(40)...)
	learner := func(parts ...pipeline.ColumnPart) *Model {
		return &Model{Regressor: &pipeline.Regressor{Steps: []transformers.Transformer{&pipeline.ColumnTransformer{Parts: parts}},
			Final: &ridge.Regressor{Ridge: 1e-9}}}
	}
	for _, part := range []pipeline.ColumnPart{
		{Names: []string{"colour"}, Of: &columnwise.OneHot{}}, {Categories: true, Of: &columnwise.OneHot{}},
	} {
		m := learner(part)
		require.NoError(t, m.Fit(context.Background(), rows))
		p, err := m.Predict(rows)
		require.NoError(t, err)
		assert.InDeltaSlice(t, rows.Targets, p.Numbers, 1e-4)
		assert.Equal(t, []string{"a", "colour"}, estimators.ColumnNames(m.Fitted()))
		data, err := modelfile.Marshal(m, modelfile.Notes{})
		require.NoError(t, err)
		read, err := modelfile.Unmarshal[*Model](data)
		require.NoError(t, err)
		again, err := read.Predict(rows)
		require.NoError(t, err)
		assert.Equal(t, p.Numbers, again.Numbers)
		assert.Equal(t, []string{"a", "colour"}, estimators.ColumnNames(read.Fitted()))
	}
	wrong := learner(pipeline.ColumnPart{Names: []string{"color"}})
	assert.ErrorContains(t, wrong.Fit(context.Background(), rows), `Parts[0].Names = "color", want a column, perhaps "colour"`)
	numbers := parsed(t, &Options{Target: "y"}, "a,b,y", "1,2,3", "4,3,7", "5,5,5")
	require.NoError(t, learner(pipeline.ColumnPart{Categories: true, Of: &columnwise.OneHot{}}).Fit(context.Background(), numbers))
}

func TestRefusedByAModel(t *testing.T) {
	ctx := context.Background()
	rows := parsed(t, &Options{Target: "y", Drop: []string{"class"}}, line(20)...)
	m := &Model{}
	_, err := m.Predict(rows)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	_, err = m.PredictRow("1")
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	assert.Equal(t, "table.Model(not fitted)", m.String())
	require.ErrorIs(t, m.Fit(ctx, nil), estimators.ErrParam)
	require.ErrorContains(t, m.Fit(ctx, parsed(t, nil, line(20)...)), "Options.Target")
	var none context.Context
	require.Error(t, m.Fit(none, rows))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, m.Fit(cancelled, rows), context.Canceled)
	assert.Nil(t, m.Fitted())

	err = (&Model{Classifier: &lssvm.Classifier{}}).Fit(ctx, rows)
	require.ErrorContains(t, err, "Regressor = nil beside a Classifier")
	m = linearModel(t)
	err = m.Fit(ctx, parsed(t, &Options{Target: "class"}, line(20)...))
	require.ErrorContains(t, err, "Classifier = nil beside a Regressor")
	_, err = m.Predict(nil)
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = m.Predict(parsed(t, nil, "a", "1"))
	require.ErrorContains(t, err, `"colour", which is missing`)
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		_, err = m.PredictInterval(rows, level)
		require.ErrorIs(t, err, estimators.ErrParam)
	}
	s := parsed(t, &Options{Target: "class", Drop: []string{"y"}}, line(20)...).Schema
	unseen := parsed(t, &Options{Schema: s}, "a,colour,weight,class", "1,red,1,medium")
	require.ErrorContains(t, (&Model{}).Fit(ctx, unseen), "class of row 0")
}

func TestWriteCSV(t *testing.T) {
	rows := parsed(t, nil, "name,a", `"x, y",1`, `"say ""hi""",NA`)
	var out bytes.Buffer
	require.NoError(t, rows.WriteCSV(&out, &Predictions{Numbers: []float64{1.5, -2}, Low: []float64{1, -3}, High: []float64{2, -1e30}}))
	assert.Equal(t, "name,a,prediction,prediction_low,prediction_high\n\"x, y\",1,1.5,1,2\n\"say \"\"hi\"\"\",NA,-2,-3,-1e+30\n", out.String())
	out.Reset()
	rows.Schema.Format = Format{Comma: ';', Decimal: ','}
	require.NoError(t, rows.WriteCSV(&out, &Predictions{Classes: []string{"u", "v"}, ClassNames: []string{"u", "v"},
		Proba: mat.NewDense(2, 2, []float64{.75, .25, 0, 1})}))
	assert.Equal(t, "name;a;prediction;prediction_of_u;prediction_of_v\nx, y;1;u;0,75;0,25\n\"say \"\"hi\"\"\";NA;v;0;1\n", out.String())
	require.ErrorIs(t, rows.WriteCSV(&out, &Predictions{Numbers: []float64{1}}), estimators.ErrShape)
	taken := parsed(t, nil, "prediction", "1")
	require.ErrorContains(t, taken.WriteCSV(&out, &Predictions{Numbers: []float64{1}}), `"prediction", which the table has`)
	failed := errors.New("full")
	require.ErrorIs(t, rows.WriteCSV(failing{failed}, nil), failed)
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// A table written by WriteCSV is read unchanged.
func TestWrittenIsRead(t *testing.T) {
	first := parsed(t, &Options{Target: "price"}, houses...)
	var out bytes.Buffer
	require.NoError(t, first.WriteCSV(&out, nil))
	second := parsed(t, &Options{Target: "price"}, strings.TrimSpace(out.String()))
	assert.Equal(t, first.Schema, second.Schema)
	rows, columns := first.X.Dims()
	var want [][]float64
	for i := range rows {
		want = append(want, first.X.RawRowView(i)[:columns])
	}
	assertCells(t, want, second.X)
}

// goldenModel returns a model fitted to a few rows. Its stored form changes only with the file format of the library.
func goldenModel(t testing.TB) *Model { return linearModel(t) }

func TestGoldenModel(t *testing.T) {
	data := golden.Model(t, "Model-v1.keln", func() ([]byte, error) { return goldenModel(t).MarshalBinary() })
	m := Model{Regressor: &ridge.Regressor{Ridge: 1e-9}}
	require.NoError(t, m.UnmarshalBinary(data))
	assert.Equal(t, goldenModel(t).Schema(), m.Schema())
	p, err := m.PredictRow(map[string]any{"a": 5, "colour": "red"})
	require.NoError(t, err)
	assert.InDelta(t, 20, p.Number, 1e-4)

	other := Model{Regressor: &lssvm.Regressor{}}
	require.ErrorIs(t, other.UnmarshalBinary(data), estimators.ErrBadModel)
	for i := range data {
		changed := bytes.Clone(data)
		changed[i] ^= 0x11
		require.ErrorIs(t, m.UnmarshalBinary(changed), estimators.ErrBadModel)
		require.ErrorIs(t, m.UnmarshalBinary(data[:i]), estimators.ErrBadModel)
	}
	again, err := m.PredictRow(map[string]any{"a": 5, "colour": "red"})
	require.NoError(t, err)
	assert.Equal(t, p, again)
}

// One model can be used by concurrent requests.
func TestRowsAtTheSameTime(t *testing.T) {
	m := linearModel(t)
	rows := parsed(t, nil, line(5)...)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				p, err := m.PredictRow(map[string]any{"a": 5, "colour": "red"})
				assert.NoError(t, err)
				assert.InDelta(t, 20, p.Number, 1e-4)
				all, err := m.Predict(rows)
				assert.NoError(t, err)
				assert.InDelta(t, 10, all.Numbers[0], 1e-4)
			}
		})
	}
	group.Wait()
}

// Fit passes the groups of the rows to the estimator, so that its settings are chosen on groups to which it was not fitted.
func TestGroupsOfAModel(t *testing.T) {
	lines := []string{"who,a,y"}
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("p%d,%d,%d", i%8, i, 3*i))
	}
	rows := parsed(t, &Options{Target: "y", Group: "who"}, lines...)
	m := &Model{}
	require.NoError(t, m.Fit(context.Background(), rows))
	assert.Equal(t, rows.Groups, m.Fitted().(*selection.Regressor).Groups)
	p, err := m.PredictRow(map[string]any{"a": 5})
	require.NoError(t, err)
	assert.True(t, finite(p.Number))
}
