//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package atomicfile

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/campaign"
)

// killedPath is the environment variable that tells the child process which file to write.
const killedPath = "KERNELEARN_TEST_KILLED"

// content returns the content of the numbered write: the number, repeated, with a length that depends on the number.
func content(number uint64) []byte {
	return bytes.Repeat(binary.LittleEndian.AppendUint64(nil, number), 1000+int(number*2654435761%30_000))
}

// whole returns the number of the write that produced data. It fails if data is incomplete.
func whole(t *testing.T, data []byte) uint64 {
	t.Helper()
	require.GreaterOrEqual(t, len(data), 8)
	number := binary.LittleEndian.Uint64(data)
	require.True(t, bytes.Equal(content(number), data), "%d bytes with the first bytes of version %d", len(data), number)
	return number
}

// A process that is killed while it writes leaves a complete file: either the one that it was writing or the previous one. It
// leaves at most one temporary file, which the next Write removes.
func TestCampaignKilledWriters(t *testing.T) {
	if path := os.Getenv(killedPath); path != "" {
		out := bufio.NewWriter(os.Stdout)
		for number := uint64(1); ; number++ {
			err := Write(path, func(w io.Writer) error {
				data := content(number)
				for len(data) > 0 { // in pieces, so that a kill can interrupt the write
					n := min(len(data), 1<<14)
					if _, err := w.Write(data[:n]); err != nil {
						return err
					}
					data = data[n:]
				}
				return nil
			})
			if err != nil {
				os.Exit(1)
			}
			_ = binary.Write(out, binary.LittleEndian, number)
			_ = out.Flush()
		}
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "model")
	require.NoError(t, Write(path, put(string(content(0)))))
	temporaries, cut := 0, 0
	// There are fifty runs, unless the machine is very slow.
	campaign.RunTest(t, "killed-writer", 50, func(t *testing.T, rng *rand.Rand) {
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		child := exec.Command(os.Args[0], "-test.run=^TestCampaignKilledWriters$")
		child.Env = append(os.Environ(), killedPath+"="+path)
		stdout, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		told := uint64(0)
		first := make(chan struct{})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for {
				var number uint64
				if binary.Read(stdout, binary.LittleEndian, &number) != nil {
					return
				}
				if told = number; number == 1 {
					close(first)
				}
			}
		}()
		if rng.IntN(8) > 0 { // some processes are killed before they write anything
			select {
			case <-first:
			case <-time.After(20 * time.Second):
				t.Error("the process writes nothing")
			}
		}
		time.Sleep(time.Duration(rng.IntN(10_000)) * time.Microsecond)
		require.NoError(t, child.Process.Signal(syscall.SIGKILL))
		<-ended
		_ = child.Wait()

		data, err := os.ReadFile(path)
		require.NoError(t, err)
		if number := whole(t, data); !bytes.Equal(before, data) || told > 0 {
			assert.Contains(t, []uint64{told, told + 1}, number, "the last writing that was done is %d", told)
		}
		left := names(t, dir)
		assert.LessOrEqual(t, len(left), 2, "%v: the file, and at most one temporary", left)
		if len(left) == 2 {
			temporaries++
			for _, name := range left {
				if info, err := os.Stat(filepath.Join(dir, name)); err == nil && name != "model" && int(info.Size()) < len(content(told+1)) {
					cut++
				}
			}
		}
		require.NoError(t, Write(path, put(string(content(0)))))
		assert.Equal(t, []string{"model"}, names(t, dir), "nothing is left after the next writing")
	})
	t.Logf("%d temporary files were left, %d of them cut short", temporaries, cut)
	assert.Positive(t, temporaries, "kills fall within writings")
}
