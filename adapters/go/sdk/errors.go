package toolassay

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ShownMax is the number of characters of an error that are kept.
const ShownMax = 2000

// Rejected says that the implementation refused its input, legitimately. All
// parts may be empty.
type Rejected struct {
	// Code is the canonical code of the refusal.
	Code string
	// Event is the type of the refused event.
	Event string
	// Field is the refused field, in the contract's spelling.
	Field string
	// Rule is the rule that the field broke.
	Rule string
	// Native is the implementation's own error.
	Native error
}

// Error gives the parts as one line.
func (r *Rejected) Error() string {
	parts := []string{"rejected"}
	for _, part := range []string{r.Code, r.Event, r.Field, r.Rule, ErrorOf(r.Native)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}

// Unwrap gives the implementation's own error.
func (r *Rejected) Unwrap() error { return r.Native }

// Unsupported says that the adapter, or the implementation, cannot be asked for
// this. A feature that was declared can.
type Unsupported struct {
	// Why says what is missing.
	Why string
}

// Error gives the reason.
func (u *Unsupported) Error() string { return u.Why }

// ToolFailed is a scripted failure that the tool accepts (`fails`): a result
// with the error flag. An adapter turns it into its library's own way to say so.
type ToolFailed struct {
	// Text is the text of the result.
	Text string
}

// Error gives the text of the result.
func (t *ToolFailed) Error() string { return t.Text }

// ScriptedError is the error that a scripted tool throws (`raises`). An adapter
// lets it go its way.
type ScriptedError struct {
	// Message is the scripted message.
	Message string
}

// Error gives the scripted message.
func (s *ScriptedError) Error() string { return s.Message }

// StreamBroken is the failure of the model's stream in place of its end (`breaks`).
type StreamBroken struct{}

// Error says so.
func (*StreamBroken) Error() string { return "the stream of the model broke" }

// TooMuch says that the implementation asked for more than any scenario needs.
type TooMuch struct {
	// What says of what there was too much.
	What string
}

// Error says of what there was too much.
func (t *TooMuch) Error() string { return t.What }

// Misuse is a mistake of the adapter, such as a message with an unknown role.
// It is reported as the adapter's fault, even if the implementation swallows it.
type Misuse struct {
	// What says what the adapter did wrong.
	What string
}

// Error says what the adapter did wrong.
func (m *Misuse) Error() string { return m.What }

// ErrorOf gives the words of an error as a bounded string that JSON can carry;
// the empty string for nil.
func ErrorOf(err error) string {
	if err == nil {
		return ""
	}
	return Printable(wordsOf(err))
}

// wordsOf asks an error for its words; the error of a stranger may not even print.
func wordsOf(err error) (words string) {
	defer func() {
		if recover() != nil {
			words = fmt.Sprintf("%T", err)
		}
	}()
	return err.Error()
}

// Printable bounds a string to [ShownMax] characters and escapes what is no UTF-8.
func Printable(words string) string {
	var kept strings.Builder
	for count := 0; words != "" && count < ShownMax; count++ {
		char, size := utf8.DecodeRuneInString(words)
		if char == utf8.RuneError && size == 1 {
			fmt.Fprintf(&kept, `\x%02x`, words[0])
		} else {
			kept.WriteString(words[:size])
		}
		words = words[size:]
	}
	return kept.String()
}
