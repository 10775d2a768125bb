// Package conformance runs checks on types and tabulates the outcomes. The exported test suites of this module use it.
package conformance

import (
	"fmt"
	"runtime/debug"
)

// Verdict is the outcome of a check on a type.
type Verdict struct {
	Failures []string
	Skipped  string // the reason; empty if the check ran
}

// Failed reports whether the check recorded a failure.
func (v Verdict) Failed() bool { return len(v.Failures) > 0 }

// Probe collects the findings of a check. It is not a *testing.T, so that a test can run a suite on broken types and expect
// failures.
type Probe struct{ Verdict }

// stop is the value of the panic that ends a check early.
type stop struct{}

// Errorf records a failure and continues.
func (p *Probe) Errorf(format string, args ...any) {
	p.Failures = append(p.Failures, fmt.Sprintf(format, args...))
}

// Fatalf records a failure and ends the check.
func (p *Probe) Fatalf(format string, args ...any) {
	p.Errorf(format, args...)
	panic(stop{})
}

// Skip ends the check without a verdict.
func (p *Probe) Skip(reason string) {
	p.Skipped = reason
	panic(stop{})
}

// Must ends the check if err is not nil.
func (p *Probe) Must(doing string, err error) {
	if err != nil {
		p.Fatalf("%s: %v", doing, err)
	}
}

// Judge runs a check, unless skip contains a reason for its name. A panic in the tested type is a failure.
func Judge(skip map[string]string, name string, check func(p *Probe)) (v Verdict) {
	p := &Probe{}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stop); !ok {
				p.Errorf("panic: %v\n%s", r, debug.Stack())
			}
		}
		v = p.Verdict
	}()
	if reason, ok := skip[name]; ok {
		p.Skip(reason)
	}
	check(p)
	return v
}

// ValidSkips returns a description of an error in skip: a name that is not one of the checks, or an empty reason. It returns "" if
// there is none.
func ValidSkips(skip map[string]string, checks []string) string {
	known := map[string]bool{}
	for _, name := range checks {
		known[name] = true
	}
	for name, reason := range skip {
		if !known[name] {
			return "Skip names a check that does not exist: " + name
		}
		if reason == "" {
			return "Skip gives no reason for " + name
		}
	}
	return ""
}
