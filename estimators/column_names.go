package estimators

import "github.com/kernelearn/kernelearn/internal/check"

// ColumnNamer is an estimator or a transformer that knows the columns of x by name, as a pipeline and a search do. Errors then name
// columns, a pipeline.ColumnPart can choose them by name, and package inspection uses the names. Model files keep the names of Fit.
type ColumnNamer interface {
	// SetColumnNames sets the Names field, the names of the columns of x for the next Fit; nil: they are not known.
	SetColumnNames(names []string)

	// ColumnNames returns the names of the columns that the last Fit saw, or nil where they are not known. They must not be changed.
	ColumnNames() []string
}

// SetColumnNames calls the SetColumnNames method of a model that supports [Naming], and reports whether it does. It changes nothing for
// nil names.
func SetColumnNames(model any, names []string) bool {
	n, ok := model.(ColumnNamer)
	if ok = ok && !check.IsNil(model) && Supports(model, Naming); ok && names != nil {
		n.SetColumnNames(names)
	}
	return ok
}

// ColumnNames returns the names of the columns that a fitted model knows, or nil.
func ColumnNames(model any) []string {
	if n, ok := model.(ColumnNamer); ok && !check.IsNil(model) {
		return n.ColumnNames()
	}
	return nil
}
