package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
	"github.com/kernelearn/kernelearn/measurements/internal/collection"
)

func TestProgram(t *testing.T) { clitest.Check(t, main) }

// sources writes small copies of the two repositories.
func sources(t *testing.T) (r, weka string) {
	r, weka = t.TempDir(), t.TempDir()
	save := func(dir, path, text string) {
		path = filepath.Join(dir, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	var csv, arff strings.Builder
	csv.WriteString("rownames,pay,a,b,c,d\n")
	arff.WriteString("@relation r\n@attribute a numeric\n@attribute b {1,2}\n@attribute c numeric\n@attribute d numeric\n@attribute k {0,1,2}\n@data\n")
	for i := range 1000 {
		gap := fmt.Sprint(i % 5)
		if i == 3 {
			gap = "NA"
		}
		fmt.Fprintf(&csv, "%d,%d,%d,%s,%s,%d\n", i, i*7919%1009, i%3, gap, []string{"u", "v"}[i%2], i%11)
		fmt.Fprintf(&arff, "%d,%d,%d,%d,%d\n", i%7, i%2+1, i%13, i%5, i%3)
	}
	save(r, "datasets.csv", "Package,Item,Title,Rows\nPay,Tab.le (x),t,1000\nPay,few,t,10\nPay,absent,t,1000\n")
	save(r, "csv/Pay/Tab.le (x).csv", csv.String())
	save(r, "doc/Pay/Tab.le (x).html", "<h3>Examples</h3>\n<pre><code>lm(log(pay) ~ a)</code></pre>")
	save(weka, "classification/one.two.arff", arff.String())
	save(weka, "regression/broken.arff", "@relation r\n@attribute a nothing\n@data\n")
	return r, weka
}

func TestSources(t *testing.T) {
	r, weka := sources(t)
	var out bytes.Buffer
	require.NoError(t, run(context.Background(), []string{"-rdatasets", r, "-arff", weka, "-list"}, &out, &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	require.Len(t, lines, 3, out.String())
	assert.Contains(t, lines[0], "pay-tab-le,pay,1000,4,0,1,true,")
	assert.Contains(t, lines[1], "weka-one-two,k,1000,4,3,1,false,")
	assert.Contains(t, lines[2], "# weka-broken: not read:")

	found, err := fromR(context.Background(), r)
	require.NoError(t, err)
	text, err := found[0].csv()
	require.NoError(t, err)
	assert.Equal(t, "a,b,c,d,pay\n0,0,u,0,0\n", strings.Join(strings.SplitAfter(string(text), "\n")[:2], ""))
	assert.Contains(t, string(text), "\n0,,v,3,", "the gap of row 3")
	found, err = fromWeka(context.Background(), weka)
	require.NoError(t, err)
	text, err = found[0].csv()
	require.NoError(t, err)
	assert.Equal(t, "a,b,c,d,k\n0,k1,0,0,k0\n", strings.Join(strings.SplitAfter(string(text), "\n")[:2], ""))
}

// Sets that are not those of the list are an error that names the first.
func TestDifferentSets(t *testing.T) {
	r, weka := sources(t)
	dir := t.TempDir()
	var out bytes.Buffer
	err := run(context.Background(), []string{"-rdatasets", r, "-arff", weka, "-out", dir}, &out, &out)
	assert.ErrorContains(t, err, "pay-tab-le: the set differs from that of the list")
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, files)
	assert.Len(t, collection.Third(), size)
}
