package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/runner"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

const (
	parentCommand    = "parent"             // runs the test binary as the benchmark
	listenerVariable = "BENCHMARK_LISTENER" // address to which a hanging method reports
)

// TestMain can also run the test binary as the process of a cell, or as the benchmark program.
func TestMain(m *testing.M) {
	methods.All = append(methods.All, misbehaved...)
	switch {
	case len(os.Args) == 2 && os.Args[1] == runner.CellCommand:
		os.Exit(runner.RunCell(os.Stdin, os.Stdout, os.Stderr))
	case len(os.Args) > 1 && os.Args[1] == parentCommand:
		if err := run(context.Background(), os.Args[2:], os.Stdout, os.Stderr); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// misbehaved lists methods that a cell must survive. Some of them hang, panic or exit.
var misbehaved = []methods.Method{
	{Name: "hangs", Configuration: "never ends", Regressor: misbehaving(hang)},
	{Name: "spins", Configuration: "never ends, and is busy", Regressor: misbehaving(func() error {
		for sum := uint64(0); sum < math.MaxUint64; sum++ { // takes centuries
		}
		return nil
	})},
	{Name: "panics", Configuration: "panics", Regressor: misbehaving(func() error { panic("out of cheese") })},
	{Name: "panics-aside", Configuration: "panics in another goroutine", Regressor: misbehaving(func() error {
		go func() { panic("out of mice") }()
		return hang()
	})},
	{Name: "errs", Configuration: "returns an error", Regressor: misbehaving(func() error { return errors.New("no cheese today") })},
	{Name: "exits", Configuration: "ends the process", Regressor: misbehaving(func() error {
		fmt.Fprintln(os.Stderr, "going home")
		os.Exit(7)
		return nil
	})},
	{Name: "nan", Configuration: "predicts NaN", Regressor: misbehaving(func() error { return nil })},
	{Name: "naps", Configuration: "waits before it predicts the mean", Regressor: func(uint64) estimators.Regressor { return &napping{} }},
	{Name: "chatty", Configuration: "prints", Regressor: func(uint64) estimators.Regressor {
		fmt.Println(`{"measures": "none of your business"}`)
		return &methods.MeanRegressor{}
	}},
}

const nap = 300 * time.Millisecond

// napping waits without using the processor.
type napping struct{ methods.MeanRegressor }

func (n *napping) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	time.Sleep(nap)
	return n.MeanRegressor.Fit(ctx, x, y)
}

type misbehavingRegressor struct{ fit func() error }

func misbehaving(fit func() error) func(uint64) estimators.Regressor {
	return func(uint64) estimators.Regressor { return misbehavingRegressor{fit} }
}

func (m misbehavingRegressor) Fit(context.Context, mat.Matrix, []float64) error { return m.fit() }

func (m misbehavingRegressor) Predict(x mat.Matrix) ([]float64, error) {
	n, _ := x.Dims()
	return slices.Repeat([]float64{math.NaN()}, n), nil
}

// hang opens a connection to the test, and holds it until the process ends.
func hang() error {
	if address := os.Getenv(listenerVariable); address != "" {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		defer connection.Close()
	}
	for {
		time.Sleep(time.Hour)
	}
}

// listen returns the address to which the next hanging cell reports, and a function that waits for the report. That function
// returns another function, which waits for the end of the cell.
func listen(t *testing.T) (address string, begun func() (ended func())) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	return l.Addr().String(), func() func() {
		connection, err := l.Accept()
		require.NoError(t, err)
		t.Cleanup(func() { connection.Close() })
		return func() { _, _ = io.Copy(io.Discard, connection) } // blocks the test until the process ends
	}
}

// bench runs the program in this process. The processes of the cells are its children.
func bench(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), args, &out, io.Discard)
	return out.String(), err
}

func readReport(t *testing.T, folder string) standings.Record {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(folder, "report.json"))
	require.NoError(t, err)
	var r standings.Record
	require.NoError(t, json.Unmarshal(content, &r))
	return r
}

// repeatable returns report.json and report.md without seconds and memory, and without results that follow from them.
func repeatable(t *testing.T, folder string) string {
	t.Helper()
	r := readReport(t, folder)
	r.Fronts, r.Overviews = nil, nil
	content, err := json.MarshalIndent(r, "", "  ")
	require.NoError(t, err)
	content = regexp.MustCompile(`"(fit_seconds|predict_seconds|memory_\w+)": [^,\n]+`).ReplaceAll(content, []byte(`"$1": 0`))
	text, err := os.ReadFile(filepath.Join(folder, "report.md"))
	require.NoError(t, err)
	page := string(text)
	for _, title := range []string{"Error against time", "Error against seconds over all sets"} {
		before, rest, found := strings.Cut(page, "\n## "+title+"\n")
		require.True(t, found, title)
		page = before + rest[strings.Index(rest, "\n## "):]
	}
	return string(content) + withoutCosts(page)
}

// withoutCosts empties the columns of seconds and memory in a table.
func withoutCosts(text string) string {
	var out strings.Builder
	var costs []int
	for line := range strings.Lines(text) {
		cells := strings.Split(line, "|")
		if strings.HasPrefix(line, "| method") {
			costs = nil
			for j, head := range cells {
				if slices.Contains([]string{"fit s", "s/1000", "MB before", "peak MB"}, strings.TrimSpace(head)) {
					costs = append(costs, j)
				}
			}
		}
		if len(cells) > 1 {
			for _, j := range costs {
				cells[j] = ""
			}
		}
		out.WriteString(strings.Join(cells, "|"))
	}
	return out.String()
}
