package settings

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

var (
	kernelType   = reflect.TypeFor[kernels.Kernel]()
	stringerType = reflect.TypeFor[fmt.Stringer]()
)

// Check returns an error for the first exported field of config, a struct or a pointer to one, that is out of its range, and nil if
// there is none. The error is ErrParam for typ, or the error of a kernel's Validate. Embedded fields are skipped.
//
//   - A number with the tag zero:"meaning of 0" is 0, or finite and positive. The tags least:"2", most:"1" and below:"1" restrict
//     values other than 0. Every int named Workers is such a number, even without a tag.
//   - An enumeration, which is an int whose String method uses package enum, must have a name.
//   - A kernel is nil or valid.
func Check(typ string, config any) error {
	v := reflect.Indirect(reflect.ValueOf(config))
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || f.Anonymous {
			continue
		}
		if err := checkField(typ, f, v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

func checkField(typ string, f reflect.StructField, v reflect.Value) error {
	zero, isNumber := f.Tag.Lookup("zero")
	switch {
	case isNumber:
		return checkNumber(typ, f, v, zero)
	case f.Name == "Workers" && v.Kind() == reflect.Int:
		return checkNumber(typ, f, v, "GOMAXPROCS")
	case v.Kind() == reflect.Int && f.Type.Implements(stringerType):
		return checkName(typ, f, v)
	case f.Type == kernelType && !v.IsNil():
		return kernels.Validate(v.Interface().(kernels.Kernel))
	}
	return nil
}

// checkNumber returns an error unless the number is 0 or a value that the tags allow.
func checkNumber(typ string, f reflect.StructField, v reflect.Value, zero string) error {
	var number float64
	if v.CanInt() {
		number = float64(v.Int())
	} else {
		number = v.Float()
	}
	least, most, below := f.Tag.Get("least"), f.Tag.Get("most"), f.Tag.Get("below")
	if number == 0 || number >= limit(least, math.SmallestNonzeroFloat64) && number <= limit(most, math.MaxFloat64) &&
		number < limit(below, math.Inf(1)) {
		return nil
	}
	want := "finite and > 0"
	switch {
	case v.CanInt() && most != "":
		want = cmp.Or(least, "1") + " to " + most
	case v.CanInt():
		want = ">= " + cmp.Or(least, "1")
	case most != "":
		want = "in (0, " + most + "]"
	case below != "":
		want = "in (0, " + below + ")"
	}
	return fault.Param(typ, f.Name, v.Interface(), want+", or 0 for "+zero)
}

// limit parses a tag. For an empty tag it returns none.
func limit(tag string, none float64) float64 {
	if tag == "" {
		return none
	}
	out, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		panic(err) // the type declares an invalid tag
	}
	return out
}

// checkName returns an error unless the value of an enumeration has a name.
func checkName(typ string, f reflect.StructField, v reflect.Value) error {
	if isNamed(v) {
		return nil
	}
	var names []string
	for one := reflect.New(f.Type).Elem(); isNamed(one); one.SetInt(one.Int() + 1) {
		names = append(names, fmt.Sprint(one))
	}
	last := len(names) - 1
	return fault.Param(typ, f.Name, v.Int(), strings.Join(names[:last], ", ")+" or "+names[last])
}

// isNamed reports whether an enumeration value has a name. Package enum formats others as the type with the number in parentheses.
func isNamed(v reflect.Value) bool { return !strings.Contains(fmt.Sprint(v), "(") }
