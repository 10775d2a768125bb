package fault

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// PanicError reports a panic in user code, such as a kernel, an Observe function or a BLAS. It wraps ErrParam, and the value if
// that is an error.
type PanicError struct {
	Value any
	Place string // the file and line of the panic
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

// Panicked returns the error for a recovered value. The deferred function that recovered the value calls it. It returns a
// PanicError unchanged.
func Panicked(value any) error {
	if err, ok := value.(error); ok && IsPanic(err) {
		return err
	}
	return &PanicError{Value: value, Place: place()}
}

// Recover is deferred as the first statement of a function that runs user code or a BLAS and returns an error. It turns a panic, on
// whatever goroutine, into a [PanicError]. It cannot stop what ends the program, such as exhausted memory.
//
// A data error without a name gets the name of the exported method or function that deferred Recover: "x[3,1] is NaN" becomes
// "lssvm: Regressor: x[3,1] is NaN". Among nested calls the outermost counts.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = Panicked(p)
		return
	}
	NameDeferrer(err)
}

// NameDeferrer gives an error the name of the function that deferred the caller, as Recover does.
func NameDeferrer(err *error) {
	if *err == nil {
		return
	}
	var pc [1]uintptr
	frame, _ := runtime.CallersFrames(pc[:runtime.Callers(3, pc[:])]).Next()
	if name := called(frame.Function); name != "" {
		*err = named(name, *err)
	}
}

// RecoverAs is Recover with a given name, for a type that is embedded in exported ones.
func RecoverAs(name string, err *error) {
	if p := recover(); p != nil {
		*err = Panicked(p)
	} else if *err != nil {
		*err = named(name, *err)
	}
}

// IsPanic reports whether err wraps a panic. Code that tolerates failures must not tolerate a panic.
func IsPanic(err error) bool {
	var p *PanicError
	return errors.As(err, &p)
}

// Repanic panics again with an error that IsPanic, in a function without an error result whose caller defers Recover.
func Repanic(err error) {
	if IsPanic(err) {
		panic(err)
	}
}

// place returns the origin of the current panic: the first frame below those of the runtime.
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
