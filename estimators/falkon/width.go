package falkon

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	// fewRows and fewLandmarks are the numbers of rows and landmarks in the search over all lengths. moreRows and moreLandmarks are
	// the numbers in the search over shorter lengths, which are better with more landmarks.
	fewRows, fewLandmarks   = 2000, 300
	moreRows, moreLandmarks = 4000, 600
)

// widths computes the leave-one-out errors of small models as a function of the length of their kernel.
type widths struct {
	machineSettings
	rows      *rows.Source
	landmarks *mat.Dense
	unit      float64          // a typical distance
	parts     *progress.Series // progress, with one part for each length
}

// chooseWidth returns the Matérn kernel with ν = 5/2 whose length has the smallest leave-one-out error, with the best ridge for
// each length. The landmarks, and the rows for the error, are some of the drawn rows. If there are few rows, all of them are
// landmarks, and the error equals that of the exact machine.
func (s machineSettings) chooseWidth(ctx context.Context, d *drawn, m int) (kernels.Kernel, error) {
	median, err := kernels.MedianRBF(ctx, anyrows.Slice(d.X, 0, min(leastDrawn, d.Rows())), s.Seed)
	if err != nil {
		return nil, err
	}
	unit := 1 / math.Sqrt(median.Gamma)
	first, rest := progress.Two(ctx, 1, 2)
	few := s.widthsOf(first, d, min(m, fewLandmarks), fewRows, unit, 9)
	length, err := (&loo.Lengths{Error: few.leaveOneOutError}).Search(ctx)
	if err != nil || m < moreLandmarks || d.Rows() < moreLandmarks+moreRows {
		return few.kernel(length), err
	}
	more := s.widthsOf(rest, d, moreLandmarks, moreRows, unit, 2)
	length, err = (&loo.Lengths{Error: more.leaveOneOutError}).Narrow(ctx, length)
	return more.kernel(length), err
}

// widthsOf draws landmarks, and rows for the error, which are different rows if there are enough.
func (s machineSettings) widthsOf(ctx context.Context, d *drawn, m, rows int, unit float64, expected int) *widths {
	x := d.X.(*mat.Dense) // never sparse, because sparse rows need a Kernel
	own := distinct.FirstDistinct(x, m)
	from := own[len(own)-1] + 1
	if d.Rows()-from < 2*len(own) {
		from = 0
	}
	b := d.Slice(from, min(d.Rows(), from+rows))
	s.Ridge, s.loss = 0, SquaredLoss
	return &widths{machineSettings: s, rows: b.Source(), landmarks: linalg.Rows(x, own), unit: unit,
		parts: progress.NewSeries(ctx, expected)}
}

func (w *widths) kernel(length float64) kernels.Kernel {
	return kernels.Matern{Nu: 2.5, Length: length * w.unit}
}

// leaveOneOutError returns the mean squared leave-one-out error for a length, or infinity if it cannot be computed.
func (w *widths) leaveOneOutError(_ context.Context, length float64) (float64, error) {
	return w.Settings.LeaveOneOutError(w.parts.Next(), w.kernel(length), w.landmarks, w.rows)
}
