package estimatortest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/internal/toy"
)

func TestTableShowsEveryTypeAgainstEveryCheck(t *testing.T) {
	table := &Table{}
	first, second := checks[0].name, checks[1].name
	table.add("p.Sound", first, verdict{})
	table.add("p.Sound", second, verdict{skipped: "has no rows"})
	table.add("p.Unsound", first, verdict{failures: []string{"it is broken"}})
	table.add("p.Unsound", second, verdict{skipped: "has no rows"})
	assert.Equal(t, []string{"p.Sound", "p.Unsound"}, table.Types())

	text := table.String()
	lines := strings.Split(text, "\n")
	assert.Len(t, strings.Fields(lines[0]), 1+len(checks))
	assert.Equal(t, []string{"p.Sound", "pass", "(a)", "."}, strings.Fields(lines[1])[:4])
	assert.Equal(t, []string{"p.Unsound", "FAIL", "(a)", "."}, strings.Fields(lines[2])[:4])
	assert.Equal(t, 1, strings.Count(text, "has no rows"), "a reason is explained once")
	for i, c := range checks {
		assert.Contains(t, text, fmt.Sprintf("%4d %s\n", i+1, c.name))
	}
}

func TestReasonsAreLettered(t *testing.T) {
	assert.Equal(t, "a z aa az ba", strings.Join([]string{letters(0), letters(25), letters(26), letters(51), letters(52)}, " "))
}

func TestChecksAreDescribed(t *testing.T) {
	var names []string
	for _, c := range Checks() {
		assert.True(t, strings.HasSuffix(c.Doc, "."), "%s: the description is a sentence", c.Name)
		assert.NotEmpty(t, c.On, c.Name)
		names = append(names, c.Name)
	}
	assert.GreaterOrEqual(t, len(names), 25)
	slices.Sort(names)
	assert.Len(t, slices.Compact(names), len(checks), "names are distinct")
}

func TestSkipsNameAnExistingCheckAndAReason(t *testing.T) {
	assert.Empty(t, validSkips(map[string]string{"learns": "is a stub"}))
	assert.Contains(t, validSkips(map[string]string{"lerns": "is a stub"}), "does not exist: lerns")
	assert.Contains(t, validSkips(map[string]string{"learns": ""}), "no reason for learns")
}

// A whole run on a sound type: what is skipped carries its reason, and the
// check workers runs when it is told how to build.
func TestOptions(t *testing.T) {
	table := &Table{}
	var built []int
	Regressor(t, "toy.Ridge", func() estimators.Regressor { return &toy.Ridge{} }, &Options{
		Skip: map[string]string{"learns": "is skipped by this test"},
		Workers: func(n int) any {
			built = append(built, n)
			return &toy.Ridge{}
		},
		Table: table,
	})
	if len(table.Types()) == 0 {
		t.Skip("go test -run left out the checks")
	}
	require.Contains(t, table.cells, "toy.Ridge")
	cells := table.cells["toy.Ridge"]
	for _, c := range checks {
		v, ran := cells[c.name]
		assert.Equal(t, c.kinds&regressors != 0, ran, c.name)
		assert.False(t, v.failed(), c.name)
	}
	assert.Equal(t, "is skipped by this test", cells["learns"].skipped)
	assert.Empty(t, cells["workers"].skipped)
	assert.Equal(t, []int{1, 2, 5}, built)
}
