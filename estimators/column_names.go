package estimators

import "github.com/kernelearn/kernelearn/internal/check"

// ColumnNamer is an estimator or a transformer that stores the names of the columns of x, such as a pipeline or a search. Errors
// then name columns, a pipeline.ColumnPart can select columns by name, and package inspection uses the names. Model files contain
// the names from Fit.
type ColumnNamer interface {
	// SetColumnNames sets the field Names, the names of the columns of x for the next Fit. If names is nil, they are unknown.
	SetColumnNames(names []string)

	// ColumnNames returns the column names of the last Fit, or nil if they are unknown. The caller must not change them.
	ColumnNames() []string
}

// SetColumnNames calls the SetColumnNames method of a model that supports [Naming], and reports whether it does. If names is nil,
// it changes nothing.
func SetColumnNames(model any, names []string) bool {
	n, ok := model.(ColumnNamer)
	if ok = ok && !check.IsNil(model) && Supports(model, Naming); ok && names != nil {
		n.SetColumnNames(names)
	}
	return ok
}

// ColumnNames returns the column names of a fitted model, or nil if they are unknown.
func ColumnNames(model any) []string {
	if n, ok := model.(ColumnNamer); ok && !check.IsNil(model) {
		return n.ColumnNames()
	}
	return nil
}
