package cli_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/cli/clitest"
)

// TestPrograms checks every program of the module.
func TestPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("links every program")
	}
	root := filepath.Join("..", "..")
	list := exec.Command("go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./...")
	list.Dir = root
	paths, err := list.Output()
	require.NoError(t, err)
	programs := strings.Fields(string(paths))
	require.Greater(t, len(programs), 40)
	for _, path := range programs {
		t.Run(strings.TrimPrefix(path, "github.com/kernelearn/kernelearn/"), func(t *testing.T) {
			t.Parallel()
			clitest.Check(t, root, path)
		})
	}
}
