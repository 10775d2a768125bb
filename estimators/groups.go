package estimators

// Grouper is an estimator that leaves out rows during its fit, and can leave out all rows of a group together. SetGroups sets its
// field Groups, which holds the group of each row for the next Fit. A composite that has Groups itself calls SetGroups on the
// clones that it fits to some of its rows.
type Grouper interface {
	SetGroups(groups []int)
}

// SetGroups calls the SetGroups method of estimator if it is a [Grouper] and groups is not nil. Otherwise it does nothing.
func SetGroups(estimator any, groups []int) {
	if g, ok := estimator.(Grouper); ok && groups != nil {
		g.SetGroups(groups)
	}
}

// Categorizer is an estimator that handles columns of categories. SetCategories sets its field Categories, the indices of the
// columns in which only the equality of values matters, for the next Fit and for reading a model file.
type Categorizer interface {
	SetCategories(columns []int)
}

// SetCategories calls the SetCategories method of an estimator that supports [Categorizing], and reports whether it does. Without
// columns it changes nothing.
func SetCategories(estimator any, columns []int) bool {
	c, ok := estimator.(Categorizer)
	if ok = ok && Supports(estimator, Categorizing); ok && len(columns) > 0 {
		c.SetCategories(columns)
	}
	return ok
}
