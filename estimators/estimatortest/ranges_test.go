package estimatortest_test

import (
	"context"
	"fmt"
	"math"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers/text"
)

// withoutRange lists the fields that accept any finite number.
var withoutRange = map[string]string{
	"scalers.MinMaxScaler.Low":  "an end of the range that columns are scaled to",
	"scalers.MinMaxScaler.High": "an end of the range that columns are scaled to",
}

// Every exported number in every type of the library has a range, and every enumeration accepts only its own values. Otherwise the
// error names the type and the field.
func TestSettingsOfAllHaveRanges(t *testing.T) {
	numbers, enumerations := 0, 0
	for _, name := range registry.Names() {
		typ, _ := registry.Named(name)
		switch reflect.New(typ.Of).Interface().(type) {
		case kernels.Kernel, families.Family, families.Family2:
			continue // kerneltest tests these
		}
		if typ.Of.Kind() != reflect.Struct || !strings.HasPrefix(typ.Package, "github.com/kernelearn/kernelearn/") ||
			strings.Contains(typ.Package, "test") {
			continue
		}
		for i := range typ.Of.NumField() {
			field := typ.Of.Field(i)
			called := path.Base(typ.Package) + "." + typ.Of.Name() + "." + field.Name
			if !field.IsExported() || field.Anonymous || withoutRange[called] != "" {
				continue
			}
			var wrong []any
			switch kind := field.Type.Kind(); {
			case kind == reflect.Int && field.Type.Implements(reflect.TypeFor[fmt.Stringer]()):
				wrong = []any{-1, 99}
				enumerations++
			case kind == reflect.Int || kind == reflect.Int64:
				wrong = []any{-1}
				numbers++
			case kind == reflect.Float64:
				wrong = []any{-1., math.NaN(), math.Inf(1)}
				numbers++
			}
			for _, value := range wrong {
				of := reflect.New(typ.Of)
				of.Elem().Field(i).Set(reflect.ValueOf(value).Convert(field.Type))
				err := useAny(of.Interface())
				var param *estimators.ParamError
				require.ErrorAs(t, err, &param, "%s = %v", called, value)
				assert.Equal(t, path.Base(typ.Package)+": "+typ.Of.Name(), param.Type, "%s = %v: %v", called, value, err)
				assert.Contains(t, param.Field, field.Name, "%s = %v: %v", called, value, err)
			}
		}
	}
	assert.Greater(t, numbers, 120, "numbers that were tried")
	assert.Greater(t, enumerations, 20, "enumerations that were tried")
}

// useAny fits any type that can be fitted, and splits rows with any splitter.
func useAny(v any) error {
	ctx, documents := context.Background(), []string{"a text", "another"}
	switch v := v.(type) {
	case *text.TFIDF:
		return v.Fit(ctx, documents)
	case *text.Terms:
		return (&text.TFIDF{Terms: *v}).Fit(ctx, documents)
	case *text.Hashing:
		_, err := v.Transform(ctx, documents)
		return err
	}
	if s, ok := v.(validation.Splitter); ok {
		_, err := s.Split(4, []int{0, 1, 0, 1})
		return err
	}
	return fitAny(context.Background(), v)
}
