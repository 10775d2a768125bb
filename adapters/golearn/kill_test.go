//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package golearn_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
	"github.com/kernelearn/kernelearn/kernels"
)

// killedModel is an environment variable. It holds the name of the model file for the process that is killed.
const killedModel = "KERNELEARN_TEST_KILLED_MODEL"

// savedInTurn returns two models with the same configuration, fitted to different numbers of rows.
func savedInTurn(t *testing.T) [2]*golearn.Classifier {
	var out [2]*golearn.Classifier
	for k, rows := range []int{60, 300} {
		out[k] = &golearn.Classifier{Estimator: &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .5}, Ridge: .1}}
		require.NoError(t, out[k].Fit(speciesGrid(t, rows, uint64(k))))
	}
	return out
}

// If a process that saves two models in turn to the same file is killed, the file holds one of them, which can be loaded and
// predicts. At most one temporary file remains, and none after the next Save.
func TestCampaignKilledSaves(t *testing.T) {
	if path := os.Getenv(killedModel); path != "" {
		models := savedInTurn(t)
		for k := 0; ; k++ {
			if err := models[k%2].Save(path); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			if k == 0 {
				fmt.Println("saved")
			}
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	models := savedInTurn(t)
	grid := speciesGrid(t, 40, 9)
	want := [][]string{predictedBy(t, models[0], grid), predictedBy(t, models[1], grid)}
	files := [2][]byte{}
	for k, m := range models {
		data, err := m.MarshalBinary()
		require.NoError(t, err)
		files[k] = data
	}
	temporaries := 0
	campaign.RunTest(t, "killed-save", 20, func(t *testing.T, rng *rand.Rand) {
		child := exec.Command(os.Args[0], "-test.run=^TestCampaignKilledSaves$")
		child.Env = append(os.Environ(), killedModel+"="+path)
		stdout, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		_, err = bufio.NewReader(stdout).ReadString('\n')
		require.NoError(t, err)
		time.Sleep(time.Duration(rng.IntN(10_000)) * time.Microsecond)
		require.NoError(t, child.Process.Signal(syscall.SIGKILL))
		_ = child.Wait()

		data, err := os.ReadFile(path)
		require.NoError(t, err)
		k := slices.IndexFunc(files[:], func(f []byte) bool { return slices.Equal(f, data) })
		require.GreaterOrEqual(t, k, 0, "one of the two files, whole")
		read := &golearn.Classifier{Estimator: &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .5}, Ridge: .1}}
		require.NoError(t, read.Load(path))
		assert.Equal(t, want[k], predictedBy(t, read, grid))
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.LessOrEqual(t, len(entries), 2)
		temporaries += len(entries) - 1
		require.NoError(t, models[0].Save(path))
		entries, err = os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, 1, "nothing is left after the next Save")
	})
	t.Logf("%d temporary files were left", temporaries)
}
