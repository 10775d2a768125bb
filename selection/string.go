package selection

import "fmt"

// String says whether the search was made, and what it chose. Result has the whole of it.
func (r *Regressor) String() string { return describe("selection.Regressor", r.f) }

// String says whether the search was made, and what it chose. Result has the whole of it.
func (c *Classifier) String() string { return describe("selection.Classifier", c.f) }

func describe[E any](kind string, f *fitted[E]) string {
	if f == nil {
		return kind + "(not fitted)"
	}
	return fmt.Sprintf("%s(%s; fitted)", kind, f.result.Choice())
}
