package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/measurements/internal/peer"
)

// peerMethods lists the methods of the script.
var peerMethods = []string{"gp", "mapie"}

// ends holds the bounds of the intervals for test rows, by level.
type ends struct{ low, high [][]float64 }

// runPeer runs the script, which returns the intervals of a peer on a split.
func (s settings) runPeer(ctx context.Context, way string, x *mat.Dense, y []float64, z *mat.Dense, seed uint64) (ends, error) {
	var out ends
	dir, err := os.MkdirTemp("", "intervals")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	f := peer.Folder(dir)
	for name, m := range map[string]*mat.Dense{"x": x, "y": mat.NewDense(1, len(y), y), "xt": z} {
		if err := f.Write(name, m); err != nil {
			return out, err
		}
	}
	asked := make([]string, len(levels))
	for i, l := range levels {
		asked[i] = strconv.FormatFloat(l, 'g', -1, 64)
	}
	cmd := exec.CommandContext(ctx, s.python, s.script, dir, way, strconv.FormatUint(seed, 10), strings.Join(asked, ","))
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return out, fmt.Errorf("%s %s: %w", s.python, s.script, err)
	}
	rows, _ := z.Dims()
	for name, to := range map[string]*[][]float64{"low": &out.low, "high": &out.high} {
		m, err := f.Read(name)
		if err != nil {
			return out, err
		}
		if r, c := m.Dims(); r != len(levels) || c != rows {
			return out, fmt.Errorf("%s: %s is %d×%d, want %d levels × %d rows", s.script, name, r, c, len(levels), rows)
		}
		for i := range levels {
			*to = append(*to, m.RawRowView(i))
		}
	}
	return out, nil
}
