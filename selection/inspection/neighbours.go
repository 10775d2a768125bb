package inspection

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
)

const defaultNeighbours = 10

// NeighbourOptions holds the settings of [Neighbours]. A nil *NeighbourOptions stands for the defaults.
type NeighbourOptions struct {
	Count int `zero:"10"` // number of rows in the list; 0: 10
	// ByKernel sorts by kernel value alone, which finds the most similar rows, including those with small weights.
	ByKernel bool
}

// Neighbour is a training row with its contribution to a prediction.
type Neighbour struct {
	Row    int     // index of the row
	Kernel float64 // k(x, x[i]); for several models, the mean weighted by their shares
	Weight float64 // α[i] k(x, x[i]), the row's contribution to the prediction
	Share  float64 // |Weight| divided by the sum over all rows
}

// NeighbourList holds the training rows that contribute to a prediction. The weights of Rows, Rest and Intercept sum to the
// prediction of the models.
type NeighbourList struct {
	Rows      []Neighbour // largest first
	Rest      float64     // sum of the weights of all other rows
	Intercept float64
}

// String returns a table.
func (l NeighbourList) String() string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "row\tkernel\tweight\tshare\t\n")
	for _, n := range l.Rows {
		fmt.Fprintf(w, "%d\t%.3f\t%+.4g\t%.1f%%\t\n", n.Row, n.Kernel, n.Weight, 100*n.Share)
	}
	_ = w.Flush() // writing to a strings.Builder does not fail
	return out.String() + fmt.Sprintf("all other rows %+.4g, intercept %.4g\n", l.Rest, l.Intercept)
}

// Neighbours returns the training rows with the largest weights in the prediction for a row (d). The regressor must be a sum of
// kernel values: an [estimators.Expander], alone, in a pipeline, a search or a stack. The rows x (n×d) must be the training rows,
// which the estimator stores only in preprocessed form. Equal rows share the weight of the stored one. A row that is not stored,
// because it is not a support vector or landmark, has weight 0. If the targets were transformed, weights sum on the scale of the
// models.
//
// The terms of the sum may cancel: a row with a negative weight need not have a small target. It costs O(nd). It returns ErrParam
// for an invalid option, or if no row of x is stored in the models. It returns ErrShape, ErrNotFinite, ErrNotFitted, the errors of
// the steps, or ctx's error. For other estimators the error wraps errors.ErrUnsupported.
func Neighbours(ctx context.Context, r estimators.Regressor, row []float64, x mat.Matrix,
	opt *NeighbourOptions) (_ NeighbourList, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newExplained("Neighbours", r, row, x, nil)
	if err != nil {
		return NeighbourList{}, err
	}
	if _, err := r.Predict(t.row); err != nil { // not fitted, or fitted on other columns
		return NeighbourList{}, err
	}
	return t.neighbours(ctx, modelsOf(r), 0, opt)
}

// ClassNeighbours is like Neighbours, for the decision value of a class, for a classifier with a single machine.
func ClassNeighbours(ctx context.Context, c estimators.Classifier, row []float64, x mat.Matrix, class int,
	opt *NeighbourOptions) (_ NeighbourList, err error) {
	defer check.Begin(&ctx)(&err)
	t, err := newExplained("ClassNeighbours", c, row, x, nil)
	if err != nil {
		return NeighbourList{}, err
	}
	at, err := t.class(c, class)
	if err != nil {
		return NeighbourList{}, err
	}
	_, models, err := decisions(t.typ, c)
	if err != nil {
		return NeighbourList{}, err
	}
	return t.neighbours(ctx, models, at, opt)
}

// neighbours returns the rows, sorted by their contributions to an output of the models.
func (t *explained) neighbours(ctx context.Context, models []model, output int, opt *NeighbourOptions) (out NeighbourList, err error) {
	o := NeighbourOptions{}
	if opt != nil {
		o = *opt
	}
	if err := settings.Check(t.typ, o); err != nil {
		return out, err
	}
	n, _ := t.x.Dims()
	all := make([]Neighbour, n)
	for i := range all {
		all[i].Row = i
	}
	found := false
	for _, m := range models {
		m, e, err := expansionOf(m, t.row)
		if errors.As(err, new(noClosedForm)) {
			return out, fmt.Errorf("%s: %w: %w", t.typ, err, errors.ErrUnsupported)
		} else if err != nil {
			return out, err
		}
		if got := len(e.Intercepts); got <= output {
			return out, fault.Shape(fmt.Sprintf("Expansion of %T has", m.estimator), got, "outputs", "more than %d", output)
		}
		out.Intercept += m.share * e.Intercepts[output]
		for _, p := range e.Parts {
			some, rest, err := t.addWeights(ctx, all, m, p, output)
			if err != nil {
				return out, err
			}
			found, out.Rest = found || some, out.Rest+rest
		}
	}
	if !found {
		return out, fault.Param(t.typ, "x", fmt.Sprintf("%d rows", n), "the rows of Fit, which the models do not store")
	}
	total := math.Abs(out.Rest)
	for _, v := range all {
		total += math.Abs(v.Weight)
	}
	slices.SortStableFunc(all, func(a, b Neighbour) int {
		if o.ByKernel {
			return cmp.Compare(b.Kernel, a.Kernel)
		}
		return cmp.Compare(math.Abs(b.Weight), math.Abs(a.Weight))
	})
	for i, v := range all {
		if v.Share = math.Abs(v.Weight) / max(total, math.SmallestNonzeroFloat64); i < cmp.Or(o.Count, defaultNeighbours) {
			out.Rows = append(out.Rows, v)
		} else {
			out.Rest += v.Weight
		}
	}
	return out, nil
}

// addWeights adds the kernel values of a model for the rows of x, and the weights of its stored rows, to all. It reports in found
// whether any stored row is in x, and returns the sum of the weights of the stored rows that are not in x.
func (t *explained) addWeights(ctx context.Context, all []Neighbour, m model, p estimators.ExpansionPart,
	output int) (found bool, rest float64, err error) {
	z, err := m.transform(t.row)
	if err != nil {
		return false, 0, err
	}
	rows, err := m.transform(t.x)
	if err != nil {
		return false, 0, err
	}
	alike, err := kernels.Cross(ctx, p.Kernel, z, rows, nil)
	if err != nil {
		return false, 0, err
	}
	at := map[string][]int{} // positions of equal rows
	for i := range all {
		all[i].Kernel += m.share * alike.At(0, i)
		k := key(rows.RawRowView(i))
		at[k] = append(at[k], i)
	}
	kept, err := kernels.Cross(ctx, p.Kernel, z, p.Rows, nil)
	if err != nil {
		return false, 0, err
	}
	for i, v := range kept.RawRowView(0) {
		weight := m.share * p.Coefficients.At(i, output) * v
		same := at[key(p.Rows.RawRowView(i))]
		if same == nil {
			rest += weight
			continue
		}
		found = true
		for _, j := range same {
			all[j].Weight += weight / float64(len(same))
		}
	}
	return found, rest, nil
}

// key returns a text that is the same for equal rows.
func key(row []float64) string {
	out := make([]byte, 0, 8*len(row))
	for _, v := range row {
		out = binary.LittleEndian.AppendUint64(out, math.Float64bits(v+0)) // v+0 replaces -0
	}
	return string(out)
}
