package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPrograms checks that every program of the module, and every measuring program, has a TestProgram.
func TestPrograms(t *testing.T) {
	var programs []string
	for _, module := range []string{".", "measurements"} {
		list := exec.Command("go", "list", "-find", "-f", `{{if eq .Name "main"}}{{.Dir}}{{end}}`, "./...")
		list.Dir = filepath.Join("..", "..", module)
		dirs, err := list.Output()
		require.NoError(t, err)
		programs = append(programs, strings.Fields(string(dirs))...)
	}
	require.Greater(t, len(programs), 40)
	for _, dir := range programs {
		text, err := os.ReadFile(filepath.Join(dir, "main_test.go"))
		if assert.NoError(t, err) {
			assert.Contains(t, string(text), "func TestProgram(t *testing.T) { clitest.Check(t, main) }", dir)
		}
	}
}
