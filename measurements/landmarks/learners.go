package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/measurements/internal/peak"
	"github.com/kernelearn/kernelearn/measurements/internal/peer"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func scaled() []transformers.Transformer {
	return []transformers.Transformer{&scalers.StandardScaler{}}
}

// regressors and classifiers hold constructors of this module's estimators, by name.
var (
	regressors = map[string]func(k kernels.Kernel) estimators.Regressor{
		"selection": func(kernels.Kernel) estimators.Regressor { return &selection.Regressor{} },
		"falkon": func(kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{Steps: scaled(), Final: &falkon.Regressor{}}
		},
		"falkon-4000": func(kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{Steps: scaled(), Final: &falkon.Regressor{Components: 4000}}
		},
		"lssvm": func(kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{Steps: scaled(), Final: &lssvm.Regressor{MaxKernelBytes: 6 << 30}}
		},
		"falkon-median": func(k kernels.Kernel) estimators.Regressor {
			return &pipeline.Regressor{Steps: scaled(), Final: &falkon.Regressor{Kernel: k}}
		},
	}
	classifiers = map[string]func(k kernels.Kernel) estimators.Classifier{
		"selection": func(kernels.Kernel) estimators.Classifier { return &selection.Classifier{} },
		"falkon": func(kernels.Kernel) estimators.Classifier {
			return &pipeline.Classifier{Steps: scaled(), Final: &falkon.Classifier{}}
		},
		"falkon-4000": func(kernels.Kernel) estimators.Classifier {
			return &pipeline.Classifier{Steps: scaled(), Final: &falkon.Classifier{Components: 4000}}
		},
		"lssvm": func(kernels.Kernel) estimators.Classifier {
			return &pipeline.Classifier{Steps: scaled(), Final: &lssvm.Classifier{MaxKernelBytes: 6 << 30}}
		},
		"falkon-median": func(k kernels.Kernel) estimators.Classifier {
			return &pipeline.Classifier{Steps: scaled(), Final: &falkon.Classifier{Kernel: k}}
		},
	}
	// peers contains the names of scikit-learn's estimators, which are also their names in the script.
	peers = map[string]bool{"boosting": true, "boosting500": true}
)

// took calls learn, which fits a model, and returns its costs: wall-clock seconds, processor seconds and memory.
func took(learn func() error) (value, error) {
	debug.FreeOSMemory()
	peak.Reset()
	before, begin, processor := peak.Bytes(), time.Now(), processorSeconds()
	err := learn()
	v := value{seconds: time.Since(begin).Seconds(), processor: processorSeconds() - processor, megabytes: math.NaN(),
		landmarks:  math.NaN(),
		iterations: math.NaN()}
	if after := peak.Bytes(); after != nil && before != nil {
		v.megabytes = float64(*after-*before) / 1e6
	}
	return v, err
}

// ours fits a learner of ours and predicts the test rows.
func ours(ctx context.Context, name string, train, test part) (value, error) {
	// This step is not timed, because the kernel of the median distance is for comparison only.
	scaler := scaled()[0]
	if err := scaler.Fit(ctx, train.x); err != nil {
		return value{}, err
	}
	z, err := scaler.Transform(train.x)
	if err != nil {
		return value{}, err
	}
	median, err := kernels.MedianRBF(ctx, z, 0)
	if err != nil {
		return value{}, err
	}
	if train.y == nil {
		c := classifiers[name](median)
		v, err := took(func() error { return c.Fit(ctx, train.x, train.labels) })
		if err != nil {
			return v, err
		}
		p, err := c.Predict(test.x)
		if err != nil {
			return v, err
		}
		v.error, err = wrong(test.labels, p)
		return v, err
	}
	r := regressors[name](median)
	v, err := took(func() error { return r.Fit(ctx, train.x, train.y) })
	if err != nil {
		return v, err
	}
	p, err := r.Predict(test.x)
	if err != nil {
		return v, err
	}
	v.error, err = metrics.NMSE(test.y, p, nil)
	return v, err
}

func wrong(labels, predicted []int) (float64, error) {
	right, err := metrics.Accuracy(labels, predicted, nil)
	return 1 - right, err
}

// put writes the training and test rows for a peer.
func put(f peer.Folder, train, test part) error {
	y := mat.NewDense(1, train.x.RawMatrix().Rows, nil)
	for i := range y.RawRowView(0) {
		if train.y != nil {
			y.Set(0, i, train.y[i])
		} else {
			y.Set(0, i, float64(train.labels[i]))
		}
	}
	return errors.Join(f.Write("x", train.x), f.Write("y", y), f.Write("xt", test.x))
}

// peer runs the script in a folder, and scores its predictions.
func (p program) peer(ctx context.Context, f peer.Folder, test part, args ...string) (value, error) {
	v := value{megabytes: math.NaN(), landmarks: math.NaN(), iterations: math.NaN()}
	task := "regression"
	if test.y == nil {
		task = "classification"
	}
	cmd := exec.CommandContext(ctx, p.python, append([]string{p.script, string(f), task}, args...)...)
	cmd.Stderr = os.Stderr
	// Threads that wait without sleeping would lose most of their time to other work on the machine.
	cmd.Env = append(os.Environ(), "OMP_WAIT_POLICY=PASSIVE")
	text, err := cmd.Output()
	if err != nil {
		return v, fmt.Errorf("%s %s: %w", p.python, p.script, err)
	}
	if _, err := fmt.Sscan(string(text), &v.seconds, &v.processor); err != nil {
		return v, fmt.Errorf("%s answered %q: %w", p.script, strings.TrimSpace(string(text)), err)
	}
	got, err := f.Read("p")
	if err != nil {
		return v, err
	}
	predicted := got.RawRowView(0)
	if test.y != nil {
		v.error, err = metrics.NMSE(test.y, predicted, nil)
		return v, err
	}
	labels := make([]int, len(predicted))
	for i, l := range predicted {
		labels[i] = int(l)
	}
	v.error, err = wrong(test.labels, labels)
	return v, err
}

// boosting runs a boosting peer on the rows.
func (p program) boosting(ctx context.Context, name string, train, test part, seed uint64) (value, error) {
	dir, err := os.MkdirTemp("", "landmarks")
	if err != nil {
		return value{}, err
	}
	defer os.RemoveAll(dir)
	if err := put(peer.Folder(dir), train, test); err != nil {
		return value{}, err
	}
	return p.peer(ctx, peer.Folder(dir), test, name, strconv.FormatUint(seed, 10))
}
