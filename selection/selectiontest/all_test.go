package selectiontest_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/selectiontest"
	"github.com/kernelearn/kernelearn/selection/shape"
)

// TestAll runs the suite on every strategy of the module. It fails if a strategy is missing here.
func TestAll(t *testing.T) {
	table := &selectiontest.Table{}
	var tested []string
	for name, build := range map[string]func() search.Strategy{
		"entropy":           func() search.Strategy { return &entropy.Search{} },
		"evidence":          func() search.Strategy { return &entropy.Search{Score: entropy.LogEvidence} },
		"cross-validation":  func() search.Strategy { return &entropy.Search{Score: entropy.CrossValidation} },
		"one target":        func() search.Strategy { return &entropy.Search{Targets: []float64{.3}} },
		"low rank":          func() search.Strategy { return &entropy.Search{Method: entropy.LowRank} },
		"low rank, on rows": func() search.Strategy { return &entropy.Search{Method: entropy.LowRank, MaxRank: 4} },
		"subsamples":        func() search.Strategy { return &entropy.Search{Method: entropy.Subsample} },
		"grid":              func() search.Strategy { return &grid.Search{Points: 7} },
		"halving":           func() search.Strategy { return &grid.Halving{Points: 7, LeastRows: 5} },
		"shape":             func() search.Strategy { return &shape.Search{} },
		"shape, entropy":    func() search.Strategy { return &shape.Search{Start: &entropy.Search{}} },
		"shape, blocks":     func() search.Strategy { return &shape.Search{MaxRows: 20} },
		"golden section":    func() search.Strategy { return &entropy.GoldenSection{Lo: 1e-3, Hi: 1e3} },
	} {
		tested = append(tested, declared.Name(build()))
		t.Run(name, func(t *testing.T) {
			skip := map[string]string{}
			if name == "evidence" {
				skip["chooses"] = "scores targets of regressions only"
			}
			if _, ok := build().(*shape.Search); ok {
				skip["families"] = "learns the lengths of kernels that have lengths"
			}
			selectiontest.Strategy(t, build, &selectiontest.Options{Table: table, Skip: skip})
		})
	}
	t.Log("\n" + table.String())
	for _, c := range selectiontest.Checks() {
		assert.NotEmpty(t, c.Name+c.Doc)
	}

	declared.Lists(t, "TestAll", tested, nil, "..", "Choose")
}
