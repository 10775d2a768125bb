package estimatortest_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// hostile returns values of a type that a caller may pass by mistake.
func hostile(t reflect.Type) []reflect.Value {
	of := func(values ...any) (out []reflect.Value) {
		for _, v := range values {
			out = append(out, reflect.ValueOf(v))
		}
		return append(out, reflect.Zero(t))
	}
	switch t {
	case reflect.TypeFor[context.Context]():
		return []reflect.Value{reflect.ValueOf(context.Background()), reflect.Zero(t)}
	case reflect.TypeFor[mat.Matrix]():
		return of((*mat.Dense)(nil), &mat.Dense{}, mat.NewDense(4, 2, []float64{1, 2, 2, 1, 3, 5, 5, 3}), mat.NewDense(3, 7, nil), (*mat.VecDense)(nil), mat.Matrix(mat.NewSymDense(2, nil)))
	case reflect.TypeFor[mat.Symmetric]():
		return of((*mat.SymDense)(nil), &mat.SymDense{}, mat.NewSymDense(4, nil))
	case reflect.TypeFor[*mat.Dense]():
		return of(&mat.Dense{}, mat.NewDense(1, 9, nil), mat.NewDense(4, 2, nil))
	case reflect.TypeFor[[]float64]():
		return of([]float64{}, []float64{1}, []float64{1, 2, 3, 5})
	case reflect.TypeFor[[]int]():
		return of([]int{}, []int{1}, []int{0, 1, 0, 1}, []int{-1, 9})
	case reflect.TypeFor[float64]():
		return of(-1., .5, 2.)
	case reflect.TypeFor[int]():
		return of(-1, 1, int(min(int64(math.MaxInt), 1<<40)))
	case reflect.TypeFor[[]byte]():
		return of([]byte{}, []byte("KELN"))
	case reflect.TypeFor[kernels.Kernel]():
		return of((*pointerKernel)(nil), kernels.RBF{Gamma: -1})
	}
	return []reflect.Value{reflect.Zero(t)}
}

// pointerKernel is a kernel whose methods panic on a nil pointer.
type pointerKernel struct{ gamma float64 }

func (k *pointerKernel) Eval(x, z []float64) float64 { return k.gamma * x[0] * z[0] }
func (k *pointerKernel) String() string              { return fmt.Sprint("pointer ", k.gamma) }

// panics calls f. If f panics, it returns the value and the place of the panic.
func panics(f func()) (what string) {
	defer func() {
		if r := recover(); r != nil {
			where := string(debug.Stack())
			if i := strings.Index(where, "panic("); i >= 0 {
				where = where[i:]
			}
			what = fmt.Sprintf("%v\n%.1500s", r, where)
		}
	}()
	f()
	return ""
}

// noPanic fails if a returned error is a recovered panic, since the test calls no user code that could panic.
func noPanic(t *testing.T, out []reflect.Value) {
	t.Helper()
	for _, v := range out {
		if err, ok := v.Interface().(error); ok {
			var p *estimators.PanicError
			assert.False(t, errors.As(err, &p), "%v", err)
		}
	}
}

// No exported method of a type with settings panics, before or after Fit, whatever its arguments: nil, typed nil, empty, or of
// another shape.
func TestHostileArguments(t *testing.T) {
	calls := 0
	for _, make0 := range withSettings {
		for _, fitted := range []bool{false, true} {
			e := make0()
			if fitted && fitAny(context.Background(), e) != nil {
				continue
			}
			v := reflect.ValueOf(e)
			for m := range v.NumMethod() {
				method := v.Type().Method(m)
				args := make([][]reflect.Value, method.Type.NumIn()-1)
				for i := range args {
					args[i] = hostile(method.Type.In(i + 1))
				}
				// First, all arguments have their last hostile values. Then each argument in turn has all of its hostile values,
				// and the others their first.
				for i := -1; i < len(args); i++ {
					count := 1
					if i >= 0 {
						count = len(args[i])
					}
					for k := range count {
						in := make([]reflect.Value, len(args))
						for j := range args {
							switch {
							case j == i:
								in[j] = args[j][k]
							case i < 0:
								in[j] = args[j][len(args[j])-1]
							default:
								in[j] = args[j][0]
							}
						}
						calls++
						target := v
						if fitted { // a successful Fit would change the results of the other methods
							target = reflect.ValueOf(e)
						}
						what := panics(func() {
							var out []reflect.Value
							if method.Type.IsVariadic() {
								out = target.Method(m).CallSlice(in)
							} else {
								out = target.Method(m).Call(in)
							}
							noPanic(t, out)
						})
						if what != "" {
							t.Errorf("%v.%s, fitted %v, argument %d of kind %d: %s", v.Type(), method.Name, fitted, i, k, what)
						}
					}
				}
			}
		}
	}
	assert.Greater(t, calls, 2000)
}

// A kernel that is a nil pointer, and a family that returns nil, are errors.
func TestNilKernels(t *testing.T) {
	tried := 0
	for _, make0 := range withSettings {
		e := make0()
		field := reflect.ValueOf(e).Elem().FieldByName("Kernel")
		if !field.IsValid() || field.Type() != reflect.TypeFor[kernels.Kernel]() {
			continue
		}
		tried++
		field.Set(reflect.ValueOf((*pointerKernel)(nil)))
		var err error
		require.Empty(t, panics(func() { err = fitAny(context.Background(), e) }), "%T", e)
		assert.Error(t, err, "%T", e)
	}
	assert.Greater(t, tried, 8)
}

// A nil context is an error that names it.
func TestNilContext(t *testing.T) {
	var none context.Context
	for _, make0 := range withSettings {
		if fitAny(context.Background(), make0()) != nil {
			continue // four rows are too few, or an estimator is missing
		}
		var err error
		require.Empty(t, panics(func() { err = fitAny(none, make0()) }), "%T", make0())
		assert.ErrorIs(t, err, estimators.ErrParam, "%T", make0())
		assert.ErrorContains(t, err, "context.Background()", "%T", make0())
	}
}
