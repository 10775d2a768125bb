// Package badtext puts text that is not UTF-8 into values. Tests use it to verify that the library checks text that it receives.
package badtext

import (
	"fmt"
	"reflect"
	"sort"
)

// Text is valid Latin-1 and invalid UTF-8.
const Text = "j\xe4"

// ForEachField puts [Text] into each string that is reachable from a pointer through exported fields, elements, map keys and map
// values, one at a time, and calls f with the path of the string. It restores the value afterwards, and returns the number of
// strings.
func ForEachField(pointer any, f func(path string)) int {
	w := &walk{f: f}
	w.value("", reflect.ValueOf(pointer).Elem())
	return w.count
}

type walk struct {
	f     func(path string)
	count int
}

func (w *walk) value(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			was := v.String()
			v.SetString(Text)
			w.visit(path)
			v.SetString(was)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				w.value(path+"."+f.Name, v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			w.value(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			w.value(path, v.Elem())
		}
	case reflect.Map:
		w.entries(path, v)
	}
}

func (w *walk) visit(path string) {
	w.count++
	w.f(path)
}

// entries visits the entries of a map, which cannot be set like fields.
func (w *walk) entries(path string, v reflect.Value) {
	keys := v.MapKeys()
	sort.Slice(keys, func(i, j int) bool { return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j]) })
	for _, key := range keys {
		was := v.MapIndex(key)
		place := fmt.Sprintf("%s[%v]", path, key)
		if key.Kind() == reflect.String {
			bad := reflect.New(key.Type()).Elem()
			bad.SetString(Text)
			v.SetMapIndex(key, reflect.Value{})
			v.SetMapIndex(bad, was)
			w.visit(place + " as a key")
			v.SetMapIndex(bad, reflect.Value{})
			v.SetMapIndex(key, was)
		}
		one := reflect.New(was.Type()).Elem()
		one.Set(was)
		inner := &walk{f: func(path string) {
			v.SetMapIndex(key, one)
			w.visit(path)
		}}
		inner.value(place, one)
		v.SetMapIndex(key, was)
	}
}
