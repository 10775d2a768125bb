package arrow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/kernelearn/kernelearn/adapters/arrow/internal/cells"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
)

// defaultMaxCategories is the limit of Columns whose MaxCategories is 0, as that of a columnwise.OneHot.
const defaultMaxCategories = 1000

// Columns says what the columns of files are for. The zero value makes a feature of each.
type Columns struct {
	// Features are the columns of the matrix, in this order; nil are all columns of the first shard that nothing else here names.
	Features []string
	Target   string   // the column of numbers that a regressor learns, if any
	Label    string   // the column of texts, integers, booleans or of a dictionary that a classifier learns, if any
	Weight   string   // the column of the weights of rows, if any
	Ignore   []string // columns that are no features; "" is one without a name
	// Categorical are features of integers or booleans that are categories; of a CSV file the cells as they are written.
	Categorical []string
	// Classes are the classes of the label, in the order of their numbers; nil are those that occur, in ascending order.
	Classes []string
	// MaxCategories is the limit on the categories of a column, and on the classes; 0: 1000. What has more is hardly a category.
	MaxCategories int `zero:"1000"`
	// UnseenAsGap and RoundIntegers are the Schema's.
	UnseenAsGap, RoundIntegers bool

	mem memory.Allocator // nil: Go's
}

// learner is a Learn under way.
type learner struct {
	of     Columns
	want   *request
	schema *Schema
	found  map[string]*found // by column
	first  string            // the first shard
}

// found is what is known of a column.
type found struct {
	kind    Kind
	typ     arrow.DataType // that told the kind
	file    string         // which has it
	integer bool           // in all shards that have a type for it
	// Categories, in the order in which they came.
	texts   []string
	seen    map[string]bool
	ordered bool
}

// Learn makes the schema of shards. It opens each of them, and reads the rows of columns of categories and of the label, if Classes
// does not say what there is; types of a CSV file's columns take a pass of their own. A shard may have no rows, and other
// columns than the schema's.
//
// Errors name the file and the column: ErrParam for a column that a shard lacks, has twice, or has of a type that does not fit
// or of another kind than the shards before it, and for text that is not UTF-8; estimators.MixedColumnError, an ErrParam, for a column of
// a CSV file that is nearly all numbers; ErrShape for no classes, in no rows; ErrTooLarge for too many categories.
func (c Columns) Learn(ctx context.Context, shards ...Shard) (*Schema, error) {
	if err := c.check(shards); err != nil {
		return nil, err
	}
	if c.MaxCategories == 0 {
		c.MaxCategories = defaultMaxCategories
	}
	l := &learner{of: c, found: map[string]*found{}, want: newRequest(c.mem, 0, 0), schema: &Schema{
		Target: c.Target, Label: c.Label, Weight: c.Weight, UnseenAsGap: c.UnseenAsGap, RoundIntegers: c.RoundIntegers,
	}}
	l.want.infer, l.want.texts, l.want.label = true, map[string]bool{}, c.Label
	for _, name := range c.Categorical {
		l.want.texts[name] = true
	}
	for _, s := range shards {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := l.shard(ctx, s); err != nil {
			return nil, err
		}
	}
	return l.finish()
}

func (c Columns) check(shards []Shard) error {
	const typ = "arrow: Columns"
	if len(shards) == 0 {
		return fault.Param(typ, "shards", "none", "at least one")
	}
	named := slices.Clone(c.Features)
	for _, n := range []string{c.Target, c.Label, c.Weight} {
		if n != "" {
			named = append(named, n)
		}
	}
	if n, ok := celltext.Duplicate(append(named, c.Ignore...)); ok {
		return fault.Param(typ, "columns", strconv.Quote(n)+" twice", "each for one thing")
	}
	if c.Features != nil {
		for _, n := range c.Categorical {
			if !slices.Contains(c.Features, n) {
				return fault.Param(typ, "Categorical", strconv.Quote(n), "columns out of Features")
			}
		}
	}
	if err := check.Text(typ, "columns", slices.Concat(named, c.Ignore, c.Categorical)...); err != nil {
		return err
	}
	if err := check.Text(typ, "Classes", c.Classes...); err != nil {
		return err
	}
	if v, ok := celltext.Duplicate(c.Classes); ok {
		return fault.Param(typ, "Classes", strconv.Quote(v)+" twice", "each once")
	}
	if c.Label == "" && c.Classes != nil {
		return fault.Param(typ, "Label", `""`, "the column of the Classes")
	}
	return settings.Check(typ, c)
}

// shard takes in one.
func (l *learner) shard(ctx context.Context, s Shard) error {
	in, err := s.open(ctx, l.want)
	if err != nil {
		return err
	}
	defer in.close()
	if l.schema.Features == nil {
		l.first = in.name
		if err := l.choose(in); err != nil {
			return err
		}
	}
	var columns []int
	at := map[int]*found{}
	for _, name := range l.names() {
		j, err := find(in.name, in.schema(), name)
		if err != nil {
			return err
		}
		if c, ok := in.in.(*csvSource); ok && c.mixed[name] != nil && name != l.of.Label {
			return c.mixed[name]
		}
		f, err := l.column(in.name, in.schema().Field(j))
		if err != nil {
			return err
		}
		if f.kind == Category && (name != l.of.Label || l.of.Classes == nil) && in.schema().Field(j).Type.ID() != arrow.NULL {
			columns = append(columns, j)
			at[j] = f
		}
	}
	if len(columns) == 0 {
		return nil
	}
	slices.Sort(columns)
	return l.scan(ctx, in, columns, at)
}

// names lists the columns of the schema.
func (l *learner) names() []string {
	out := l.schema.Names()
	for _, n := range []string{l.of.Target, l.of.Label, l.of.Weight} {
		if n != "" {
			out = append(out, n)
		}
	}
	return out
}

// choose sets the features.
func (l *learner) choose(in *reading) error {
	names := l.of.Features
	if names == nil {
		other := slices.DeleteFunc([]string{l.of.Target, l.of.Label, l.of.Weight}, func(n string) bool { return n == "" })
		other = append(other, l.of.Ignore...)
		for _, f := range in.schema().Fields() {
			if !slices.Contains(other, f.Name) {
				names = append(names, f.Name)
			}
		}
		for _, n := range append(slices.Clone(l.of.Ignore), l.of.Categorical...) {
			if _, err := find(in.name, in.schema(), n); err != nil {
				return err
			}
		}
	}
	if _, ok := in.in.(*csvSource); ok {
		if err := celltext.CheckNames(in.name, names); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return fault.Param(in.name, "features", "none", "at least one column that is not the target, the label, the weight or ignored")
	}
	if err := check.Text(in.name, "column name", names...); err != nil {
		return err
	}
	for _, n := range names {
		l.schema.Features = append(l.schema.Features, Column{Name: n})
	}
	return nil
}

// column returns what is known of a column with what a file says of it.
func (l *learner) column(file string, f arrow.Field) (*found, error) {
	k, ok := kindOf(f.Type)
	forced := slices.Contains(l.of.Categorical, f.Name) || f.Name == l.of.Label
	switch {
	case forced && !cells.Countable(f.Type):
		return nil, misfit(file, f, "one of texts, integers, booleans or a dictionary of such")
	case forced:
		k, ok = Category, true
	case !ok:
		return nil, misfit(file, f, "one of numbers, times, durations, texts or a dictionary; or name the column in Ignore")
	case (f.Name == l.of.Target || f.Name == l.of.Weight) && k != Number && k != anyKind:
		return nil, misfit(file, f, "one of numbers")
	}
	was, known := l.found[f.Name]
	if !known {
		was = &found{seen: map[string]bool{}, integer: true}
		l.found[f.Name] = was
	}
	if f.Type.ID() == arrow.NULL {
		if forced {
			was.kind = Category
		}
		return was, nil
	}
	if was.typ != nil && was.kind != k {
		return nil, misfit(file, f, fmt.Sprintf("%s, a %s, as in %s", was.typ, was.kind, was.file))
	}
	if was.typ == nil {
		was.kind, was.typ, was.file = k, f.Type, file
	}
	was.integer = was.integer && cells.Integral(f.Type)
	return was, nil
}

// scan reads the categories of columns.
func (l *learner) scan(ctx context.Context, in *reading, columns []int, at map[int]*found) error {
	if err := in.start(ctx, columns); err != nil {
		return err
	}
	dictionaries := make([]arrow.ArrayData, len(columns)) // those of the batch before
	for {
		some, err := in.next(ctx)
		if err != nil || !some {
			return err
		}
		err = guarded(in.name, in.rowPlace(), func() error {
			for k, j := range columns {
				f := at[j]
				name := in.schema().Field(j).Name
				var cell *cellError
				if err := f.take(in.batch.Column(k), &dictionaries[k]); errors.As(err, &cell) {
					return errNamed{fault.Param(in.name, fmt.Sprintf("a category of column %q", name), cell.value, cell.want)}
				} else if err != nil {
					return err
				}
				if len(f.texts) > l.of.MaxCategories {
					return errNamed{fmt.Errorf("%s: column %q: %w", in.name, name, &tooMany{l.of.MaxCategories})}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// tooMany is the ErrTooLarge of categories, which are not counted in bytes.
type tooMany struct{ limit int }

func (e *tooMany) Error() string {
	return fmt.Sprintf("more than %d different values: not likely categories; raise MaxCategories, or name the column in Ignore", e.limit)
}

func (e *tooMany) Unwrap() error { return fault.ErrTooLarge }

// take adds the categories of an array: those of its dictionary, or of its rows.
func (f *found) take(a arrow.Array, before *arrow.ArrayData) error {
	if e, ok := a.(array.ExtensionArray); ok {
		a = e.Storage()
	}
	if d, ok := a.(*array.Dictionary); ok {
		f.ordered = f.ordered || d.DataType().(*arrow.DictionaryType).Ordered
		if a = d.Dictionary(); a.Data() == *before {
			return nil
		}
		*before = a.Data()
	}
	if a.DataType().ID() == arrow.NULL {
		return nil
	}
	text, err := cells.Texts(a)
	if err != nil {
		return err
	}
	for i := range a.Len() {
		if a.IsNull(i) {
			continue
		}
		if t := text(i); !f.seen[t] {
			if !utf8.ValidString(t) {
				return &cellError{strconv.Quote(t), "UTF-8"}
			}
			t = strings.Clone(t) // the array's memory goes
			f.seen[t] = true
			f.texts = append(f.texts, t)
		}
	}
	return nil
}

// categories returns those that were found in their order.
func (f *found) categories() []string {
	if f.ordered {
		return f.texts
	}
	out := slices.Clone(f.texts)
	numbers := make(map[string]int64, len(out))
	for _, t := range out {
		if v, err := strconv.ParseInt(t, 10, 64); err == nil {
			numbers[t] = v
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if len(numbers) == len(out) && numbers[a] != numbers[b] {
			return cmp.Compare(numbers[a], numbers[b])
		}
		return strings.Compare(a, b)
	})
	return out
}

func (l *learner) finish() (*Schema, error) {
	s := l.schema
	for j := range s.Features {
		c := &s.Features[j]
		f := l.found[c.Name]
		switch c.Kind = f.kind; f.kind {
		case anyKind: // gaps in all shards
			c.Kind = Number
		case Category:
			c.Categories = f.categories()
		}
	}
	if s.Label == "" {
		return s, nil
	}
	f := l.found[s.Label]
	s.IntegerClasses = f.integer && f.typ != nil
	if s.Classes = slices.Clone(l.of.Classes); s.Classes == nil {
		s.Classes = f.categories()
	}
	if len(s.Classes) == 0 {
		return nil, fmt.Errorf("%s: column %q: %w", l.first, s.Label, fault.Shape("the shards have", 0, "classes", "want at least 1"))
	}
	for _, c := range s.Classes {
		if _, err := strconv.ParseInt(c, 10, 64); err != nil {
			s.IntegerClasses = false
		}
	}
	return s, nil
}
