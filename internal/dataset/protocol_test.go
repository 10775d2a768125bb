package dataset

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

var update = flag.Bool("update", false, "rewrite the table in docs/data.md")

const (
	document  = "../../docs/data.md"
	tableHead = "| set | papers | rows × features | classes | left out | empty cells | difference from the papers |\n|---|---|---|---|---|---|---|\n"
)

// row returns the row of the table in docs/data.md for a protocol.
func (p Protocol) row() string {
	var classes []string
	for _, c := range p.Classes {
		name := c.Name
		if name == p.Positive {
			name = "**" + name + "**"
		}
		classes = append(classes, name+" "+grouped(c.Rows))
	}
	if classes == nil {
		classes = []string{"-"}
	}
	var left []string
	if p.Untargeted > 0 {
		left = append(left, fmt.Sprintf("%d rows", p.Untargeted))
	}
	for _, name := range p.Drop {
		left = append(left, "`"+name+"`")
	}
	if left == nil {
		left = []string{"-"}
	}
	filled := "-"
	if p.Filled > 0 {
		filled = fmt.Sprint(p.Filled)
	}
	return fmt.Sprintf("| %s | %s | %s × %d | %s | %s | %s | %s |\n", p.Name, p.Papers, grouped(p.Rows), p.Features,
		strings.Join(classes, ", "), strings.Join(left, ", "), filled, p.Note)
}

func grouped(n int) string { return numeral.Thousands(strconv.Itoa(n)) }

func TestTheDocumentStatesTheProtocols(t *testing.T) {
	content, err := os.ReadFile(document)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(content), tableHead)
	require.True(t, found, "no table in %s", document)
	after := rest[strings.Index(rest, "\n\n")+1:]
	var want strings.Builder
	want.WriteString(tableHead)
	for _, p := range protocols {
		want.WriteString(p.row())
	}
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(before+want.String()+after), 0o644))
		return
	}
	assert.Equal(t, want.String(), tableHead+strings.TrimSuffix(rest, after), "run go test ./internal/dataset -update")
}

// directory returns the folder of the papers' sets. It skips the test if there is none.
func directory(t *testing.T) string {
	dir := os.Getenv("KERNELEARN_DATA")
	if dir == "" {
		dir = filepath.FromSlash("../../../../shared/data")
	}
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the sets of the papers are not here (set KERNELEARN_DATA to their folder): %v", err)
	}
	return dir
}

func (p Protocol) check(t *testing.T, s *Set) {
	n, d := s.X.Dims()
	assert.Equal(t, [2]int{p.Rows, p.Features}, [2]int{n, d}, "shape")
	assert.Len(t, s.Columns, d)
	assert.Equal(t, p.Positive, s.Positive)
	assert.Equal(t, p.Filled, floats.Count(func(v float64) bool { return v != v }, s.X.RawMatrix().Data), "empty cells")
	if p.Classes == nil {
		assert.Len(t, s.Y, n)
		return
	}
	counts := make([]Class, len(s.Classes))
	for i, name := range s.Classes {
		counts[i].Name = name
	}
	for _, l := range s.Labels {
		counts[l].Rows++
	}
	assert.Equal(t, p.Classes, counts)
}

func TestProtocolsOfTheSetsOfThePapers(t *testing.T) {
	dir := directory(t)
	for _, p := range protocols {
		t.Run(p.Name, func(t *testing.T) {
			s, err := Open(dir, p.Name)
			require.NoError(t, err)
			p.check(t, s)
			content, err := os.ReadFile(filepath.Join(dir, p.Name+".csv"))
			require.NoError(t, err)
			assert.Equal(t, strings.Count(string(content), "\n")-1, p.Rows+p.Untargeted, "records in the file")
		})
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.csv"))
	require.NoError(t, err)
	for _, f := range files {
		_, ok := ProtocolOf(strings.TrimSuffix(filepath.Base(f), ".csv"))
		assert.True(t, ok, "%s has no protocol", f)
	}
}

func TestProtocolsOfTheShippedSets(t *testing.T) {
	for _, name := range []string{"breast-cancer-wdbc", "diabetes-progression", "mauna-loa-co2-monthly"} {
		p, ok := ProtocolOf(name)
		require.True(t, ok)
		s, err := Open("", name)
		require.NoError(t, err)
		p.check(t, s)
		assert.Regexp(t, `^[0-9a-f]{64}$`, s.SHA256)
	}
	_, ok := ProtocolOf("nowhere")
	assert.False(t, ok)
	first := Protocols()[0].Name
	Protocols()[0].Name = "changed"
	assert.Equal(t, first, Protocols()[0].Name)
}

func TestProtocolsAreDistinctAndNameTheirPositiveClass(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range protocols {
		assert.False(t, seen[p.Name], p.Name)
		seen[p.Name] = true
		assert.NotEmpty(t, p.Note, p.Name)
		assert.Equal(t, len(p.Classes) == 2, p.Positive != "", p.Name)
		if p.Positive != "" {
			assert.True(t, slices.ContainsFunc(p.Classes, func(c Class) bool { return c.Name == p.Positive }), p.Name)
		}
		total := 0
		for _, c := range p.Classes {
			total += c.Rows
		}
		if p.Classes != nil {
			assert.Equal(t, p.Rows, total, p.Name)
		}
	}
}

func TestEncodings(t *testing.T) {
	const file = "a,b,c,y\nu,v,1,no\n,w,2,yes\nu,v,3,\nt,v,4,no\n"
	s, err := Protocol{GapIsWord: true, PairIsOneColumn: true, Drop: []string{"c"}, Positive: "no"}.read(strings.NewReader(file))
	require.NoError(t, err)
	assert.Equal(t, []string{"a=t", "a=u", "a=", "b=w"}, s.Columns)
	assert.True(t, mat.Equal(mat.NewDense(3, 4, []float64{0, 1, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0}), s.X), "%v", mat.Formatted(s.X))
	assert.Equal(t, []int{1, 2, 4}, s.Records)
	assert.Equal(t, "no", s.Positive)
	assert.Equal(t, "y", s.Target)

	s, err = Protocol{PairIsOneColumn: true}.read(strings.NewReader("b,y\nu,1\n,2\nv,3\n"))
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 0, 1}, mat.Col(nil, 0, s.X), "without GapIsWord a gap is the first word's 0")

	_, err = Protocol{Drop: []string{"d"}}.read(strings.NewReader(file))
	assert.ErrorContains(t, err, "no feature d")
	_, err = Protocol{Drop: []string{"a", "b", "c"}}.read(strings.NewReader(file))
	assert.ErrorContains(t, err, "0 features")
	_, err = Protocol{Positive: "perhaps"}.read(strings.NewReader(file))
	assert.ErrorContains(t, err, "no class perhaps")
}
