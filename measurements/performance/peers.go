package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"
)

// folder is the path of a directory with matrices that a peer reads.
type folder string

// write stores a matrix under a name: its numbers of rows and columns, and its values.
func (f folder) write(name string, m *mat.Dense) error {
	r, c := m.Dims()
	out := make([]byte, 0, 16+8*r*c)
	out = binary.LittleEndian.AppendUint64(out, uint64(r))
	out = binary.LittleEndian.AppendUint64(out, uint64(c))
	for i := range r {
		for _, v := range m.RawRowView(i) {
			out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v))
		}
	}
	return os.WriteFile(filepath.Join(string(f), name), out, 0o600)
}

// row stores numbers as a matrix with one row.
func (f folder) row(name string, v ...float64) error {
	return f.write(name, mat.NewDense(1, len(v), v))
}

// csv stores rows and targets with a header and the target in the last column.
func (f folder) csv(name string, x *mat.Dense, y []float64) error {
	var b strings.Builder
	_, d := x.Dims()
	for j := range d {
		fmt.Fprintf(&b, "x%d,", j)
	}
	fmt.Fprintln(&b, "y")
	for i, t := range y {
		for _, v := range x.RawRowView(i) {
			fmt.Fprintf(&b, "%v,", v)
		}
		fmt.Fprintln(&b, t)
	}
	return os.WriteFile(filepath.Join(string(f), name), []byte(b.String()), 0o600)
}

// peers holds the paths of the programs that run the peers. The path of a missing program is empty.
type peers struct {
	python, rscript, scripts string
	jobs                     int // processes of a search
}

const (
	sklearn = "scikit-learn"
	kernlab = "kernlab"
)

// peer does the same work as the library on the same rows, once in each round.
type peer struct {
	once func(ctx context.Context) ([]byte, error) // kernlab, which needs a new process in each round
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// start returns a peer that does the work of a script on the files of a folder. A missing peer returns NaN. When ctx ends, the peer
// is interrupted, and killed if it does not stop.
func (p peers) start(ctx context.Context, name, script, dir string) (*peer, error) {
	switch {
	case name == kernlab && p.rscript != "":
		return &peer{once: func(ctx context.Context) ([]byte, error) {
			cmd := exec.CommandContext(ctx, p.rscript, filepath.Join(p.scripts, "kernlab_rvm.R"), filepath.Join(dir, "train.csv"),
				filepath.Join(dir, "test.csv"), fmt.Sprint(friedmanGamma))
			cmd.Stderr, cmd.Env = os.Stderr, threads(1)
			return cmd.Output()
		}}, nil
	case name == kernlab || p.python == "":
		return &peer{}, nil
	}
	cmd := exec.CommandContext(ctx, p.python, filepath.Join(p.scripts, "performance.py"), script, dir)
	cmd.Stderr, cmd.Env = os.Stderr, threads(p.jobs)
	// Python ends its own processes when it is interrupted, but not when it is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	out := &peer{cmd: cmd, in: in, out: bufio.NewReader(pipe)}
	if line, err := out.out.ReadString('\n'); err != nil || line != "ready\n" { // the peer has loaded its imports and files
		out.stop()
		return nil, fmt.Errorf("the peer answered %q: %w", line, cmp.Or(err, errors.New("want ready")))
	}
	return out, nil
}

// patience is the time that an interrupted peer may take to stop.
const patience = 10 * time.Second

// threads returns an environment for a peer with several processes. In it, the BLAS of all processes together uses as many
// processors as ours. It overrides the setting in our own environment.
func threads(processes int) []string {
	return append(os.Environ(), fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", max(1, runtime.GOMAXPROCS(0)/max(1, processes))))
}

// round does the work once. It returns the seconds, and a measure of the outcome.
func (p *peer) round(ctx context.Context) (seconds, measure float64, err error) {
	switch {
	case p.once != nil:
		text, err := p.once(ctx)
		if err != nil {
			return 0, 0, err
		}
		var vectors float64
		_, err = fmt.Sscan(string(text), &seconds, &vectors, &measure)
		return seconds, measure, err
	case p.cmd == nil:
		return math.NaN(), math.NaN(), nil
	}
	if _, err := io.WriteString(p.in, "again\n"); err != nil {
		return 0, 0, err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return 0, 0, fmt.Errorf("the peer answered %q: %w", line, err)
	}
	_, err = fmt.Sscan(line, &seconds, &measure)
	return seconds, measure, err
}

// stop ends the peer's process.
func (p *peer) stop() {
	if p.cmd != nil {
		_ = p.in.Close()
		_ = p.cmd.Wait()
	}
}
