package pipeline

import (
	"fmt"
	"strings"

	"github.com/kernelearn/kernelearn/internal/check"
)

// String lists the steps. It reports whether they are fitted, and the number of columns to which they are fitted.
func (t *Transformer) String() string {
	width := 0
	if t.fitted != nil {
		width = t.fitted.Width
	}
	return text("pipeline.Transformer", parts(t.Steps), width)
}

// String lists the parts with their columns. It reports whether they are fitted, and the number of columns to which they are
// fitted.
func (t *ColumnTransformer) String() string {
	var of []string
	for _, p := range t.Parts {
		name := "as they are"
		if !check.IsNil(p.Of) {
			name = nameOf(p.Of)
		}
		columns := fmt.Sprint(p.Columns)
		switch {
		case p.Names != nil:
			columns = fmt.Sprintf("%q", p.Names)
		case p.Categories:
			columns = "categories"
		}
		of = append(of, fmt.Sprintf("%s: %s", columns, name))
	}
	if !check.IsNil(t.Rest) {
		of = append(of, "rest: "+nameOf(t.Rest))
	}
	width := 0
	if t.fitted != nil {
		width = t.fitted.Width()
	}
	return text("pipeline.ColumnTransformer", of, width)
}

// String lists the steps and Final. It reports whether they are fitted, and the number of columns to which they are fitted.
func (p *Regressor) String() string {
	return text(regressorKind, append(parts(p.Steps), finalOf(p.Final)), p.fitted.width())
}

// String lists the steps and Final. It reports whether they are fitted, and the number of columns to which they are fitted.
func (p *Classifier) String() string {
	return text(classifierKind, append(parts(p.Steps), finalOf(p.Final)), p.fitted.width())
}

// String lists the steps and Final. It reports whether they are fitted, and the number of columns to which they are fitted.
func (p *MultiRegressor) String() string {
	return text(multiKind, append(parts(p.Steps), finalOf(p.Final)), p.fitted.width())
}

// width returns the number of columns to which a chain was fitted, or 0 before Fit.
func (c *chain[T, P, E]) width() int {
	if c == nil || c.steps.fitted == nil {
		return 0
	}
	return c.steps.fitted.Width
}

func text(kind string, parts []string, width int) string {
	state := "not fitted"
	if width > 0 {
		state = fmt.Sprintf("fitted on %d columns", width)
	}
	if width == 1 {
		state = "fitted on 1 column"
	}
	return fmt.Sprintf("%s(%s; %s)", kind, strings.Join(parts, ", "), state)
}

func parts[T any](steps []T) []string {
	var out []string
	for _, s := range steps {
		out = append(out, nameOf(s))
	}
	return out
}

func finalOf(final any) string {
	if check.IsNil(final) {
		return "no Final"
	}
	return nameOf(final)
}

// nameOf returns the String of a part, or its type if it has none.
func nameOf(part any) string {
	if s, ok := part.(fmt.Stringer); ok && !check.IsNil(part) {
		return s.String()
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", part), "*")
}
