package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers/text"
)

//go:embed peer.py
var peerScript []byte

// corpus holds documents as text, for training and testing.
type corpus struct {
	Train, Test   []string
	Labels, Truth []int
}

func newCorpus(n, vocabulary int) corpus {
	var out corpus
	texts := func(words [][]int) (documents []string) {
		for _, document := range words {
			var b strings.Builder
			for _, w := range document {
				fmt.Fprintf(&b, "w%d ", w)
			}
			documents = append(documents, b.String())
		}
		return documents
	}
	var words [][]int
	words, out.Labels = draw(n, vocabulary, 1)
	out.Train = texts(words)
	words, out.Truth = draw(n/4, vocabulary, 2)
	out.Test = texts(words)
	return out
}

// result holds the costs of a method, and the share of documents that it classified correctly. The share is 0 if the method only
// computes rows.
type result struct {
	Method   string
	Seconds  float64
	Accuracy float64
}

// classifyTexts prints the results of this library and of scikit-learn.
func classifyTexts(ctx context.Context, out io.Writer, n, vocabulary int, python string) error {
	c := newCorpus(n, vocabulary)
	fmt.Fprintf(out, "%d documents to learn from, %d to classify\n\n%-52s %8s %9s\n", len(c.Train), len(c.Test), "", "seconds", "accuracy")
	own, err := c.own(ctx)
	if err != nil {
		return err
	}
	var peers []result
	if python != "" {
		if peers, err = c.peers(ctx, python); err != nil {
			return err
		}
	}
	for _, r := range append(own, peers...) {
		accuracy := ""
		if r.Accuracy > 0 {
			accuracy = fmt.Sprintf("%.4f", r.Accuracy)
		}
		if _, err := fmt.Fprintf(out, "%-52s %8.2f %9s\n", r.Method, r.Seconds, accuracy); err != nil {
			return err
		}
	}
	return nil
}

// own returns the results of this library.
func (c corpus) own(ctx context.Context) (out []result, err error) {
	var x, z *sparse.Rows
	measure := func(method string, f func() ([]int, error)) error {
		var got []int
		seconds, _, err := cost(func() (err error) {
			got, err = f()
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", method, err)
		}
		r := result{Method: method, Seconds: seconds}
		if got != nil {
			if r.Accuracy, err = metrics.Accuracy(c.Truth, got, nil); err != nil {
				return err
			}
		}
		out = append(out, r)
		return nil
	}
	hashing := func() ([]int, error) {
		_, err := (&text.Hashing{}).Transform(ctx, append(c.Train[:len(c.Train):len(c.Train)], c.Test...))
		return nil, err
	}
	tfidf := func() (_ []int, err error) {
		v := &text.TFIDF{}
		if x, err = v.FitTransform(ctx, c.Train); err != nil {
			return nil, err
		}
		z, err = v.Transform(ctx, c.Test)
		return nil, err
	}
	regression := func(r *ridge.Regressor) func() ([]int, error) {
		return func() ([]int, error) {
			y := make([]float64, len(c.Labels))
			for i, l := range c.Labels {
				y[i] = float64(2*l - 1)
			}
			if err := r.Fit(ctx, x, y); err != nil {
				return nil, err
			}
			f, err := r.Predict(z)
			got := make([]int, len(f))
			for i, v := range f {
				if v > 0 {
					got[i] = 1
				}
			}
			return got, err
		}
	}
	for _, step := range []struct {
		method string
		f      func() ([]int, error)
	}{
		{"text.Hashing", hashing},
		{"text.TFIDF", tfidf},
		{"ridge.Regressor, Ridge: 1", regression(&ridge.Regressor{Ridge: 1})},
		{"ridge.Regressor, the ridge chosen", regression(&ridge.Regressor{})},
		{"falkon.Classifier, Linear, 1000 landmarks", func() ([]int, error) {
			m := &falkon.Classifier{Kernel: kernels.Linear{}, Components: 1000}
			if err := m.Fit(ctx, x, c.Labels); err != nil {
				return nil, err
			}
			return m.Predict(z)
		}},
		{"lssvm.Classifier, Linear", func() ([]int, error) {
			m := &lssvm.Classifier{Kernel: kernels.Linear{}}
			if err := m.Fit(ctx, x, c.Labels); err != nil {
				return nil, err
			}
			return m.Predict(z)
		}},
	} {
		if err := measure(step.method, step.f); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// peers returns the results of scikit-learn on the same documents.
func (c corpus) peers(ctx context.Context, python string) (out []result, err error) {
	folder, err := os.MkdirTemp("", "texts")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	data, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	script, corpus := filepath.Join(folder, "peer.py"), filepath.Join(folder, "corpus.json")
	if err := os.WriteFile(corpus, data, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(script, peerScript, 0o600); err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, python, script, corpus)
	command.Stderr = os.Stderr
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strconv.Quote(python), err)
	}
	return out, json.Unmarshal(printed, &out)
}
