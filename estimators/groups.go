package estimators

// Grouper is an estimator that leaves rows out, and can leave out all rows that belong together: SetGroups sets its
// Groups field, the group of each row of the next Fit. A composite with Groups of its own calls it on the clones that it
// fits to some of its rows.
type Grouper interface {
	SetGroups(groups []int)
}

// SetGroups calls the SetGroups method of an estimator that is a [Grouper]. Nil groups and other estimators stay as
// they are.
func SetGroups(estimator any, groups []int) {
	if g, ok := estimator.(Grouper); ok && groups != nil {
		g.SetGroups(groups)
	}
}

// Categorizer is an estimator that can be told which columns of x name things: SetCategories sets its Categories field, the
// indices of columns of whose values only equality counts, for the next Fit and for a model file that is read.
type Categorizer interface {
	SetCategories(columns []int)
}

// SetCategories calls the SetCategories method of an estimator that supports [Categorizing], and reports whether it does.
// It changes nothing for no columns.
func SetCategories(estimator any, columns []int) bool {
	c, ok := estimator.(Categorizer)
	if ok = ok && Supports(estimator, Categorizing); ok && len(columns) > 0 {
		c.SetCategories(columns)
	}
	return ok
}
