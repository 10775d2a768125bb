package table

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
)

// Learn determines the schema of a source in two passes. It holds one block of rows and the distinct texts of each column in
// memory. The schema equals that of [Source.Table]. Learn returns the errors of Table and ctx's error. However, gaps in the target,
// the groups and the weights are no errors in Learn, and are reported by [Blocks].
func (s Source) Learn(ctx context.Context, o *Options) (_ *Schema, err error) {
	defer check.Begin(&ctx)(&err)
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	if options.Schema != nil {
		return nil, fault.Param("table: Options", "Schema", "set", "nil, for one that is to be learnt")
	}
	// The first pass counts all cells, since even the last cell may determine the kind of a column.
	gaps, rows := map[string]int{}, 0
	counting := &collection{Source: s, options: options, rows: defaultBlock, do: func(block *intake) error {
		rows += block.rows
		for _, c := range block.columns {
			gaps[c.name] += c.gaps()
		}
		return nil
	}}
	counting.wanted = func(name string) bool { return name != "" && !slices.Contains(options.Drop, name) }
	all, err := counting.run(ctx)
	if err != nil {
		return nil, err
	}
	if err := counting.do(all); err != nil { // with the last rows
		return nil, err
	}
	if rows == 0 {
		return nil, noRows(s.Name)
	}
	surveys := all.surveys()
	if len(surveys) > 0 {
		wanted := func(name string) bool { return surveys[name] != nil }
		err = s.each(ctx, options, defaultBlock, wanted, func(block *intake) error {
			block.surveyed(surveys)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return all.learn(surveys, func(c *Cells) int { return gaps[c.name] })
}

// Blocks returns the rows of a source, read with a schema, in the form that the FitBlocks methods of estimators, pipelines and
// transformers accept. Y is float64 for targets and int for labels. If the schema has weights, the blocks contain them. Each pass
// opens the source again. The argument rows is the number of rows of a block. If rows is 0, a block has 4096 rows.
//
// The iterator yields the errors of [Source.Table] and ctx's error. It yields ErrParam if Y does not match the Task of the schema,
// and for a target that is a gap or a class that the schema does not list. For a source without rows it yields ErrShape.
func Blocks[Y streaming.Target](ctx context.Context, s Source, schema *Schema, rows int) iter.Seq2[streaming.Block[Y], error] {
	return func(yield func(streaming.Block[Y], error) bool) {
		some := false
		err := checkBlocks(schema, rows)
		if err == nil {
			err = checkTask[Y](schema)
		}
		if err == nil {
			options := Options{Schema: schema, Format: schema.Format}
			err = s.each(check.Context(ctx), options, rows, wantedBy[Y](schema), func(in *intake) error {
				some = true
				block, err := blockOf[Y](in)
				if err == nil && !yield(block, nil) {
					return errStopped
				}
				return err
			})
			if err == nil && !some {
				err = noRows(s.Name)
			}
		}
		if err != nil && err != errStopped {
			yield(streaming.Block[Y]{}, err)
		}
	}
}

// errStopped ends a pass when the caller stops the iteration.
var errStopped = errors.New("stopped")

// wantedBy returns a function that reports whether a block needs the column with a name.
func wantedBy[Y streaming.Target](schema *Schema) func(string) bool {
	_, features := any(*new(Y)).(streaming.None)
	names := map[string]bool{}
	for _, c := range schema.Columns {
		names[c.Name] = c.Role == Feature || !features && (c.Role == Target || c.Role == Weight)
	}
	return func(name string) bool { return names[name] }
}

func checkBlocks(schema *Schema, rows int) error {
	if schema == nil {
		return fault.Param("table: Blocks", "schema", "nil", "one that was learnt")
	}
	if rows < 0 {
		return fault.Param("table: Blocks", "rows", rows, ">= 1, or 0 for 4096")
	}
	return schema.check()
}

// checkTask returns ErrParam if the Task of the schema does not match Y.
func checkTask[Y streaming.Target](schema *Schema) error {
	switch any(*new(Y)).(type) {
	case float64:
		if schema.Task != Regression {
			return fault.Param("table: Blocks", "Task", schema.Task, "Regression for targets of float64")
		}
	case int:
		if schema.Task != Classification {
			return fault.Param("table: Blocks", "Task", schema.Task, "Classification for labels of int")
		}
	}
	return nil
}

// blockOf returns the collected rows as a block.
func blockOf[Y streaming.Target](in *intake) (out streaming.Block[Y], err error) {
	schema := in.options.Schema
	t, err := in.encode(schema, true)
	if err != nil {
		return out, err
	}
	out.X, out.Weights = t.X, t.Weights
	c, _ := schema.Target()
	switch y := any(&out.Y).(type) {
	case *[]float64:
		*y = t.Targets
		if i := slices.IndexFunc(t.Targets, func(v float64) bool { return !finite(v) }); i >= 0 {
			return out, fault.Param(in.place(i), fmt.Sprintf("column %q", c.Name), "a gap", "a target in each row")
		}
	case *[]int:
		*y = t.Labels
		if i := slices.Index(t.Labels, -1); i >= 0 {
			return out, fault.Param(in.place(i), fmt.Sprintf("column %q", c.Name), "none of the schema's classes", "a class in each row")
		}
	default: // transformers take no weights
		out.Weights = nil
		return out, nil
	}
	if out.Y == nil {
		return out, fault.Param(in.input, "column", strconv.Quote(c.Name)+", which is missing", "the target")
	}
	if k := schema.find(Weight); k >= 0 && out.Weights == nil {
		return out, fault.Param(in.place(0), "column", strconv.Quote(schema.Columns[k].Name)+", which is missing or has a gap",
			"weights > 0")
	}
	return out, nil
}

// FitBlocks fits a clone of Regressor or Classifier to a source that is not held in memory, with a schema that Learn returned. The
// estimator needs a FitBlocks method, as the estimators of package falkon and pipelines have. If the estimator is nil or does not
// have the method, the error wraps errors.ErrUnsupported. Groups are not used. FitBlocks returns the errors of [Blocks] and of the
// estimator. If it returns an error, the model is unchanged.
func (m *Model) FitBlocks(ctx context.Context, s Source, schema *Schema) (err error) {
	defer check.Begin(&ctx)(&err)
	if schema == nil {
		return fault.Param("table: Model", "schema", "nil", "one that was learnt")
	}
	if err := schema.check(); err != nil {
		return err
	}
	estimator, err := m.learner(schema)
	if err != nil {
		return err
	}
	if schema.Task == Classification {
		err = fitBlocks[int](ctx, estimator, s, schema)
	} else {
		err = fitBlocks[float64](ctx, estimator, s, schema)
	}
	if err != nil {
		return explained(schema, estimator, err)
	}
	m.fitted = &fitted{schema, estimator}
	return nil
}

func fitBlocks[Y float64 | int](ctx context.Context, estimator any, s Source, schema *Schema) error {
	b, err := estimators.Capable[streaming.BlockFitter[Y]]("table: Model", estimator, estimators.Blocks)
	if err != nil {
		return err
	}
	return b.FitBlocks(ctx, Blocks[Y](ctx, s, schema, 0))
}
