// Package clitest checks that a program behaves as package cli says.
package clitest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nowhere is a path that can be neither read nor written, by root neither.
var nowhere = filepath.Join(os.DevNull, "nowhere")

// Check builds the program of a package and runs it: -h prints a sentence and the flags, and arguments that belong to no flag,
// flags that are not defined, folders, files and programs that are not there, and numbers below their limits are errors that name
// the flag, before anything is computed. The package is a path for the go command, which runs in dir.
func Check(t *testing.T, dir, pkg string) {
	binary := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-ldflags", "-s -w", "-o", binary, pkg)
	build.Dir = dir
	text, err := build.CombinedOutput()
	require.NoError(t, err, "%s", text)
	checkProgram(t, binary)
}

// option is a flag as -h lists it.
type option struct{ name, kind, usage string }

var (
	optionLine = regexp.MustCompile(`^  -(\S+)(?: (\S+))?`)
	number     = regexp.MustCompile(`\(default -?[0-9.]+\)`)
	sentence   = regexp.MustCompile(`^[a-z0-9]+ .*[.]$`)
)

// options reads the flags from what -h prints.
func options(help string) (out []option) {
	for _, line := range strings.Split(help, "\n") {
		if m := optionLine.FindStringSubmatch(line); m != nil {
			out = append(out, option{name: m[1], kind: m[2]})
		}
		if len(out) > 0 {
			out[len(out)-1].usage += line
		}
	}
	return out
}

func (o option) isNumber() bool {
	return o.kind == "int" || o.kind == "uint" || o.kind == "float" || number.MatchString(o.usage)
}

func checkProgram(t *testing.T, binary string) {
	help, errors, err := start(t, binary, "-h")
	require.NoError(t, err, "-h: %s", errors)
	assert.Empty(t, errors)
	first, _, _ := strings.Cut(help, "\n")
	assert.Regexp(t, sentence, first, "what -h begins with")
	fails := func(named string, args ...string) {
		t.Helper()
		_, errors, err := start(t, binary, args...)
		assert.IsType(t, new(exec.ExitError), err, "%v", args)
		assert.Contains(t, errors, named, "%v", args)
		assert.NotContains(t, errors, "goroutine", "%v", args)
		assert.Less(t, strings.Count(errors, "\n"), 3, "%v: %s", args, errors)
	}
	fails("stray", "stray")
	fails("-wrong", "-wrong")
	for _, o := range options(help) {
		switch {
		case o.kind == "folder" || o.kind == "file" || o.kind == "program":
			fails("-"+o.name, "-"+o.name, nowhere)
		case o.isNumber():
			fails("-"+o.name, "-"+o.name, "-1")
			if o.name != "seed" && o.name != "first" && !strings.Contains(o.usage, "; 0: ") { // where 0 is no number of anything, -h says what it is
				fails("-"+o.name, "-"+o.name, "0")
			}
		}
	}
}

// start runs a program in an empty folder.
func start(t *testing.T, binary string, args ...string) (out, errors string, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var o, e strings.Builder
	program := exec.CommandContext(ctx, binary, args...)
	program.Dir, program.Stdout, program.Stderr = t.TempDir(), &o, &e
	err = program.Run()
	require.NoError(t, ctx.Err(), "%v", args)
	return o.String(), e.String(), err
}
