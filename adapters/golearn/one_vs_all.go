package golearn

import (
	"context"
	"reflect"

	"github.com/sjwhitworth/golearn/base"
)

// scoresKey marks the context of a Fit whose predictions are to be scores.
type scoresKey struct{}

// withScores marks ctx if grid comes from golearn's meta.OneVsAllModel. The mark
// goes along to what a Pipeline or a Bagging fits on grids of its own.
func withScores(ctx context.Context, grid base.FixedDataGrid) context.Context {
	if fromOneVsAll(reflect.ValueOf(grid)) {
		return context.WithValue(ctx, scoresKey{}, true)
	}
	return ctx
}

func wantsScores(ctx context.Context) bool { return ctx.Value(scoresKey{}) != nil }

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
		if filter.IsValid() && filter.Kind() == reflect.Interface && !filter.IsNil() && filter.Elem().Type().String() == "*meta.oneVsAllFilter" {
			return true
		}
	case reflect.TypeFor[base.InstancesView]():
	default:
		return false
	}
	source := v.FieldByName("src")
	return source.IsValid() && fromOneVsAll(source)
}
