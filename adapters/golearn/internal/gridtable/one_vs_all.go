package gridtable

import (
	"reflect"

	"github.com/sjwhitworth/golearn/base"
)

// fromOneVsAll looks for the filter that OneVsAllModel puts in front of a grid, by
// the name of its type: its float class is otherwise like any other of 0 and 1,
// for which golearn's confusion matrix wants a class and OneVsAllModel a score.
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
