// Package clitest checks that a program behaves as package cli documents.
package clitest

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// nowhere is a path that even root can neither read nor write.
var nowhere = filepath.Join(os.DevNull, "nowhere")

// arguments is the environment variable that makes the test binary run as the program. It holds the arguments in JSON.
const arguments = "KERNELEARN_PROGRAM_ARGUMENTS"

// Check runs the program with this main function by starting the test binary again. It checks that -h prints a sentence and the
// flags. It also checks that arguments without a flag, undefined flags, missing folders, files and programs, and numbers below
// their limits are errors that name the flag and occur before any computation. The test that calls Check is named TestProgram.
func Check(t *testing.T, main func()) {
	if text, ok := os.LookupEnv(arguments); ok {
		var args []string
		require.NoError(t, json.Unmarshal([]byte(text), &args))
		os.Args = append(os.Args[:1], args...)
		main()
		os.Exit(0)
	}
	require.Equal(t, "TestProgram", t.Name())
	checkProgram(t)
}

// Expect is a regular expression that must match the output Count times; 0: at least once. If the expression has a group, the group
// must match a number above Floor.
type Expect struct {
	Pattern string
	Count   int
	Floor   float64
}

// Prints runs the package's program without arguments and checks its output. The package's TestProgram must call [Check].
func Prints(t *testing.T, expected ...Expect) {
	out, errors, err := start(t)
	require.NoError(t, err, errors)
	for _, e := range expected {
		found := regexp.MustCompile(e.Pattern).FindAllStringSubmatch(out, -1)
		if e.Count > 0 {
			assert.Len(t, found, e.Count, "%s in\n%s", e.Pattern, out)
		}
		require.NotEmpty(t, found, "%s in\n%s", e.Pattern, out)
		for _, m := range found {
			if len(m) > 1 {
				v, err := strconv.ParseFloat(m[1], 64)
				require.NoError(t, err)
				assert.Greater(t, v, e.Floor, m[0])
			}
		}
	}
}

// option is a flag as listed by -h.
type option struct{ name, kind, usage string }

var (
	optionLine = regexp.MustCompile(`^  -(\S+)(?: (\S+))?`)
	number     = regexp.MustCompile(`\(default -?[0-9.]+\)`)
	sentence   = regexp.MustCompile(`^[a-z0-9]+ .*[.]$`)
)

// options parses the flags in the output of -h.
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

func checkProgram(t *testing.T) {
	help, errors, err := start(t, "-h")
	require.NoError(t, err, "-h: %s", errors)
	assert.Empty(t, errors)
	first, _, _ := strings.Cut(help, "\n")
	assert.Regexp(t, sentence, first, "what -h begins with")
	fails := func(named string, args ...string) {
		t.Helper()
		_, errors, err := start(t, args...)
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
			// the usage explains 0 where it has a special meaning
			if o.name != "seed" && o.name != "first" && !strings.Contains(o.usage, "; 0: ") {
				fails("-"+o.name, "-"+o.name, "0")
			}
		}
	}
}

// start runs the program in an empty folder.
func start(t *testing.T, args ...string) (out, errors string, err error) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	text, err := json.Marshal(args)
	require.NoError(t, err)
	binary, err := os.Executable()
	require.NoError(t, err)
	var o, e strings.Builder
	program := exec.CommandContext(ctx, binary, "-test.run=^TestProgram$")
	program.Env = append(os.Environ(), arguments+"="+string(text))
	program.Dir, program.Stdout, program.Stderr = t.TempDir(), &o, &e
	err = program.Run()
	require.NoError(t, ctx.Err(), "%v", args)
	return o.String(), e.String(), err
}
