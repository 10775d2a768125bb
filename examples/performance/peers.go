package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// folder takes matrices for a peer to read.
type folder string

// write stores a matrix under a name: rows and columns, and the values.
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

// row stores numbers as a matrix of one row.
func (f folder) row(name string, v ...float64) error {
	return f.write(name, mat.NewDense(1, len(v), v))
}

// csv stores rows and targets with a header, the target last.
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

// peers are the programs that run them, empty where there is none.
type peers struct{ python, rscript, scripts string }

// peer does the same work on the same rows, once for each round.
type peer struct {
	once func(ctx context.Context) ([]byte, error) // kernlab: a process for each round
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
}

// start returns the peer of an item, which answers NaN if it is not there.
func (p peers) start(ctx context.Context, it item, dir string) (*peer, error) {
	switch {
	case it.peer == "kernlab" && p.rscript != "":
		return &peer{once: func(ctx context.Context) ([]byte, error) {
			cmd := exec.CommandContext(ctx, p.rscript, filepath.Join(p.scripts, "kernlab_rvm.R"), filepath.Join(dir, "train.csv"), filepath.Join(dir, "test.csv"), fmt.Sprint(friedmanGamma))
			cmd.Stderr, cmd.Env = os.Stderr, threads()
			return cmd.Output()
		}}, nil
	case it.peer == "kernlab" || p.python == "":
		return &peer{}, nil
	}
	cmd := exec.CommandContext(ctx, p.python, filepath.Join(p.scripts, "performance.py"), it.script, dir)
	cmd.Stderr, cmd.Env = os.Stderr, threads()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return &peer{cmd: cmd, in: in, out: bufio.NewReader(out)}, nil
}

// threads is the environment in which the peer's BLAS takes all processors that we do,
// whatever ours is told.
func threads() []string {
	return append(os.Environ(), fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", runtime.GOMAXPROCS(0)))
}

// round returns the seconds of doing the work, and a measure of the outcome.
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
