package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

// houses writes a table of n houses with words, gaps, dates and texts, and returns its path. The price is 10 per unit of area, plus
// 100 in the centre, with noise of standard deviation 20.
func houses(t *testing.T, dir string, n int, seed uint64) string {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	text := "id,area,district,sold,note,price\n"
	for i := range n {
		area, district := 30+70*random.Float64(), []string{"north", "centre", "harbour"}[random.IntN(3)]
		price := 10*area + 20*random.NormFloat64()
		if district == "centre" {
			price += 100
		}
		cell := strconv.FormatFloat(area, 'f', 1, 64)
		if i%20 == 7 {
			cell = "NA"
		}
		text += fmt.Sprintf("%d,%s,%s,2024-%02d-%02d,\"a house with %d doors, and a garden\",%.1f\n",
			1000+i, cell, district, 1+random.IntN(12), 1+random.IntN(28), i, price)
	}
	path := filepath.Join(dir, fmt.Sprintf("houses%d.csv", seed))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// command runs the program in this process. It returns the exit code and the outputs.
func command(t *testing.T, in string, args ...string) (code int, out, progress string) {
	t.Helper()
	var o, p bytes.Buffer
	code = run(t.Context(), args, strings.NewReader(in), &o, &p)
	return code, o.String(), p.String()
}

func TestTrainAndPredict(t *testing.T) {
	dir := t.TempDir()
	train, test := houses(t, dir, 150, 1), houses(t, dir, 80, 2)
	model, predicted := filepath.Join(dir, "price.keln"), filepath.Join(dir, "predicted.csv")
	code, out, progress := command(t, "", "train", train, "-target", "price", "-o", model)
	require.Zero(t, code, progress)
	assert.Empty(t, out)
	assert.Contains(t, progress, "150 rows of 6 columns\nid        left out  id")
	assert.Contains(t, progress, "written to "+model)

	code, _, progress = command(t, "", "predict", model, test, "-output", predicted, "-level", "0.9")
	require.Zero(t, code, progress)
	data, err := os.ReadFile(predicted)
	require.NoError(t, err)
	lines, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	require.NoError(t, err)
	assert.Equal(t, []string{"id", "area", "district", "sold", "note", "price", "prediction", "prediction_low", "prediction_high"}, lines[0])
	require.Len(t, lines, 81)
	inside, squares := 0.0, 0.0
	for _, line := range lines[1:] {
		v := make([]float64, 4)
		for k := range v {
			v[k], err = strconv.ParseFloat(line[5+k], 64)
			require.NoError(t, err)
		}
		if line[1] != "NA" {
			squares += (v[0] - v[1]) * (v[0] - v[1]) / 80
		}
		if v[2] <= v[0] && v[0] <= v[3] {
			inside += 1.0 / 80
		}
	}
	assert.InDelta(t, 22, math.Sqrt(squares), 5, "the noise is 20")
	assert.InDelta(t, 0.9, inside, 0.1)

	// The library predicts the same numbers as the program.
	loaded, err := table.Load(model)
	require.NoError(t, err)
	rows, err := table.ReadCSV(test, &table.Options{Schema: loaded.Schema()})
	require.NoError(t, err)
	p, err := loaded.PredictInterval(rows, 0.9)
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, rows.WriteCSV(&b, p))
	assert.Equal(t, b.String(), string(data))

	// The columns of the table on standard input have another order. It has an additional column and a new district.
	code, out, progress = command(t, "district,x,area,sold\nsouth,1,50,2024-03-01\n", "predict", model, "-")
	require.Zero(t, code, progress)
	assert.Contains(t, out, "district,x,area,sold,prediction,prediction_low,prediction_high\nsouth,1,50,2024-03-01,")
	assert.Contains(t, progress, "columns that the model does not use: x\ncolumn district: 1 rows with levels that are new to the model\n")
	code, out, progress = command(t, "district,area\nnorth,1\n", "predict", model, "-")
	assert.Equal(t, exitFailed, code)
	assert.Empty(t, out)
	assert.Contains(t, progress, `"sold"`)
}

func TestClasses(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 1))
	text := "a;b;kind\n"
	for i := range 90 {
		k := i % 3
		text += strings.ReplaceAll(fmt.Sprintf("%.3f;%.3f;%s\n", float64(k)+0.4*random.NormFloat64(), random.NormFloat64(),
			[]string{"red", "green", "blue"}[k]), ".", ",")
	}
	path := filepath.Join(dir, "kinds.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	marks := []string{"-comma", ";", "-decimal", ","}
	code, _, progress := command(t, "", append([]string{"train", path, "-target", "kind", "-m", "lssvm", "-q"}, marks...)...)
	require.Zero(t, code, progress)
	code, out, progress := command(t, "a;b\n0,1;0\n2,1;0\n", "predict", filepath.Join(dir, "kinds.keln"), "-")
	require.Zero(t, code, progress)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 3)
	assert.Equal(t, "a;b;prediction;prediction_of_blue;prediction_of_green;prediction_of_red", lines[0])
	assert.True(t, strings.HasPrefix(lines[1], "0,1;0;red;0,"), lines[1])
	assert.True(t, strings.HasPrefix(lines[2], "2,1;0;blue;0,"), lines[2])

	code, out, progress = command(t, "", append([]string{"evaluate", path, "-target", "kind", "-m", "lssvm"}, marks...)...)
	require.Zero(t, code, progress)
	assert.Regexp(t, `(?m)^Accuracy +0\.[789]`, out)
	assert.Regexp(t, `(?m)^class \\ predicted +blue +green +red +recall$`, out)
	counts := regexp.MustCompile(`(?m)^(?:blue|green|red) +(\d+) +(\d+) +(\d+) +[01]\.\d+$`).FindAllStringSubmatch(out, -1)
	require.Len(t, counts, 3)
	for _, line := range counts {
		sum := 0
		for _, cell := range line[1:] {
			n, err := strconv.Atoi(cell)
			require.NoError(t, err)
			sum += n
		}
		assert.Equal(t, 30, sum, "each class has 30 rows, each predicted once")
	}
}

func TestEvaluate(t *testing.T) {
	path := houses(t, t.TempDir(), 120, 1)
	code, out, progress := command(t, "", "evaluate", path, "-target", "price", "-folds", "4", "-level", "0.9", "-drop", "note,id", "-m", "lssvm")
	require.Zero(t, code, progress)
	value := func(name string) float64 {
		m := regexp.MustCompile(`(?m)^` + name + ` +(\S+)`).FindStringSubmatch(out)
		require.NotNil(t, m, "%s in\n%s", name, out)
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		return v
	}
	assert.Contains(t, out, "mean of 4 folds")
	assert.InDelta(t, 1, value("NMSE")+value("R2"), 1e-3)
	assert.Less(t, value("NMSE"), 0.2)
	assert.GreaterOrEqual(t, value("RMSE"), value("MAE"))
	assert.InDelta(t, 0.93, value("coverage"), 0.06)

	// If districts are groups, the district of a test row never occurs in the training rows.
	code, out, progress = command(t, "", "evaluate", path, "-target", "price", "-folds", "3", "-group", "district", "-m", "ridge")
	require.Zero(t, code, progress)
	assert.Contains(t, out, "mean of 3 folds")
	code, _, progress = command(t, "", "evaluate", path, "-target", "price", "-folds", "4", "-group", "district", "-m", "ridge")
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, progress, "3 different groups, want at least 4")
}

// Copies of a row are in the same fold, for a regression and for a classification.
func TestCopiesAreHeldOutTogether(t *testing.T) {
	text := "a,y,kind\n"
	for i := range 60 {
		text += fmt.Sprintf("%d.5,%d.25,%s\n", i%20, i, []string{"red", "blue"}[i%2])
	}
	for _, target := range []string{"y", "kind"} {
		rows, err := table.ParseCSV("copies", strings.NewReader(text),
			&table.Options{Target: target, Drop: map[string][]string{"y": {"kind"}, "kind": {"y"}}[target]})
		require.NoError(t, err)
		divided, err := crossValidation{folds: 4, repeats: 2}.divide(rows)
		require.NoError(t, err)
		require.Len(t, divided, 8)
		for _, f := range divided {
			require.Len(t, append(f.Train, f.Test...), 60)
			trained := map[float64]bool{}
			for _, i := range f.Train {
				trained[rows.X.At(i, 0)] = true
			}
			for _, i := range f.Test {
				assert.False(t, trained[rows.X.At(i, 0)], "row %d has a copy among the training rows", i)
			}
		}
	}
}

func TestCompare(t *testing.T) {
	path := houses(t, t.TempDir(), 120, 1)
	code, out, progress := command(t, "", "compare", path, "-target", "price", "-methods", "lssvm,ridge,lssvm", "-metric", "RMSE", "-q")
	require.Zero(t, code, progress)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 4)
	assert.Regexp(t, `^method +NMSE +R2 +RMSE +MAE +CRPS +coverage +width +difference of RMSE +P +seconds of a fit$`, lines[0])
	assert.Regexp(t, `^ridge .* ± `, lines[2])
	assert.Regexp(t, `^lssvm .* 0 ± 0 +1\.000 `, lines[3], "a method and itself")
	assert.NotContains(t, lines[1], "±")
}

func TestDescribe(t *testing.T) {
	dir := t.TempDir()
	train, model, bad := houses(t, dir, 60, 1), filepath.Join(dir, "price.keln"), filepath.Join(dir, "bad.keln")
	code, _, progress := command(t, "", "train", train, "-target", "price", "-o", model, "-m", "ridge")
	require.Zero(t, code, progress)
	data, err := os.ReadFile(model)
	require.NoError(t, err)
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(bad, data, 0o600))
	code, out, progress := command(t, "", "describe", bad, model)
	assert.Equal(t, exitFailed, code)
	assert.Contains(t, progress, bad)
	assert.True(t, strings.HasPrefix(out, model+"\ntype       table.Model\n"), out)
	assert.Contains(t, out, "\ndistrict  feature   category    3 levels\n")
	code, out, _ = command(t, "", "describe", "-json", bad, model)
	assert.Equal(t, exitFailed, code)
	var all []fileInfo
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	require.Len(t, all, 2)
	assert.Nil(t, all[0].Info)
	assert.Contains(t, all[0].Error, "checksum")
	assert.Equal(t, []string{"area", "district", "sold"}, all[1].Schema.Names())
}

// A wrong flag or argument ends the program with exit code 2 before any computation. The error names the flag or the argument.
func TestUsage(t *testing.T) {
	dir := t.TempDir()
	path := houses(t, dir, 30, 1)
	for want, args := range map[string][]string{
		"want a command":                        {},
		`no command "tarin"`:                    {"tarin"},
		"want -target":                          {"train", path},
		"want one table, not 0 arguments":       {"train", "-target", "price"},
		"want one table, not 2 arguments":       {"train", path, path, "-target", "price"},
		`no method "tree"`:                      {"train", path, "-target", "price", "-m", "tree"},
		"eem has no regressor":                  {"train", path, "-target", "price", "-m", "eem"},
		"ridge has no classifier":               {"train", path, "-target", "district", "-m", "ridge"},
		`-task "numbers": want regression`:      {"train", path, "-target", "price", "-task", "numbers"},
		"-kind area=colour: want number":        {"train", path, "-target", "price", "-kind", "area=colour"},
		`-comma ";;": want one character`:       {"train", path, "-target", "price", "-comma", ";;"},
		"-output: stat":                         {"train", path, "-target", "price", "-o", filepath.Join(dir, "none", "m.keln")},
		"want a model and a table":              {"predict", path},
		"-level 1.5: want a probability":        {"predict", "m", path, "-level", "1.5"},
		`-metric "RMS": want one of AUC`:        {"compare", path, "-target", "price", "-methods", "lssvm,ridge", "-metric", "RMS"},
		"-folds 1: want 2 or more":              {"evaluate", path, "-target", "price", "-folds", "1"},
		"-repeats 0: want 1":                    {"evaluate", path, "-target", "price", "-repeats", "0"},
		"want -methods, two or more":            {"compare", path, "-target", "price", "-methods", "lssvm"},
		`-metric "Accuracy": want one of NMSE`:  {"compare", path, "-target", "price", "-methods", "lssvm,ridge", "-metric", "Accuracy"},
		"want model files":                      {"describe"},
		"want model files (-h":                  {"serve"},
		"-timeout 0s: want more than 0":         {"serve", path, "-timeout", "0s"},
		"-max-rows 0: want 1 or more":           {"serve", path, "-max-rows", "0"},
		"flag provided but not defined: -targt": {"train", path, "-targt", "price"},
		`invalid value "soon" for flag -budget`: {"train", path, "-target", "price", "-budget", "soon"},
	} {
		code, out, progress := command(t, "", args...)
		assert.Equal(t, exitUsage, code, "%v: %s", args, progress)
		assert.Empty(t, out, "%v", args)
		assert.Contains(t, progress, want, "%v", args)
	}
	for want, args := range map[string][]string{
		"no such file": {"train", filepath.Join(dir, "none.csv"), "-target", "price"},
		`"cost", want one of the columns id, area`: {"train", path, "-target", "cost"},
		"not a kernelearn model":                   {"predict", path, path},
	} {
		code, _, progress := command(t, "", args...)
		assert.Equal(t, exitFailed, code, "%v: %s", args, progress)
		assert.Contains(t, progress, want, "%v", args)
	}
}

// The help text of each command begins with a sentence and an example, which contains the name of the command.
func TestHelp(t *testing.T) {
	for _, c := range newCommand(&streams{}).Commands {
		if c.Hidden || c.Name == "completion" {
			continue
		}
		code, out, progress := command(t, "", c.Name, "-h")
		require.Zero(t, code, progress)
		assert.Regexp(t, `^[a-z].*[.]\n\n  kernelearn `+c.Name+` `, out)
	}
	code, out, _ := command(t, "", "completion", "bash")
	assert.Zero(t, code)
	assert.Contains(t, out, "kernelearn")
	code, out, _ = command(t, "", "help")
	assert.Zero(t, code)
	assert.Contains(t, out, "\n  explain    shows ")

	// A flag is completed from the last word, with the same number of dashes. The descriptions contain no back quotes.
	_, out, _ = command(t, "", "train", "houses.csv", "-ta", "--generate-shell-completion")
	assert.Equal(t, "-target:the COLUMN to predict\n-task:the TASK, regression or classification "+
		"(default: classes of words and of two whole numbers, else numbers)\n", out)
	_, out, _ = command(t, "", "train", "--tar", "--generate-shell-completion")
	assert.Equal(t, "--target:the COLUMN to predict\n", out)
	_, out, _ = command(t, "", "train", "--generate-shell-completion")
	assert.Empty(t, out, "the shell completes names of files")
}

// An interrupted program exits with 130.
func TestInterrupt(t *testing.T) {
	path := houses(t, t.TempDir(), 100, 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var p bytes.Buffer
	assert.Equal(t, exitInterrupted, run(ctx, []string{"train", path, "-target", "price"}, nil, &p, &p))
	assert.Contains(t, p.String(), "interrupted")
}
