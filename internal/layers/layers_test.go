// Package layers checks the structure of the repository. Imports point one way, so that kernels and estimators can be used without
// golearn.
package layers

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/kernelearn/kernelearn/"

// order lists the layers from the bottom up. A package may import its own layer and lower ones. A package of the root's internal
// folder belongs to the lowest layer that contains all its imports.
var order = []string{"internal", "sparse", "graph", "kernels", "streaming", "transformers", "estimators", "selection", "adapters", "cmd",
	"examples", "docs"}

// layerOf returns the layer of a package of this module, given its folder, and -1 for other packages.
func layerOf(path string) int {
	rest, ours := strings.CutPrefix(path, module)
	if !ours {
		return -1
	}
	folder, _, _ := strings.Cut(rest, "/")
	return slices.Index(order, folder)
}

func TestImportsPointOneWay(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Deps \" \"}}", module+"...").Output()
	require.NoError(t, err)
	deps, layer := map[string][]string{}, map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		names := strings.Fields(line)
		path := names[0]
		deps[path], layer[path] = names[1:], layerOf(path)
		assert.GreaterOrEqual(t, layer[path], 0, "%s is in none of the layers %v", path, order)
		if strings.HasPrefix(path, module+"internal/") {
			for _, dep := range names[1:] {
				layer[path] = max(layer[path], layerOf(dep))
			}
		}
	}
	seen := map[int]bool{}
	for path, names := range deps {
		l := layer[path]
		seen[l] = true
		for _, dep := range names {
			assert.LessOrEqual(t, layer[dep], l, "%s imports %s, which lies above it", path, dep)
			if l < slices.Index(order, "adapters") {
				assert.False(t, strings.HasPrefix(dep, "github.com/sjwhitworth/golearn"), "%s depends on %s", path, dep)
			}
		}
	}
	assert.Len(t, seen, len(order), "layers that have packages")
	assert.Equal(t, slices.Index(order, "kernels"), layer[module+"internal/learning"], "above the kernels, below the transformers")
}
