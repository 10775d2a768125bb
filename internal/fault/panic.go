package fault

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// PanicError reports a panic in user code, such as a kernel, an Observe function or a BLAS. It wraps ErrParam. If the value of the
// panic is an error, it also wraps this error.
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

// Panicked returns the error for a recovered value. It must be called by the deferred function that recovered the value. It returns
// a PanicError unchanged.
func Panicked(value any) error {
	if err, ok := value.(error); ok && IsPanic(err) {
		return err
	}
	return &PanicError{Value: value, Place: place()}
}

// Recover is deferred as the first statement of a function that runs user code or a BLAS and returns an error. It converts a panic
// into a [PanicError]. It cannot recover from failures that end the program, such as exhausted memory.
//
// A data error without a name gets the name of the exported method or function that deferred Recover: "x[3,1] is NaN" becomes
// "lssvm: Regressor: x[3,1] is NaN". If such functions call each other, the outermost function determines the name.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = Panicked(p)
		return
	}
	NameDeferrer(err)
}

// NameDeferrer adds to an error the name of the function that deferred the caller, as Recover does.
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

// RecoverAs is like Recover, with a given name. It is for methods of a type that is embedded in exported types.
func RecoverAs(name string, err *error) {
	if p := recover(); p != nil {
		*err = Panicked(p)
	} else if *err != nil {
		*err = named(name, *err)
	}
}

// IsPanic reports whether err wraps a PanicError. Code that tolerates failures must not tolerate a panic.
func IsPanic(err error) bool {
	var p *PanicError
	return errors.As(err, &p)
}

// Repanic panics with err if it wraps a PanicError. It is for functions that return no error and whose caller defers Recover.
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
