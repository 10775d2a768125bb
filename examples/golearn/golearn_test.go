// Package golearn_test builds and runs the programs of this folder.
package golearn_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// expected is a pattern that a program's output matches, count times, and where it
// has a group a number in it that is to exceed the floor.
type expected struct {
	pattern string
	count   int
	floor   float64
}

var programs = map[string][]expected{
	"probabilities": {{`\(it is (?:malignant|benign)\)`, 3, 0}, {`intervals: (\d+) of 221`, 1, 190}},
	"weights":       {{`as they come +recall of malignant (\S+),`, 1, 0.8}, {`malignant × 20 +recall of malignant (\S+),`, 1, 0.95}},
	"features": {{`without Impute: .*attribute "height", row 1`, 1, 0}, {`with NoOneHot: .*"soil", which is categorical`, 1, 0},
		{`moss pine with unseen categories map\[soil:1\]`, 1, 0}},
	"memory":    {{`the price is about (\d+)`, 1, 200}, {`slices: the row is far`, 1, 0}, {`matrix: the row is near`, 1, 0}},
	"sources":   {{`play: yes \(it is yes\)`, 2, 0}, {`play: no \(it is no\)`, 2, 0}, {`the sky: sunny \(it is sunny\)`, 1, 0}},
	"places":    {{`(?m)^\*\S+ +(\S+) +\S+ +\S+ +\S+$`, 6, 0.85}, {`(?m)^\*\S+ +\S+ +\S+ +\S+ +(\S+)$`, 6, 0.85}},
	"bagging":   {{`accuracy (\S+)`, 2, 0.9}, {`an error: .*model 0`, 1, 0}, {`Overall R2: (\S+)`, 1, 0.3}},
	"crossfold": {{`accuracy (\S+) \(`, 1, 0.9}, {`Overall R2: (\S+)`, 2, 0.35}},
	"selection": {{`accuracy (\S+) with \S+\(.*out of`, 1, 0.93}, {`parameter \S+, entropy (\S+)`, 0, 0}},
	"nested":    {{`accuracy (\S+)`, 1, 0.8}, {`with other bins: .*bad model data`, 1, 0}},
}

func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	bin := t.TempDir()
	build := []string{"build", "-o", bin + string(filepath.Separator)}
	for name := range programs {
		build = append(build, "./"+name)
	}
	out, err := exec.Command("go", build...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for name, all := range programs {
		t.Run(name, func(t *testing.T) {
			out, err := exec.Command(filepath.Join(bin, name)).CombinedOutput()
			require.NoError(t, err, "%s", out)
			for _, e := range all {
				found := regexp.MustCompile(e.pattern).FindAllStringSubmatch(string(out), -1)
				if e.count > 0 {
					assert.Len(t, found, e.count, "%s in\n%s", e.pattern, out)
				}
				require.NotEmpty(t, found, "%s in\n%s", e.pattern, out)
				for _, m := range found {
					if len(m) > 1 {
						v, err := strconv.ParseFloat(m[1], 64)
						require.NoError(t, err)
						assert.Greater(t, v, e.floor, m[0])
					}
				}
			}
		})
	}
	folders, err := os.ReadDir(".")
	require.NoError(t, err)
	for _, f := range folders {
		if own, _ := filepath.Glob(filepath.Join(f.Name(), "*_test.go")); f.IsDir() && len(own) == 0 {
			assert.Contains(t, programs, f.Name())
		}
	}
}
