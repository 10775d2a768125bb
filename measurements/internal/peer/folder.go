// Package peer exchanges matrices with programs in other languages through files in a folder.
package peer

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"
)

// Folder is the path of a folder with matrices that a peer reads and writes.
type Folder string

// Write stores a matrix under a name: its numbers of rows and columns, and its values.
func (f Folder) Write(name string, m *mat.Dense) error {
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

// Read returns the matrix with the given name.
func (f Folder) Read(name string) (*mat.Dense, error) {
	data, err := os.ReadFile(filepath.Join(string(f), name))
	if err != nil {
		return nil, err
	}
	if len(data) < 16 {
		return nil, fmt.Errorf("%s: %d bytes, want a matrix", name, len(data))
	}
	r, c := int(binary.LittleEndian.Uint64(data)), int(binary.LittleEndian.Uint64(data[8:]))
	if r < 1 || c < 1 || len(data) != 16+8*r*c {
		return nil, fmt.Errorf("%s: %d bytes, want a matrix of %d×%d numbers", name, len(data), r, c)
	}
	values := make([]float64, r*c)
	for i := range values {
		values[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[16+8*i:]))
	}
	return mat.NewDense(r, c, values), nil
}
