package estimatortest_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers"
)

const capabilitiesHead = `# What each type can do

In addition to Fit and Predict, or Transform, a type has the methods of its capabilities. ` + "`estimators.Supports(model, c)`" + `
reports at run time whether a model has the capability c. All types have MarshalBinary, UnmarshalBinary and Graph. All
transformers have TransformTo and FeatureNames. A type marked with * wraps another type: its methods work if the wrapped type
has them.

| type | further methods |
|---|---|
`

// The page of capabilities agrees with the types. If a method is removed, or its arguments change, the page must change too.
func TestCapabilitiesPage(t *testing.T) {
	var rows []string
	for _, name := range registry.Names() {
		typ, _ := registry.Named(name)
		path, ours := strings.CutPrefix(typ.Package, "github.com/kernelearn/kernelearn/")
		if !ours || strings.Contains(path, "test") || typ.Of.Kind() != reflect.Struct {
			continue
		}
		v := reflect.New(typ.Of).Interface()
		switch v := v.(type) {
		case estimators.Regressor, estimators.Classifier, estimators.MultiRegressor, estimators.Detector:
		case transformers.Transformer:
			assert.Implements(t, (*transformers.TransformerTo)(nil), v, name)
			assert.Implements(t, (*transformers.FeatureNamer)(nil), v, name)
		default:
			continue
		}
		assert.Implements(t, (*graph.Grapher)(nil), v, name)
		var methods []string
		for _, c := range estimators.Capabilities() {
			has := (estimators.Wrapped{}).Supports(v, c)
			if c == estimators.Marshalling {
				assert.True(t, has, "%s: %v", name, c)
			} else if has {
				methods = append(methods, c.String())
			}
		}
		mark := ""
		if _, ok := v.(estimators.Wrapper); ok {
			mark = "*"
		}
		rows = append(rows, fmt.Sprintf("| `%s.%s`%s | %s |\n", path, typ.Of.Name(), mark, strings.Join(methods, ", ")))
	}
	slices.Sort(rows)
	assert.Greater(t, len(rows), 40)
	golden.Page(t, "../../docs/capabilities.md", capabilitiesHead+strings.Join(rows, ""))
}
