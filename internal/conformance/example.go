package conformance

import (
	"flag"
	"testing"
)

// InTest runs a test within an example, for demonstration, and reports whether it passed. The flags of go test that select tests do
// not apply. The flag -v prints nothing, because its lines would become output of the example.
func InTest(f func(t *testing.T)) bool {
	for name, value := range map[string]string{"test.v": "false", "test.run": "", "test.skip": ""} {
		if set := flag.Lookup(name); set != nil {
			before := set.Value.String()
			set.Value.Set(value)
			defer set.Value.Set(before)
		}
	}
	all := func(string, string) (bool, error) { return true, nil }
	return testing.RunTests(all, []testing.InternalTest{{Name: "TestInExample", F: f}})
}
