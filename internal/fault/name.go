package fault

import (
	"fmt"
	"go/token"
	"regexp"
	"strings"
)

// prefix is a name as it stands before the rest of an error.
func prefix(name string) string {
	if name == "" {
		return ""
	}
	return name + ": "
}

// named returns an error of data with the name of what was called, or any other error, or one that names a type
// in its text already, as it is. An empty name takes the name away.
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

// renamed returns what rename makes of a copy, or err where its text, which begins with what, names a type.
func renamed[E any](err error, e E, what string, rename func(*E) error) error {
	if strings.Contains(what, ": ") {
		return err
	}
	return rename(&e)
}

// called is the name for errors of a function as the runtime calls it: "lssvm: Regressor" for a method of an exported type,
// "validation: CrossValidateRegressor" for an exported function, "" for all else and for packages that a user does not call.
func called(function string) string {
	rest, path := function, ""
	if i, j := strings.IndexByte(rest, '['), strings.LastIndexByte(rest, ']'); i >= 0 && j > i {
		rest = rest[:i] + rest[j+1:] // type parameters have paths and dots in them
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

// closure is what stands behind the name of the function that a closure is in.
var closure = regexp.MustCompile(`\.func[0-9]+`)

const module = "github.com/kernelearn/kernelearn/"

// AddName is err with the name of what was called before an error of data that has none.
func AddName(name string, err error) error { return named(name, err) }

// AddPlace puts a place that names the type of what was called there before its error, which does not name it again.
func AddPlace(place string, err error) error {
	return fmt.Errorf("%s: %w", place, named("", err))
}
