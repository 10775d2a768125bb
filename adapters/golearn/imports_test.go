package golearn

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Trap 12: the package must not import golearn's knn, linear_models or ensemble. The first needs a C compiler, the second a C++
// compiler, and ensemble imports linear_models.
func TestNoCDependency(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skipf("the go command cannot list dependencies here: %v", err)
	}
	deps := strings.Fields(string(out))
	assert.Contains(t, deps, "github.com/sjwhitworth/golearn/base")
	for _, name := range []string{"knn", "linear_models", "ensemble"} {
		assert.NotContains(t, deps, "github.com/sjwhitworth/golearn/"+name)
	}
	assert.NotContains(t, deps, "testing")
}
