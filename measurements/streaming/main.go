// Streaming fits an extreme entropy machine to a CSV file that is read in chunks, with only one chunk in memory at a time. It shows
// that the machine is the same as one that is fitted to all rows at once.
//
// Without -csv it first writes 200 000 rows of two classes to a temporary file: a small cloud inside a wide one. All rows of one
// class precede those of the other, so the first chunks contain only one class. For two columns it draws the decisions of the
// machine with its thresholds. It also draws a machine with few and nearly linear units, which cannot surround the small cloud and
// needs both thresholds.
//
//	go run -C measurements ./streaming
//	go run -C measurements ./streaming -csv FILE -labels no,yes -chunk 5000
//
// The CSV file has a header and columns of numbers, with the class in the last column.
package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() { cli.Main("streaming", run) }

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("streaming", "streaming fits an extreme entropy machine to a CSV file that is read in chunks.", out)
	path := flags.String("csv", "", "`file` to learn from; empty: one that is generated")
	labels := flags.String("labels", "inner,outer", "comma separated classes, all that may come")
	rows := flags.Int("rows", 200_000, "generated")
	chunk := flags.Int("chunk", 10_000, "rows read at a time")
	hidden := flags.Int("hidden", 200, "units")
	picture := flags.String("out", "streaming.png", "`file` for the picture, where there are two columns")
	flags.AtLeast(20, "rows")
	flags.AtLeast(2, "chunk")
	flags.AtLeast(1, "hidden")
	flags.Reads("csv")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	classes := strings.Split(*labels, ",")
	if *path == "" {
		folder, err := os.MkdirTemp("", "streaming")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		*path = filepath.Join(folder, "clouds.csv")
		if err := generate(*path, *rows, classes); err != nil {
			return err
		}
	}

	begin := time.Now()
	s, err := stream(ctx, *path, classes, *chunk, *hidden)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "streamed %d rows in %d chunks of at most %d: %.2f s with reading\n", s.rows, s.chunks, *chunk,
		time.Since(begin).Seconds())
	if err := s.compare(ctx, out, *path, *hidden); err != nil {
		return err
	}
	if s.width != 2 || len(classes) != 2 {
		return nil
	}
	if err := s.draw(*picture); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "drawn:", *picture)
	return err
}

// generate writes rows of a small cloud inside a wide one, one class after the other.
func generate(path string, rows int, classes []string) error {
	if len(classes) != 2 {
		return fmt.Errorf("-labels has %d classes, what is generated has 2", len(classes))
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "x1,x2,class")
	rng := rand.New(rand.NewPCG(1, 0))
	for i := range rows {
		class := i * 2 / rows
		spread := []float64{0.5, 2}[class]
		fmt.Fprintf(w, "%.6f,%.6f,%s\n", 10+spread*rng.NormFloat64()+float64(class), -3+spread*rng.NormFloat64(), classes[class])
	}
	if err := w.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// fewUnits is the number of units of the second machine in the picture.
const fewUnits = 3

// streamed holds the results for a file.
type streamed struct {
	model        *eem.Classifier
	small        *eem.Classifier // machine with few units, for the picture
	scaler       *scalers.StandardScaler
	classes      []string
	rows, chunks int
	width        int
	sample       *mat.Dense // some scaled rows for the picture
	sampled      []int
}

// chunks yields the rows of a file in the form that transformers read.
func chunks(path string, classes []string, chunk int) iter.Seq2[streaming.Block[streaming.None], error] {
	return func(yield func(streaming.Block[streaming.None], error) bool) {
		more := true
		err := readChunks(path, classes, chunk, func(x *mat.Dense, _ []int) error {
			if more = yield(streaming.Rows(x), nil); !more {
				return errEnough
			}
			return nil
		})
		if err != nil && more {
			yield(streaming.Rows(nil), err)
		}
	}
}

var errEnough = errors.New("no more rows are wanted")

// stream reads the file once to fit the scaler, and then fits the machines chunk by chunk.
func stream(ctx context.Context, path string, classes []string, chunk, hidden int) (*streamed, error) {
	s := &streamed{classes: classes, scaler: &scalers.StandardScaler{}}
	labels := make([]int, len(classes))
	for i := range labels {
		labels[i] = i
	}
	// Tanh units are drawn independently of the rows. Units with the default activation would be placed on rows of the first chunk.
	s.model = &eem.Classifier{Units: hidden, Activation: featuremap.Tanh, Labels: labels}
	s.small = &eem.Classifier{Units: fewUnits, Activation: featuremap.NormalizedSigmoid, Labels: labels}
	if err := s.scaler.FitBlocks(ctx, chunks(path, classes, chunk)); err != nil {
		return nil, err
	}
	s.width = len(s.scaler.Means())
	err := readChunks(path, classes, chunk, func(x *mat.Dense, y []int) error {
		z, err := s.scaler.Transform(x)
		if err != nil {
			return err
		}
		s.keep(z, y)
		s.chunks, s.rows = s.chunks+1, s.rows+len(y)
		if err := s.small.PartialFit(ctx, z, y); err != nil {
			return err
		}
		return s.model.PartialFit(ctx, z, y)
	})
	if err != nil {
		return nil, err
	}
	return s, errors.Join(s.small.Solve(ctx), s.model.Solve(ctx))
}

// keep adds a few rows to the sample that is drawn.
func (s *streamed) keep(z *mat.Dense, y []int) {
	n, d := z.Dims()
	const most = 40 // rows of a chunk
	for i := 0; i < n; i += (n + most - 1) / most {
		s.sampled = append(s.sampled, y[i])
		grown := mat.NewDense(len(s.sampled), d, nil)
		if s.sample != nil {
			grown.Copy(s.sample)
		}
		grown.SetRow(len(s.sampled)-1, z.RawRowView(i))
		s.sample = grown
	}
}

// readChunks calls f with at most chunk rows at a time, in newly allocated memory.
func readChunks(path string, classes []string, chunk int, f func(x *mat.Dense, y []int) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	r := csv.NewReader(bufio.NewReaderSize(file, 1<<20))
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	d := len(header) - 1
	if d < 1 {
		return fmt.Errorf("%s: %d columns, want numbers and a class", path, len(header))
	}
	var values []float64
	var y []int
	flush := func() error {
		if len(y) == 0 {
			return nil
		}
		err := f(mat.NewDense(len(y), d, values), y)
		values, y = nil, nil
		return err
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return flush()
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		class := slices.Index(classes, record[d])
		if class < 0 {
			line, _ := r.FieldPos(d)
			return fmt.Errorf("%s: line %d: class %q is none of %v", path, line, record[d], classes)
		}
		for j, cell := range record[:d] {
			v, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				line, _ := r.FieldPos(j)
				return fmt.Errorf("%s: line %d: %w", path, line, err)
			}
			values = append(values, v)
		}
		if y = append(y, class); len(y) == chunk {
			if err := flush(); err != nil {
				return err
			}
		}
	}
}

// compare fits another machine to all rows at once, and prints the difference between the two machines.
func (s *streamed) compare(ctx context.Context, out io.Writer, path string, hidden int) error {
	var x *mat.Dense
	var y []int
	if err := readChunks(path, s.classes, s.rows, func(rows *mat.Dense, labels []int) error {
		x, y = rows, labels
		return nil
	}); err != nil {
		return err
	}
	z, err := s.scaler.Transform(x)
	if err != nil {
		return err
	}
	whole := &eem.Classifier{Units: hidden, Activation: featuremap.Tanh, Labels: s.model.Labels}
	begin := time.Now()
	if err := whole.Fit(ctx, z, y); err != nil {
		return err
	}
	fmt.Fprintf(out, "all rows at once: %.2f s without reading\n", time.Since(begin).Seconds())
	one, err := whole.PredictProba(z)
	if err != nil {
		return err
	}
	chunks, err := s.model.PredictProba(z)
	if err != nil {
		return err
	}
	worst := 0.0
	for i := range y {
		for k := range s.classes {
			worst = max(worst, math.Abs(one.At(i, k)-chunks.At(i, k)))
		}
	}
	predicted, err := s.model.Predict(z)
	if err != nil {
		return err
	}
	gmean, err := metrics.GMean(y, predicted, nil)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "probabilities differ by at most %.1g; GMean %.4f on the rows that were learnt\n", worst, gmean)
	if err != nil || len(s.classes) != 2 {
		return err
	}
	t := s.model.Pairs()[0].Thresholds
	_, err = fmt.Fprintf(out, "%s is %v the thresholds %.3f and %.3f of the projection\n", s.classes[1], t.Region, t.Near, t.Far)
	return err
}
