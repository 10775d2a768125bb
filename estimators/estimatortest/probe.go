package estimatortest

import (
	"fmt"
	"runtime/debug"
)

// verdict is the outcome of one check on one type.
type verdict struct {
	failures []string
	skipped  string // the reason; empty if the check ran
}

func (v verdict) failed() bool { return len(v.failures) > 0 }

// probe is what a check reports to. It is no *testing.T, so that the suite can
// be run on types that are known to be broken, and be seen to fail.
type probe struct{ verdict }

// stop is panicked with to end a check early.
type stop struct{}

// errorf records a failure and goes on.
func (p *probe) errorf(format string, args ...any) {
	p.failures = append(p.failures, fmt.Sprintf(format, args...))
}

// fatalf records a failure and ends the check.
func (p *probe) fatalf(format string, args ...any) {
	p.errorf(format, args...)
	panic(stop{})
}

// skip ends the check without a verdict on the type.
func (p *probe) skip(reason string) {
	p.skipped = reason
	panic(stop{})
}

// must ends the check if err is not nil.
func (p *probe) must(doing string, err error) {
	if err != nil {
		p.fatalf("%s: %v", doing, err)
	}
}

// judge runs a check on a subject. A panic of the subject is a failure.
func judge(c check, s *subject) (v verdict) {
	p := &probe{}
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(stop); !ok {
				p.errorf("panic: %v\n%s", r, debug.Stack())
			}
		}
		v = p.verdict
	}()
	if reason, ok := s.options.Skip[c.name]; ok {
		p.skip(reason)
	}
	c.run(p, s)
	return v
}
