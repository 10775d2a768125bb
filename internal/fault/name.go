package fault

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
)

// prefix returns a name in the form in which it begins an error, or "" for an empty name.
func prefix(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// named adds the name of the called type to a data error. Other errors, and errors whose text already names a type, are returned
// unchanged. An empty name removes the name.
func named(name string, err error) error {
	switch e := err.(type) {
	case *ShapeError:
		return renamed(err, *e, e.What, func(out *ShapeError) error { out.Type = name; return out })
	case *NotFiniteError:
		return renamed(err, *e, e.Name, func(out *NotFiniteError) error { out.Type = name; return out })
	case *NotPSDError:
		return renamed(err, *e, e.What, func(out *NotPSDError) error { out.Type = name; return out })
	case *TooLargeError:
		return renamed(err, *e, e.What, func(out *TooLargeError) error { out.Type = name; return out })
	}
	return err
}

// renamed returns the result of rename for a copy of e. If what contains the name of a type, renamed returns err unchanged.
func renamed[E any](err error, e E, what string, rename func(*E) error) error {
	if strings.Contains(what, ": ") {
		return err
	}
	return rename(&e)
}

// called returns the name for errors of a function, given its name in the runtime: "lssvm: Regressor" for a method of an exported
// type, "validation: CrossValidateRegressor" for an exported function, and "" for others and for internal packages.
func called(function string) string {
	rest, path := function, ""
	if i, j := strings.IndexByte(rest, '['), strings.LastIndexByte(rest, ']'); i >= 0 && j > i {
		rest = rest[:i] + rest[j+1:] // type parameters can contain paths and dots
	}
	if i := strings.LastIndexByte(rest, '/'); i >= 0 {
		path, rest = rest[:i], rest[i+1:]
	}
	if !strings.HasPrefix(path+"/", module) || strings.Contains(path+"/", "/internal/") {
		return ""
	}
	parts := closure.Split(rest, 2)
	parts = strings.Split(parts[0], ".")
	if len(parts) < 2 || parts[0] == "internal" {
		return ""
	}
	name := strings.Trim(parts[1], "(*)")
	if !token.IsExported(name) || len(parts) > 2 && !token.IsExported(parts[2]) {
		return ""
	}
	return parts[0] + ": " + name
}

// closure matches the suffix of a closure after the name of its function.
var closure = regexp.MustCompile(`\.func[0-9]+`)

const module = "github.com/kernelearn/kernelearn/"

// AddName adds the name of the called type to a data error that has none.
func AddName(name string, err error) error { return named(name, err) }

// AddPlace adds a place, which names the called type, to the beginning of an error, and removes the name from the error.
func AddPlace(place string, err error) error {
	return fmt.Errorf("%s: %w", place, named("", err))
}
