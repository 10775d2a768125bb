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
