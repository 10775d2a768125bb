// Package layers holds the rule that imports point one way, so that the kernels
// and estimators can be used without golearn.
package layers

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/kernelearn/kernelearn/"

// order lists the layers from the lowest up. A package may import its own layer
// and those below; it is of the one whose name is the longest that it begins with.
var order = []string{"internal/", "graph", "kernels", "internal/shape", "transformers", "estimators", "selection", "adapters/", "cmd/", "examples/", "docs/"}

func layer(path string) int {
	rest, ours := strings.CutPrefix(path, module)
	if !ours {
		return -1
	}
	of, length := -1, -1
	for i, prefix := range order {
		if strings.HasPrefix(rest+"/", strings.TrimSuffix(prefix, "/")+"/") && len(prefix) > length {
			of, length = i, len(prefix)
		}
	}
	return of
}

func TestImportsPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", module+"...").Output()
	require.NoError(t, err)
	seen := map[int]bool{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path, deps, _ := strings.Cut(line, " ")
		l := layer(path)
		if l < 0 {
			t.Errorf("%s is in none of the layers %v", path, order)
			continue
		}
		seen[l] = true
		for _, dep := range strings.Fields(deps) {
			if layer(dep) > l {
				t.Errorf("%s imports %s, which lies above it", path, dep)
			}
			if l < layer(module+"adapters/golearn") && strings.HasPrefix(dep, "github.com/sjwhitworth/golearn") {
				t.Errorf("%s depends on %s", path, dep)
			}
		}
	}
	assert.Len(t, seen, len(order), "layers that have packages")
}
