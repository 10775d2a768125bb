package gridtable

import (
	"reflect"

	"github.com/sjwhitworth/golearn/base"
)

// fromOneVsAll reports whether a grid contains the filter of OneVsAllModel, which it recognises by the name of its type. The float
// class of such a grid is like any other class of 0 and 1, but OneVsAllModel needs a score, and golearn's confusion matrix a class.
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
