package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/effectplot"
	"github.com/kernelearn/kernelearn/selection/inspection"
)

func explainCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "shows how much each column changes the prediction for a row.",
		UsageText: "kernelearn explain price.keln new.csv -row 3 -background houses.csv -neighbours 5 -o reasons.svg",
		Description: "The contributions are Shapley values: they sum to the prediction less the mean prediction of a background.\n" +
			"Give the training table as -background; without it the rows of DATA are the background.\n" +
			"For a classifier, the probability is explained. The neighbours are the training rows that the kernel of the model\n" +
			"finds most alike.",
		Flags: append([]cli.Flag{
			&cli.IntSliceFlag{Name: "rows", Aliases: []string{"row", "r"},
				Usage: "the `NUMBERS` of the rows, from 1, separated by commas (default: 1)"},
			&cli.StringFlag{Name: "background", Aliases: []string{"b"},
				Usage: "the `FILE` of background rows (default: DATA)"},
			&cli.IntFlag{Name: "neighbours", Aliases: []string{"n"},
				Usage: "the `NUMBER` of neighbours to print; -background must be the training table"},
			&cli.StringFlag{Name: "class", Usage: "the `CLASS` whose probability is explained (default: the predicted one)"},
			&cli.StringFlag{Name: "output", Aliases: []string{"o"},
				Usage: "the `FILE` of a picture of one row, such as reasons.svg or reasons.png (default: none)"},
			quietFlag(),
		}, formatFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error { return explain(ctx, s, c) },
	}
}

// explained holds a model and the tables that explain its predictions.
type explained struct {
	model            *table.Model
	data, background *table.Table
	class            string // "": the predicted class
	neighbours       int
}

func explain(ctx context.Context, s *streams, c *cli.Command) error {
	rows := c.IntSlice("rows")
	if len(rows) == 0 {
		rows = []int{1}
	}
	path := c.String("output")
	switch {
	case c.Args().Len() != 2:
		return usagef("want a model and a table, not %d arguments", c.Args().Len())
	case path != "" && len(rows) > 1:
		return usagef("-output: a picture shows one row, not %d", len(rows))
	case c.Int("neighbours") < 0:
		return usagef("-neighbours %d: want 1 or more, or 0 for none", c.Int("neighbours"))
	case c.Int("neighbours") > 0 && c.String("background") == "":
		return usagef("-neighbours: want -background, the table that the model was trained on")
	}
	e, err := newExplained(ctx, s, c)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if row < 1 || row > e.data.Rows() {
			return usagef("-row %d: want 1 to %d", row, e.data.Rows())
		}
	}
	for i, row := range rows {
		if i > 0 {
			fmt.Fprintln(s.out)
		}
		if err := e.row(ctx, s, row, path); err != nil {
			return err
		}
	}
	if path != "" {
		fmt.Fprintf(s.progress, "written to %s\n", path)
	}
	return nil
}

func newExplained(ctx context.Context, s *streams, c *cli.Command) (*explained, error) {
	e := &explained{class: c.String("class"), neighbours: c.Int("neighbours")}
	var err error
	if e.model, err = table.Load(c.Args().Get(0)); err != nil {
		return nil, err
	}
	schema := e.model.Schema()
	if classes := schema.Classes(); e.class != "" && !slices.Contains(classes, e.class) {
		if classes == nil {
			return nil, usagef("-class %q: the model predicts numbers", e.class)
		}
		return nil, usagef("-class %q: want one of %s", e.class, strings.Join(classes, ", "))
	}
	read := func(path string) (*table.Table, error) {
		f, err := format(c, path)
		if err != nil {
			return nil, err
		}
		return readTable(ctx, s, path, &table.Options{Schema: schema, Format: f})
	}
	if e.data, err = read(c.Args().Get(1)); err != nil {
		return nil, err
	}
	quiet := c.Bool("quiet")
	if !quiet {
		warnOfColumns(s, e.data)
	}
	if path := c.String("background"); path != "" {
		e.background, err = read(path)
		return e, err
	}
	if e.data.Rows() == 1 {
		return nil, usagef("want -background: the table has only one row")
	}
	if e.background = e.data; !quiet {
		fmt.Fprintf(s.progress, "compared with the %d rows of %s: give the training table as -background\n",
			e.data.Rows(), c.Args().Get(1))
	}
	return e, nil
}

// row prints the explanation of the row with a number, counted from 1.
func (e *explained) row(ctx context.Context, s *streams, number int, path string) error {
	cells := e.data.X.RawRowView(number - 1)
	found, target, label, err := e.reasons(ctx, cells)
	if err != nil {
		return err
	}
	for i := range found.Contributions {
		e.describe(&found.Contributions[i])
	}
	fmt.Fprintf(s.out, "row %d: %s\n%s", number, target, found)
	if e.neighbours > 0 {
		if err := e.printNeighbours(ctx, s, cells, label); err != nil {
			return err
		}
	}
	if path == "" {
		return nil
	}
	return effectplot.SaveWaterfall(found, target, path)
}

// reasons returns the contributions of the columns and the name of the target to which they add up. For a classification it also
// returns the label.
func (e *explained) reasons(ctx context.Context, cells []float64) (_ inspection.Explanation, target string, label int, err error) {
	schema := e.model.Schema()
	o := &inspection.ExplainOptions{Names: schema.Names()}
	c, ok := e.model.Fitted().(estimators.Classifier)
	if !ok {
		column, _ := schema.Target()
		found, err := inspection.Explain(ctx, e.model.Fitted().(estimators.Regressor), cells, e.background.X, o)
		return found, column.Name, 0, err
	}
	if label = slices.Index(schema.Classes(), e.class); label < 0 {
		labels, err := c.Predict(mat.NewDense(1, len(cells), slices.Clone(cells)))
		if err != nil {
			return inspection.Explanation{}, "", 0, err
		}
		label = labels[0]
	}
	found, err := inspection.ExplainClass(ctx, c, cells, e.background.X, label, o)
	return found, "probability of " + schema.Classes()[label], label, err
}

// describe replaces the number of a category or a time in a contribution by its text.
func (e *explained) describe(c *inspection.Contribution) {
	schema := e.model.Schema()
	at := slices.Index(schema.Names(), c.Name)
	if at < 0 || math.IsNaN(c.Cells[0]) {
		return // copies of a column, or a gap
	}
	column := schema.Columns[slices.IndexFunc(schema.Columns, func(k table.Column) bool { return k.Name == c.Name })]
	switch column.Kind {
	case table.Category:
		c.Level = "a level that is new to the model"
		if code := int(c.Cells[0]); code < len(column.Levels) {
			c.Level = column.Levels[code]
		}
	case table.Time:
		seconds, part := math.Modf(c.Cells[0])
		t := time.Unix(int64(seconds), int64(1e9*part)).UTC()
		if c.Level = t.Format(time.RFC3339); t.Equal(t.Truncate(24 * time.Hour)) {
			c.Level = t.Format(time.DateOnly)
		}
	}
}

// printNeighbours prints the most similar training rows, with their numbers from 1 and their targets.
func (e *explained) printNeighbours(ctx context.Context, s *streams, cells []float64, label int) error {
	o := &inspection.NeighbourOptions{Count: e.neighbours, ByKernel: true}
	var near inspection.NeighbourList
	var err error
	if c, ok := e.model.Fitted().(estimators.Classifier); ok {
		near, err = inspection.ClassNeighbours(ctx, c, cells, e.background.X, label, o)
	} else {
		near, err = inspection.Neighbours(ctx, e.model.Fitted().(estimators.Regressor), cells, e.background.X, o)
	}
	if err != nil {
		return fmt.Errorf("-neighbours: %w", err)
	}
	column, _ := e.model.Schema().Target()
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "\nneighbour\tkernel\t%s\t\n", column.Name)
	for _, n := range near.Rows {
		fmt.Fprintf(w, "row %d\t%.3f\t%s\t\n", n.Row+1, n.Kernel, e.target(n.Row))
	}
	return w.Flush()
}

// target returns the text of the target of a row of the background.
func (e *explained) target(row int) string {
	switch {
	case e.background.Targets != nil:
		return short(e.background.Targets[row])
	case e.background.Labels != nil && e.background.Labels[row] >= 0:
		return e.model.Schema().Classes()[e.background.Labels[row]]
	}
	return "?"
}
