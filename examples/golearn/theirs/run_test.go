//go:build cgo

package main

import (
	"bytes"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs 36 programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs the go command")
	}
	var out bytes.Buffer
	require.NoError(t, run(&out))
	rows := regexp.MustCompile(`(?m)^  (\d\.\d+)  (.*)$`).FindAllStringSubmatch(out.String(), -1)
	require.Len(t, rows, len(programs)*(1+len(ours)))
	for i, row := range rows {
		accuracy, err := strconv.ParseFloat(row[1], 64)
		require.NoError(t, err)
		// golearn splits the rows at random, without a seed, so the limits are low.
		floor := 0.8
		if programs[i/(1+len(ours))].name == "KNN example, titanic" {
			floor = 0.55 // golearn's nearest neighbours are not much better on this set
		}
		assert.Greater(t, accuracy, floor, "%s of %s", row[2], programs[i/(1+len(ours))].name)
	}
}
