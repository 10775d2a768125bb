package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// rents writes a table in which a linear model finds the coefficients 10 for the area, 100 for the centre, and 0 for the day. It
// returns the path, the mean area and the share of rows in the centre.
func rents(t *testing.T, dir string) (path string, area, centre float64) {
	t.Helper()
	random := rand.New(rand.NewPCG(3, 1))
	text := "area,district,sold,rent\n"
	for i := range 80 {
		a, district := float64(30+random.IntN(70)), []string{"north", "centre"}[random.IntN(2)]
		rent := 10 * a
		if district == "centre" {
			rent += 100
			centre += 1.0 / 80
		}
		area += a / 80
		text += fmt.Sprintf("%v,%s,2024-01-%02d,%v\n", a, district, 1+i%28, rent)
	}
	path = filepath.Join(dir, "rents.csv")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path, area, centre
}

func TestExplain(t *testing.T) {
	dir := t.TempDir()
	path, area, centre := rents(t, dir)
	model, picture := filepath.Join(dir, "rents.keln"), filepath.Join(dir, "reasons.svg")
	code, _, progress := command(t, "", "train", path, "-target", "rent", "-m", "ridge", "-q")
	require.Zero(t, code, progress)
	asked := "district,area,sold\nnorth,95,2024-01-03\ncentre,40,2024-01-04T06:00:00Z\nmoon,,2024-01-05\n"
	code, out, progress := command(t, asked, "explain", model, "-", "-rows", "1,2,3", "-background", path)
	require.Zero(t, code, progress)
	assert.Contains(t, progress, "column district: 1 rows with levels that are new to the model\n")
	parts := strings.Split(out, "\n\n")
	require.Len(t, parts, 3)
	value := func(part, label string) float64 {
		m := regexp.MustCompile(`(?m)^ *` + regexp.QuoteMeta(label) + ` +(\S+)$`).FindStringSubmatch(part)
		require.NotNil(t, m, "%s in\n%s", label, part)
		v, err := strconv.ParseFloat(m[1], 64)
		require.NoError(t, err)
		return v
	}
	// For a linear function, the Shapley value is the slope times the distance from the mean.
	assert.True(t, strings.HasPrefix(parts[0], "row 1: rent\n"), parts[0])
	assert.InDelta(t, 10*(95-area), value(parts[0], "area = 95"), 2)
	assert.InDelta(t, -100*centre, value(parts[0], "district = north"), 2)
	assert.InDelta(t, 0, value(parts[0], "sold = 2024-01-03"), 1)
	assert.InDelta(t, 10*(40-area), value(parts[1], "area = 40"), 2)
	assert.InDelta(t, 100*(1-centre), value(parts[1], "district = centre"), 2)
	value(parts[1], "sold = 2024-01-04T06:00:00Z")
	value(parts[2], "district = a level that is new to the model")
	assert.InDelta(t, 0, value(parts[2], "area is missing"), 2, "gaps are filled with the mean")

	// Without the flag, the rows to explain are also the background.
	code, out, progress = command(t, "", "explain", model, path, "-row", "2", "-o", picture)
	require.Zero(t, code, progress)
	assert.Contains(t, progress, "compared with the 80 rows of "+path+": give")
	assert.Contains(t, out, "row 2: rent\n")
	svg, err := os.ReadFile(picture)
	require.NoError(t, err)
	assert.Contains(t, string(svg), "Reasons for one prediction")
	assert.Contains(t, string(svg), "sold = 2024-01-02")

	code, _, progress = command(t, "", "train", path, "-target", "district", "-m", "lssvm", "-q", "-o", model)
	require.Zero(t, code, progress)
	// The nearest neighbour of a training row is the row itself.
	code, out, progress = command(t, "", "explain", model, path, "-row", "5", "-b", path, "-n", "2", "-class", "north", "-q")
	require.Zero(t, code, progress)
	assert.Empty(t, progress)
	assert.Contains(t, out, "row 5: probability of north\n")
	assert.Regexp(t, `(?m)^ *neighbour +kernel +district\n *row 5 +1\.000 +centre\n *row \d+ +[01]\.\d+ +(north|centre)$`, out)
}

func TestExplainUsage(t *testing.T) {
	dir := t.TempDir()
	path, _, _ := rents(t, dir)
	model := filepath.Join(dir, "rents.keln")
	code, _, progress := command(t, "", "train", path, "-target", "rent", "-m", "ridge", "-q")
	require.Zero(t, code, progress)
	for want, args := range map[string][]string{
		"want a model and a table, not 1 arguments":     {model},
		"-row 0: want 1 to 80":                          {model, path, "-row", "0"},
		"-row 81: want 1 to 80":                         {model, path, "-rows", "81"},
		"a picture shows one row, not 2":                {model, path, "-rows", "1,2", "-o", "x.svg"},
		"-neighbours: want -background":                 {model, path, "-neighbours", "2"},
		"-neighbours -1: want 1 or more":                {model, path, "-neighbours", "-1"},
		`-class "north": the model predicts numbers`:    {model, path, "-class", "north"},
		"want -background: the table has only one row":  {model, "-"},
		`invalid value "x" for flag -row`:               {model, path, "-row", "x"},
		"flag provided but not defined: -neighbourhood": {model, path, "-neighbourhood"},
	} {
		code, out, progress := command(t, "area,district,sold\n40,north,2024-01-01\n", append([]string{"explain"}, args...)...)
		assert.Equal(t, exitUsage, code, "%v: %s", args, progress)
		assert.Empty(t, out, "%v", args)
		assert.Contains(t, progress, want, "%v", args)
	}
}
