package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/methods"
	"github.com/kernelearn/kernelearn/measurements/benchmark/internal/standings"
)

const intervalsLegend = `The tables show the share of targets in the central 95% intervals of a method: the mean over the sets, and the
smallest share with its set. Widths are in standard deviations of the targets of the test rows, and the tables show their median over
the sets. Only sets on which a method is complete are used.
`

const costsLegend = `The tables show medians over the sets on which a method is complete: the seconds of a fit and of a thousand
predictions, and the size of the model's file. "MB added" is the memory that both add to what the program uses after reading the rows.
`

// intervals writes how often intervals contain the target.
func (r *Report) intervals(b *strings.Builder) {
	b.WriteString(intervalsLegend)
	for _, collection := range r.Collections() { // only regression has intervals
		r.intervalsOf(b, collection)
	}
}

func (r *Report) intervalsOf(b *strings.Builder, collection string) {
	type row struct {
		line []string
		off  float64
	}
	var rows []row
	for _, m := range r.MethodsThere() {
		sets, all := r.Complete(collection, methods.RegressionTask, m.Name)
		var coverages, widths []float64
		least, on := math.Inf(1), ""
		for i, s := range all {
			c, there := s.Measures[methods.Coverage]
			if !there {
				continue
			}
			coverages, widths = append(coverages, c.Mean), append(widths, s.Measures[methods.Width].Mean)
			if c.Mean < least {
				least, on = c.Mean, sets[i].Set
			}
		}
		if coverages == nil {
			continue
		}
		mean := stat.Mean(coverages, nil)
		rows = append(rows, row{[]string{
			m.Name, m.Source, strconv.Itoa(len(coverages)), fmt.Sprintf("%.3f", mean), fmt.Sprintf("%.3f, %s", least, on),
			fmt.Sprintf("%.3f", standings.Median(widths)),
		}, math.Abs(mean - methods.IntervalLevel)})
	}
	if rows == nil {
		return
	}
	slices.SortStableFunc(rows, func(x, y row) int { return cmp.Compare(x.off, y.off) })
	lines := [][]string{{"method", "source", "sets", "mean coverage", "least", "median width"}}
	for _, one := range rows {
		lines = append(lines, one.line)
	}
	fmt.Fprintf(b, "\n## %s\n\n", capital(standings.Criterion{Task: methods.RegressionTask, Collection: collection}.Where()))
	align(b, lines)
}

// costs writes seconds, memory and sizes on the sets of a collection.
func (r *Report) costs(b *strings.Builder, collection string) {
	b.WriteString(costsLegend)
	for _, task := range []string{methods.RegressionTask, methods.ClassificationTask} {
		lines := [][]string{{"method", "source", "sets", "fit s", "s/1000", "MB added", "model kB"}}
		for _, m := range r.MethodsThere() {
			sets, all := r.Complete(collection, task, m.Name)
			if len(all) == 0 {
				continue
			}
			var fit, predict, memory, size []float64
			for i, s := range all {
				if s.FitSeconds != nil && s.PredictSeconds != nil {
					fit, predict = append(fit, *s.FitSeconds), append(predict, *s.PredictSeconds*1000/float64(sets[i].TestRows))
				}
				if s.PeakBytes != nil && s.BeforeBytes != nil {
					memory = append(memory, (*s.PeakBytes-*s.BeforeBytes)/1e6)
				}
				if s.ModelBytes != nil {
					size = append(size, *s.ModelBytes/1e3)
				}
			}
			lines = append(lines, []string{m.Name, m.Source, strconv.Itoa(len(all)), dashed(fit), dashed(predict), dashed(memory),
				dashed(size)})
		}
		if len(lines) > 1 {
			fmt.Fprintf(b, "\n## %s\n\n", capital(task))
			align(b, lines)
		}
	}
}
