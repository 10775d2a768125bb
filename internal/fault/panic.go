package fault

import (
	"fmt"
	"runtime"
	"strings"
)

// PanicError is a panic of what a user gave, a kernel or an Observe, within a computation. It unwraps to ErrParam, and to
// the value where that is an error.
type PanicError struct {
	Value any
	Place string // the file and line that panicked
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("panic at %s: %s", e.Place, short(fmt.Sprint(e.Value)))
}

// Unwrap returns ErrParam, and the value if it is an error.
func (e *PanicError) Unwrap() []error {
	if err, ok := e.Value.(error); ok {
		return []error{ErrParam, err}
	}
	return []error{ErrParam}
}

// Panicked makes the error of a recovered value; called by the deferred function that recovered it. One that was
// recovered before stays what it was.
func Panicked(value any) error {
	if e, ok := value.(*PanicError); ok {
		return e
	}
	return &PanicError{Value: value, Place: place()}
}

// place is where the panic that is being recovered began: the first frame below the runtime's.
func place() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	raised := false
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			raised = true
		case raised && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
		if !more {
			return "an unknown place"
		}
	}
}
