package filefuzz

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// plan holds the calls of a type's methods.
type plan struct {
	asks   []call // calls that predict or report
	alters []call // calls that change the value, which come last
}

// call is a method with arguments.
type call struct {
	method   int
	name     string
	in       []reflect.Type
	args     []reflect.Value // an invalid value for an argument that is made for each call
	variadic bool
	costly   bool // it fits
	finite   bool // it predicts
}

// defaults returns arguments that suit most methods: four rows of two columns, with targets, labels and so on.
func defaults() []any {
	return []any{
		mat.Matrix(mat.NewDense(4, 2, []float64{1, 2, 2, 1, 3, 5, .5, -3})), []float64{1, 2, 3, 5}, []int{0, 1, 0, 1}, .8, 1,
	}
}

var (
	contextType = reflect.TypeFor[context.Context]()
	matrixType  = reflect.TypeFor[mat.Matrix]()
	denseType   = reflect.TypeFor[*mat.Dense]()
	floatsType  = reflect.TypeFor[[]float64]()
	integerType = reflect.TypeFor[[]int]()
	errorType   = reflect.TypeFor[error]()
)

// planOf finds the methods of v and arguments for them.
func planOf(v any, args []any) *plan {
	byType := map[reflect.Type]reflect.Value{contextType: reflect.ValueOf(context.Background())}
	for _, a := range append(defaults(), args...) { // later ones take precedence
		t := reflect.TypeOf(a)
		byType[t] = reflect.ValueOf(a)
		if m, ok := a.(*mat.Dense); ok {
			byType[matrixType] = reflect.ValueOf(m)
		}
	}
	p := &plan{}
	typ := reflect.TypeOf(v)
	for m := range typ.NumMethod() {
		method := typ.Method(m)
		c := call{method: m, name: method.Name, variadic: method.Type.IsVariadic()}
		c.finite = oneOf(c.name, "Predict", "Decision", "Transform", "InverseTransform") && !oneOf(c.name, "PredictInterval", "PredictSet")
		for i := 1; i < method.Type.NumIn(); i++ {
			t := method.Type.In(i)
			c.in = append(c.in, t)
			c.args = append(c.args, byType[t])
		}
		switch {
		case oneOf(c.name, "Marshal", "Unmarshal", "Save", "Load", "Choose", "GobDecode", "GobEncode"):
		case oneOf(c.name, "Fit", "PartialFit"):
			c.costly = true
			p.alters = append(p.alters, c)
		case oneOf(c.name, "Add", "Merge", "Set", "Clear", "Take"):
			p.alters = append(p.alters, c)
		default:
			p.asks = append(p.asks, c)
		}
	}
	return p
}

// outputs holds the numbers that methods returned, by name.
type outputs []output

type output struct {
	name   string
	failed bool
	values []float64
}

// same reports whether the outputs agree, and the first method that differs.
func (o outputs) same(other outputs) (method string, ok bool) {
	if len(o) != len(other) {
		return "the number of methods", false
	}
	for i, a := range o {
		b := other[i]
		if a.failed != b.failed || len(a.values) != len(b.values) {
			return a.name, false
		}
		for k, v := range a.values {
			if v != b.values[k] && !(math.IsNaN(v) && math.IsNaN(b.values[k])) {
				return a.name, false
			}
		}
	}
	return "", true
}

// ask calls all methods that predict or report, and returns their outputs.
func (p *plan) ask(v any, doing *string) (outputs, error) {
	var out outputs
	shapes := map[string][2]int{} // shapes of returned matrices, for methods that write into one
	value := reflect.ValueOf(v)
	for i := range p.asks {
		c := &p.asks[i]
		*doing = c.name
		in := make([]reflect.Value, len(c.in))
		var into []float64
		for k, t := range c.in {
			in[k] = c.args[k]
			switch {
			case strings.HasSuffix(c.name, "To") && t == denseType:
				shape, ok := shapes[strings.TrimSuffix(c.name, "To")]
				if !ok {
					shape = [2]int{4, 2}
				}
				dst := mat.NewDense(shape[0], shape[1], nil)
				into, in[k] = dst.RawMatrix().Data, reflect.ValueOf(dst)
			case strings.HasSuffix(c.name, "To") && k == 0 && t == floatsType:
				into = make([]float64, rowsOf(c))
				in[k] = reflect.ValueOf(into)
			case strings.HasSuffix(c.name, "To") && k == 0 && t == integerType:
				in[k] = reflect.ValueOf(make([]int, rowsOf(c)))
			case !in[k].IsValid():
				in[k] = nothing(t)
			}
		}
		results := c.call(value, in)
		o := output{name: c.name}
		for _, r := range results {
			if r.Type() == errorType {
				o.failed = !r.IsNil()
				continue
			}
			if m, ok := r.Interface().(*mat.Dense); ok && m != nil && !m.IsEmpty() {
				rows, cols := m.Dims()
				shapes[c.name] = [2]int{rows, cols}
			}
			o.values = append(o.values, numbers(r)...)
		}
		if !o.failed {
			o.values = append(o.values, into...)
			if c.finite {
				if err := finite(o.values); err != nil {
					return nil, fmt.Errorf("%s: %w", c.name, err)
				}
			}
		} else {
			o.values = nil
		}
		out = append(out, o)
	}
	return out, nil
}

// rowsOf returns the number of rows in the arguments of a call.
func rowsOf(c *call) int {
	for _, a := range c.args {
		if a.IsValid() {
			if m, ok := a.Interface().(mat.Matrix); ok {
				r, _ := m.Dims()
				return r
			}
		}
	}
	return 4
}

// alter calls the methods that change a value. It only checks that they do not panic.
func (p *plan) alter(v, other any, costly bool, doing *string) {
	value := reflect.ValueOf(v)
	for i := range p.alters {
		c := &p.alters[i]
		if c.costly && !costly {
			continue
		}
		*doing = c.name
		in := slices.Clone(c.args)
		for k, t := range c.in {
			switch {
			case in[k].IsValid():
			case t.Kind() == reflect.Interface && reflect.TypeOf(other).Implements(t):
				in[k] = reflect.ValueOf(other)
			case reflect.TypeOf(other) == t:
				in[k] = reflect.ValueOf(other)
			default:
				in[k] = nothing(t)
			}
		}
		c.call(value, in)
	}
}

// nothing returns the zero value of a type. For a function type it returns one that does nothing, such as an empty iterator.
func nothing(t reflect.Type) reflect.Value {
	if t.Kind() != reflect.Func {
		return reflect.Zero(t)
	}
	return reflect.MakeFunc(t, func([]reflect.Value) []reflect.Value {
		out := make([]reflect.Value, t.NumOut())
		for i := range out {
			out[i] = reflect.Zero(t.Out(i))
		}
		return out
	})
}

func (c *call) call(v reflect.Value, in []reflect.Value) []reflect.Value {
	if c.variadic {
		return v.Method(c.method).CallSlice(in)
	}
	return v.Method(c.method).Call(in)
}

// numbers returns the numbers in a result, which may be a slice, a matrix or a text.
func numbers(v reflect.Value) (out []float64) {
	switch v.Kind() {
	case reflect.Float64:
		return []float64{v.Float()}
	case reflect.Int:
		return []float64{float64(v.Int())}
	case reflect.String:
		sum := 0.
		for i, b := range []byte(v.String()) {
			sum += float64(int(b) * (i + 1))
		}
		return []float64{sum}
	case reflect.Slice:
		out = append(out, float64(v.Len()))
		for i := range v.Len() {
			out = append(out, numbers(v.Index(i))...)
		}
		return out
	case reflect.Pointer:
		if m, ok := v.Interface().(*mat.Dense); ok && m != nil && !m.IsEmpty() {
			rows, _ := m.Dims()
			for i := range rows {
				out = append(out, m.RawRowView(i)...)
			}
		}
	}
	return out
}
