// Package dataset reads CSV files into matrices: those of the examples, and the data sets of the papers, as docs/data.md describes.
package dataset

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// Set is a data set that has been converted to numbers. A gap in a numeric column is NaN (see Impute). A column of words becomes
// one 0/1 column per word, and all of them are 0 in a gap.
type Set struct {
	Name    string
	X       *mat.Dense
	Columns []string
	Target  string    // name of the column of the target
	Y       []float64 // a numeric target
	Labels  []int     // for a target of words, positions in Classes
	Classes []string  // in alphabetical order
	// Positive is the positive one of two classes. It is "" for other numbers of classes.
	Positive string
	// Records holds the number of each row's record in the file. Record 1 follows the header. Rows without a target are left out.
	Records []int
	SHA256  string // hexadecimal checksum of the file
}

// Open reads name.csv from dir according to the protocol of that name. If there is none, Open reads it like Read. If dir is "", it
// reads from the sets in the repository.
func Open(dir, name string) (*Set, error) {
	content, err := fs.ReadFile(Folder(dir), name+".csv")
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", filepath.Join(dir, name+".csv"), err)
	}
	p, _ := ProtocolOf(name)
	return p.open(name, content)
}

// OpenByRule reads name.csv from dir like Read, without a protocol.
func OpenByRule(dir, name string) (*Set, error) {
	content, err := fs.ReadFile(Folder(dir), name+".csv")
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", filepath.Join(dir, name+".csv"), err)
	}
	return Protocol{}.open(name, content)
}

func (p Protocol) open(name string, content []byte) (*Set, error) {
	s, err := p.read(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("data set %s: %w", name, err)
	}
	sum := sha256.Sum256(content)
	s.Name, s.SHA256 = name, hex.EncodeToString(sum[:])
	return s, nil
}

// Exists reports whether Open would find name.csv.
func Exists(dir, name string) bool {
	_, err := fs.Stat(Folder(dir), name+".csv")
	return err == nil
}

// Folder returns dir, or the sets in the repository if dir is "".
func Folder(dir string) fs.FS {
	if dir == "" {
		return data.FS
	}
	return os.DirFS(dir)
}

// Read reads a CSV file with a header and the target in the last column. A column is numeric if all its nonempty cells are. Rows
// without a target are left out. The second of two classes is the positive one.
func Read(r io.Reader) (*Set, error) { return Protocol{}.read(r) }

func (p Protocol) read(r io.Reader) (*Set, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 {
		return nil, fmt.Errorf("no rows after the header")
	}
	header := records[0]
	last := len(header) - 1
	s := &Set{Target: header[last]}
	var rows [][]string
	for i, record := range records[1:] {
		if record[last] != "" {
			rows, s.Records = append(rows, record), append(s.Records, i+1)
		}
	}
	for _, name := range p.Drop {
		if !slices.Contains(header[:last], name) {
			return nil, fmt.Errorf("no feature %s, which its protocol leaves out", name)
		}
	}
	var columns [][]float64
	for j, name := range header[:last] {
		if !slices.Contains(p.Drop, name) {
			values, names := p.encode(rows, j, name)
			columns, s.Columns = append(columns, values...), append(s.Columns, names...)
		}
	}
	if len(rows) == 0 || len(columns) == 0 {
		return nil, fmt.Errorf("%d rows with a target, %d features", len(rows), len(columns))
	}
	s.X = mat.NewDense(len(rows), len(columns), nil)
	for j, c := range columns {
		s.X.SetCol(j, c)
	}
	if y, ok := numeric(rows, last); ok {
		s.Y = y
		return s, nil
	}
	s.Classes, s.Labels = wordsOf(rows, last)
	return s, p.setPositive(s)
}

func (p Protocol) setPositive(s *Set) error {
	switch {
	case p.Positive != "" && !slices.Contains(s.Classes, p.Positive):
		return fmt.Errorf("%s has no class %s, which its protocol calls positive", s.Target, p.Positive)
	case p.Positive != "":
		s.Positive = p.Positive
	case len(s.Classes) == 2:
		s.Positive = s.Classes[1]
	}
	return nil
}

// encode returns the numeric columns for column j, and their names.
func (p Protocol) encode(rows [][]string, j int, name string) (columns [][]float64, names []string) {
	if values, ok := numeric(rows, j); ok {
		return [][]float64{values}, []string{name}
	}
	words, at := wordsOf(rows, j)
	if p.GapIsWord && slices.Contains(at, -1) {
		words = append(words, "")
		for i, w := range at {
			if w < 0 {
				at[i] = len(words) - 1
			}
		}
	}
	first := 0
	if p.PairIsOneColumn && len(words) == 2 {
		first = 1
	}
	for w := first; w < len(words); w++ {
		values := make([]float64, len(rows))
		for i := range rows {
			if at[i] == w {
				values[i] = 1
			}
		}
		columns, names = append(columns, values), append(names, name+"="+words[w])
	}
	return columns, names
}

func numeric(rows [][]string, j int) ([]float64, bool) {
	out := make([]float64, len(rows))
	for i, row := range rows {
		out[i] = math.NaN()
		if row[j] == "" {
			continue
		}
		v, err := strconv.ParseFloat(row[j], 64)
		if err != nil {
			return nil, false
		}
		out[i] = v
	}
	return out, true
}

// wordsOf returns the distinct words of a column, and the position of each row's word among them. The position is -1 for an empty
// cell.
func wordsOf(rows [][]string, j int) (words []string, at []int) {
	for _, row := range rows {
		if row[j] != "" {
			words = append(words, row[j])
		}
	}
	slices.Sort(words)
	words = slices.Compact(words)
	at = make([]int, len(rows))
	for i, row := range rows {
		at[i] = -1
		if p, ok := slices.BinarySearch(words, row[j]); ok {
			at[i] = p
		}
	}
	return words, at
}

// Rows returns the features of the given rows, and their targets or labels.
func (s *Set) Rows(rows []int) (x *mat.Dense, y []float64, labels []int) {
	_, d := s.X.Dims()
	x = mat.NewDense(len(rows), d, nil)
	for i, r := range rows {
		x.SetRow(i, s.X.RawRowView(r))
		if s.Y != nil {
			y = append(y, s.Y[r])
		} else {
			labels = append(labels, s.Labels[r])
		}
	}
	return x, y, labels
}

// Impute replaces NaN in both matrices by the median of the column in train. If the column has no value in train, it replaces NaN
// by 0.
func Impute(train, test *mat.Dense) (filledTrain, filledTest *mat.Dense, err error) {
	imputer := &columnwise.Imputer{Statistic: columnwise.Median}
	if err := imputer.Fit(context.Background(), train); err != nil {
		return nil, nil, err
	}
	if filledTrain, err = imputer.Transform(train); err != nil {
		return nil, nil, err
	}
	filledTest, err = imputer.Transform(test)
	return filledTrain, filledTest, err
}
