package estimatortest

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

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

// In a complete run on a correct type, every skipped check has a reason. The check workers runs if Options.Workers is set.
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
	for _, c := range checks {
		v, ran := table.outcomes.Outcome("toy.Ridge", c.name)
		assert.Equal(t, c.kinds&subject.Regressors != 0, ran, c.name)
		assert.False(t, v.Failed(), c.name)
	}
	learns, _ := table.outcomes.Outcome("toy.Ridge", "learns")
	assert.Equal(t, "is skipped by this test", learns.Skipped)
	workers, _ := table.outcomes.Outcome("toy.Ridge", "workers")
	assert.Empty(t, workers.Skipped)
	assert.Equal(t, []int{1, 2, 5}, built)
}

// The suite checks that a type with Options.Gaps fills gaps. The option does not just disable the check.
func TestGapsHaveToBeFilled(t *testing.T) {
	for _, c := range checks {
		if c.name != "not-finite-x" {
			continue
		}
		s := &subject.Subject{Kind: subject.Transforms, Build: func() any { return &scalers.StandardScaler{} }, Options: subject.Settings{Gaps: true}}
		assert.Contains(t, strings.Join(judge(c, s).Failures, "\n"), "Fit with a gap in x")
		s.Build = func() any { return &columnwise.Imputer{} }
		assert.False(t, judge(c, s).Failed())
	}
}
