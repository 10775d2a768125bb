package fault

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
)

// PanicError is a panic of what a user gave, as a kernel, an Observe or a BLAS, within a computation. It unwraps to ErrParam, and to
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
	if err, ok := value.(error); ok && IsPanic(err) {
		return err
	}
	return &PanicError{Value: value, Place: place()}
}

// Recover is deferred, first of all, by what runs a user's code, or a BLAS, and returns an error: a panic becomes one, a
// [PanicError], on whatever goroutine it was. What the runtime ends the program for, as memory that is out, it cannot hold.
//
// An error of data that does not say yet what was called gets the name of the exported method or function that deferred
// Recover: "x[3,1] is NaN" becomes "lssvm: Regressor: x[3,1] is NaN". Of methods that call each other the outermost counts.
func Recover(err *error) {
	if p := recover(); p != nil {
		*err = Panicked(p)
		return
	}
	NameDeferrer(err)
}

// NameDeferrer gives an error the name of the function that deferred its caller, as Recover does.
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

// RecoverAs is Recover with another name than that of the method's receiver, for a type that is a part of exported ones.
func RecoverAs(name string, err *error) {
	if p := recover(); p != nil {
		*err = Panicked(p)
	} else if *err != nil {
		*err = named(name, *err)
	}
}

// IsPanic reports whether err is, or wraps, a panic: what tries something and goes on without it does not go on then.
func IsPanic(err error) bool {
	var p *PanicError
	return errors.As(err, &p)
}

// Repanic panics again with an error that IsPanic, for the caller that defers Recover: what it is called by has no error to return.
func Repanic(err error) {
	if IsPanic(err) {
		panic(err)
	}
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
