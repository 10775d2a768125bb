package gridtable

import (
	"reflect"

	"github.com/sjwhitworth/golearn/base"
)

// fromOneVsAll looks for the filter of OneVsAllModel in a grid, by the name of its type. Its float class looks like any other class
// of 0 and 1, but golearn's confusion matrix needs a class and OneVsAllModel needs a score.
func fromOneVsAll(v reflect.Value) bool {
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return false
		}
		v = v.Elem()
	}
	if !v.IsValid() { // no grid
		return false
	}
	switch v.Type() {
	case reflect.TypeFor[base.LazilyFilteredInstances]():
		filter := v.FieldByName("filter")
		if filter.IsValid() && filter.Kind() == reflect.Interface && !filter.IsNil() &&
			filter.Elem().Type().String() == "*meta.oneVsAllFilter" {
			return true
		}
	case reflect.TypeFor[base.InstancesView]():
	default:
		return false
	}
	source := v.FieldByName("src")
	return source.IsValid() && fromOneVsAll(source)
}
