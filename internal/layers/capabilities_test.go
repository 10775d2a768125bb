package layers_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/novelty"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/testkit/declared"
	"github.com/kernelearn/kernelearn/internal/testkit/sparsetest"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
)

var updateCapabilities = flag.Bool("update-capabilities", false, "write the table of capabilities into docs/choosing.md")

const (
	tableBegins = "<!-- capabilities: written by go test ./internal/layers -run Capabilities -update-capabilities -->\n"
	tableEnds   = "<!-- end of capabilities -->\n"
)

// inTable lists the estimators in the capability table of docs/choosing.md.
var inTable = []any{
	&selection.Regressor{}, &selection.Classifier{}, &lssvm.Regressor{}, &lssvm.Classifier{}, &falkon.Regressor{}, &falkon.Classifier{},
	&ridge.Regressor{}, &svm.Regressor{}, &svm.Classifier{Probabilities: true}, &rvm.Regressor{}, &rvm.Classifier{}, &gabasr.Regressor{}, &gabasr.Classifier{},
	&eem.Classifier{}, &eem.KernelClassifier{}, &elm.Classifier{},
	&conformal.Regressor{Estimator: &lssvm.Regressor{}}, &conformal.Classifier{Estimator: &lssvm.Classifier{}}, &calibration.Classifier{Estimator: &svm.Classifier{}},
	&svm.OneClass{}, &novelty.Density{},
}

// notInTable lists estimators with the same capabilities as one in the table, or with those of the estimator they wrap.
var notInTable = map[string]string{
	"ridge.MultiRegressor": "as Regressor", "lssvm.MultiRegressor": "as Regressor", "falkon.MultiRegressor": "as Regressor",
	"ridge.DirectKernel": "takes a kernel matrix", "pipeline.Regressor": "its parts", "pipeline.Classifier": "its parts", "pipeline.MultiRegressor": "its parts",
}

// TestPageHasCapabilities checks that the capability table of docs/choosing.md agrees with the types.
func TestPageHasCapabilities(t *testing.T) {
	var out strings.Builder
	out.WriteString("| | probabilities | variance | intervals or sets | weights | streams | merged | many rows | sparse rows | saved | ONNX |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|\n")
	seen := map[string]bool{}
	for _, e := range inTable {
		name := strings.TrimPrefix(fmt.Sprintf("%T", e), "*")
		seen[name] = true
		can := func(c estimators.Capability) string { return mark(estimators.Supports(e, c)) }
		_, drawn := e.(graph.Grapher)
		streams := estimators.Supports(e, estimators.Blocks) || estimators.Supports(e, estimators.Mergeable)
		many := streams || strings.HasPrefix(name, "selection.") // these use falkon for many rows
		fmt.Fprintf(&out, "| `%s` | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", name, can(estimators.Proba), can(estimators.Variance),
			mark(estimators.Supports(e, estimators.Interval) || estimators.Supports(e, estimators.Sets)), can(estimators.Weighted),
			mark(streams), can(estimators.Mergeable), mark(many), mark(takesSparseRows(t, e)), can(estimators.Marshalling), mark(drawn))
	}
	for _, typ := range declared.Types(t, filepath.Join("..", "..", "estimators"), "Predict") {
		_, left := notInTable[typ]
		if dir, _, _ := strings.Cut(typ, "."); dir == "toy" || dir == "estimatortest" || dir == "modelfile" {
			continue
		}
		assert.True(t, seen[typ] != left, "%s is in the table of docs/choosing.md, or is in notInTable", typ)
	}

	path := filepath.Join("..", "..", "docs", "choosing.md")
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(data), tableBegins)
	require.True(t, ok)
	table, after, ok := strings.Cut(rest, tableEnds)
	require.True(t, ok)
	if *updateCapabilities {
		require.NoError(t, os.WriteFile(path, []byte(before+tableBegins+"\n"+out.String()+"\n"+tableEnds+after), 0o644))
		return
	}
	assert.Equal(t, "\n"+out.String()+"\n", table, "go test ./internal/layers -run Capabilities -update-capabilities")
}

// takesSparseRows reports whether an estimator can be fitted to sparse rows whose dense copy is over the limit. If it has a kernel,
// a linear kernel is used.
func takesSparseRows(t *testing.T, of any) bool {
	const n, d = 150, 1 << 23
	numbers, y := sparsetest.Rows(n, 50, 8, 1)
	x, labels := sparsetest.Widened(numbers, d/50, d), make([]int, n)
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	e := reflect.New(reflect.TypeOf(of).Elem())
	e.Elem().Set(reflect.ValueOf(of).Elem())
	if k := e.Elem().FieldByName("Kernel"); k.IsValid() && k.Type() == reflect.TypeFor[kernels.Kernel]() {
		k.Set(reflect.ValueOf(kernels.Linear{}))
	}
	var err error
	switch e := e.Interface().(type) {
	case estimators.Regressor:
		err = e.Fit(t.Context(), x, y)
	case estimators.Classifier:
		err = e.Fit(t.Context(), x, labels)
	case estimators.Detector:
		err = e.Fit(t.Context(), x)
	}
	if err != nil {
		require.ErrorIs(t, err, estimators.ErrTooLarge, "%T", of)
	}
	return err == nil
}

func mark(yes bool) string {
	if yes {
		return "✓"
	}
	return ""
}
