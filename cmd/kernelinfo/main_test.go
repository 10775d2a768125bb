package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/internal/testkit/clitest"
	"github.com/kernelearn/kernelearn/kernels"
)

func TestRun(t *testing.T) {
	dir := t.TempDir()
	good, bare, bad := filepath.Join(dir, "good"), filepath.Join(dir, "bare"), filepath.Join(dir, "bad")
	model := &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 2}, Ridge: .5}
	require.NoError(t, model.Fit(context.Background(), mat.NewDense(4, 1, []float64{0, 1, 2, 3}), []int{3, 3, 7, 7}))
	require.NoError(t, modelfile.SaveNoted(good, model, modelfile.Notes{Classes: []string{"no", "ye\x1b[2Js"}}))
	data, err := model.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(bare, data, 0o600))
	data[len(data)/2] ^= 1
	require.NoError(t, os.WriteFile(bad, data, 0o600))

	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{good, bare}, &out, io.Discard))
	assert.Contains(t, out.String(), good+"\ntype       lssvm.Classifier\nsettings   Kernel: RBF(gamma=2)\n           Ridge: 0.5\n")
	assert.Contains(t, out.String(), "columns    1\nclasses    [3 7] (\"no\", \"ye\\x1b[2Js\")\n")
	assert.Contains(t, out.String(), "imports    github.com/kernelearn/kernelearn/estimators/lssvm\n           github.com/kernelearn/kernelearn/kernels\n")
	assert.Contains(t, out.String(), bare+"\ntype       lssvm.Classifier\nversion    1\n")

	out.Reset()
	err = run(t.Context(), []string{"-json", bad, good}, &out, io.Discard)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	assert.ErrorContains(t, err, bad)
	var all []fileInfo
	require.NoError(t, json.Unmarshal(out.Bytes(), &all))
	require.Len(t, all, 2)
	assert.Nil(t, all[0].Info)
	assert.Contains(t, all[0].Error, "checksum")
	assert.Equal(t, []int{3, 7}, all[1].Info.Classes)
	assert.Equal(t, []modelfile.Setting{{Name: "Kernel", Value: "RBF(gamma=2)"}, {Name: "Ridge", Value: "0.5"}}, all[1].Info.Settings)

	assert.ErrorContains(t, run(t.Context(), nil, &out, io.Discard), "want model files")
	assert.ErrorContains(t, run(t.Context(), []string{"-what"}, &out, io.Discard), "-what")
	assert.ErrorIs(t, run(t.Context(), []string{filepath.Join(dir, "none")}, &out, io.Discard), os.ErrNotExist)
}

func TestProgram(t *testing.T) { clitest.Check(t, main) }
