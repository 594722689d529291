package toolassay

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// stackMax is the number of bytes of a stack that are sent: its innermost calls.
const stackMax = 4000

type unsupportedData struct {
	Status string `json:"status"`
	Why    string `json:"why"`
}

func unsupported(why string) unsupportedData {
	return unsupportedData{"unsupported", Printable(why)}
}

// thrownError is what an adapter returned as an error, or threw.
type thrownError struct {
	err   error
	kind  string
	where string
	stack string
}

// panicError is a panic as an error.
type panicError struct{ value any }

func (p *panicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Unwrap gives the error that was thrown, if it was one: a play may be given up
// by panic(play.GiveUp(why)).
func (p *panicError) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// try calls the adapter; a panic becomes an error that knows where it was.
func try[T any](what func() (T, error)) (result T, thrown *thrownError) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		stack := debug.Stack()
		words := strings.ToValidUTF8(string(stack[:min(len(stack), stackMax)]), "?")
		thrown = &thrownError{&panicError{value}, fmt.Sprintf("%T", value), panicPlace(), words}
	}()
	result, err := what()
	if err != nil {
		thrown = &thrownError{err: err, kind: fmt.Sprintf("%T", err)}
	}
	return result, thrown
}

// panicPlace names the line that panicked; it is called from a deferred function.
func panicPlace() string {
	counters := make([]uintptr, 64)
	frames := runtime.CallersFrames(counters[:runtime.Callers(3, counters)])
	for {
		frame, more := frames.Next()
		if !strings.HasPrefix(frame.Function, "runtime.") {
			name := frame.Function[strings.LastIndexByte(frame.Function, '/')+1:]
			return fmt.Sprintf(" (in %s, %s:%d)", name, filepath.Base(frame.File), frame.Line)
		}
		if !more {
			return ""
		}
	}
}

type rejectedData struct {
	Status string `json:"status"`
	Code   string `json:"code,omitempty"`
	Event  string `json:"event,omitempty"`
	Field  string `json:"field,omitempty"`
	Rule   string `json:"rule,omitempty"`
	Native string `json:"native,omitempty"`
}

type raisedData struct {
	Status string    `json:"status"`
	Error  errorKind `json:"error"`
	Detail string    `json:"detail"`
}

type errorKind struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// result gives what was thrown as the result of an operation, or as a fault.
func (t *thrownError) result() (any, *fault) {
	var refusal *Rejected
	var limit *Unsupported
	var wrong *Misuse
	switch {
	case errors.As(t.err, &refusal):
		return rejectedData{
			"rejected", Printable(refusal.Code), Printable(refusal.Event),
			Printable(refusal.Field), Printable(refusal.Rule), ErrorOf(refusal.Native),
		}, nil
	case errors.As(t.err, &limit):
		return unsupported(limit.Why), nil
	case errors.As(t.err, &wrong):
		return nil, &fault{codeAdapterFault, wrong.What, t.stack}
	}
	message := Printable(ErrorOf(t.err) + t.where)
	return raisedData{"raised", errorKind{Printable(t.kind), message}, t.stack}, nil
}
