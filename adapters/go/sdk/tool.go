package toolassay

import (
	"context"
	"encoding/json"
	"time"
	"unicode/utf8"
)

// waitTicks is the longest wait of a tool with `waits_for` that names no `ticks`.
const waitTicks = 50

// hangMargin is how much longer than the deadline a hanging tool hangs; the kit
// has killed the process by then, if it is still there itself.
const hangMargin = 5 * time.Second

// Tool is one scripted tool; call it from the implementation's callback.
type Tool struct {
	// Name is the name under which the model calls it.
	Name string
	// Parameters is the JSON Schema of its arguments.
	Parameters map[string]any
	// ParametersJSON is the same as JSON text.
	ParametersJSON json.RawMessage
	// Denied is true if the policy of the scenario denies it.
	Denied bool

	play      *Play
	behaviour behaviour
}

// CallOption says more of one entry into a callback.
type CallOption func(*executionData)

// CallID gives the model's id of the call, where the callback can know it.
func CallID(id string) CallOption {
	return func(entry *executionData) {
		shown := Printable(id)
		entry.CallID = &shown
	}
}

// ExecutionID gives the implementation's id of this execution, if it has one.
func ExecutionID(id string) CallOption {
	return func(entry *executionData) { entry.ExecutionID = Printable(id) }
}

// Call enters the callback: it records the execution and behaves as scripted.
// It gives the text of the result.
//
// Give it the arguments as the callback was given them: [AsText] if it sees the
// text, parsed by nobody, [AsValue] if it sees them parsed; and the context
// that the callback was given, which ends every wait of the tool. A callback
// that is given no context passes [context.Background].
//
// Errors: [ToolFailed] if the tool fails and accepts that, [ScriptedError] if
// it throws, the context's error if that ended a wait, [Unsupported] if the
// scripted result is no text, [TooMuch] beyond [ExecutionsMax] entries.
func (t *Tool) Call(ctx context.Context, arguments Arguments, options ...CallOption) (string, error) {
	entry, err := t.play.enter(t.Name, arguments, options)
	if err != nil {
		return "", err
	}
	defer t.play.leave(entry)
	if err := t.pause(ctx, entry); err != nil {
		return "", err
	}
	return t.result()
}

// pause waits until the time is up or what is awaited was seen.
func (t *Tool) pause(ctx context.Context, entry *executionData) error {
	ticks := t.behaviour.Ticks
	awaited := t.behaviour.WaitsFor
	switch {
	case awaited != "":
		if ticks == 0 {
			ticks = waitTicks
		}
		return t.play.await(ctx, awaited, entry, time.Duration(ticks)*Tick)
	case t.behaviour.Hangs:
		return t.play.sleep(ctx, t.play.Deadline+hangMargin)
	default:
		return t.play.sleep(ctx, time.Duration(ticks)*Tick)
	}
}

func (t *Tool) result() (string, error) {
	given := t.behaviour
	switch {
	case given.Hangs:
		return "", &ScriptedError{"the hanging tool was given up"}
	case given.Raises != nil:
		return "", &ScriptedError{*given.Raises}
	case given.Fails != nil:
		words, err := t.play.textOf(*given.Fails, "a result")
		if err != nil {
			return "", err
		}
		return "", &ToolFailed{words}
	case given.Returns != nil:
		return t.play.textOf(*given.Returns, "a result")
	}
	return "ok", nil
}

// textOf gives a text of the scenario that has to be valid UTF-8.
func (p *Play) textOf(given text, what string) (string, error) {
	if !utf8.ValidString(string(given)) {
		return "", p.GiveUp(what + " is no text")
	}
	return string(given), nil
}
