package toolassay

import (
	"fmt"
)

// Who speaks in a message.
const (
	// System is an instruction of the application.
	System = "system"
	// User is the user.
	User = "user"
	// Assistant is the model.
	Assistant = "assistant"
	// ToolRole is the answer to one call.
	ToolRole = "tool"
)

// Message describes one message of a history or a request. A tool message
// answers exactly one call: where a library keeps several results in one
// message, give one Message per result. One reply of the model is one assistant
// message, even where a library holds it as several items.
type Message struct {
	// Role says who speaks: [System], [User], [Assistant] or [ToolRole].
	Role string
	// Text is its text; several blocks are joined. Any bytes.
	Text string
	// Calls are the calls of an assistant message, in the library's order.
	Calls []HeldCall
	// ToolUseID is, on a tool message, the id of the call that it answers. On
	// other messages an empty one is left out.
	ToolUseID string
	// IsError is, on a tool message, its error flag, mapped from the library's
	// own flag and never from wording; [NoFlag] where the form has none.
	IsError Flag
}

// Flag is an error flag that a form may not have.
type Flag int8

// The values of a [Flag].
const (
	// NoFlag: the form has no such flag.
	NoFlag Flag = iota
	// NotError: the flag is there, and says that it is no error.
	NotError
	// IsError: the flag is there, and says that it is an error.
	IsError
)

// FlagOf gives the flag of a form that has one.
func FlagOf(isError bool) Flag {
	if isError {
		return IsError
	}
	return NotError
}

// HeldCall is a tool call as an implementation holds it in an assistant message.
type HeldCall struct {
	// ID is the id of the call; empty if it has none.
	ID string
	// Name is the name of the tool.
	Name string
	// Arguments are its arguments, as the implementation holds them.
	Arguments Arguments
}

// Arguments are arguments of a call as an implementation holds them: made by
// [AsText] or [AsValue]. The zero value is the empty text.
type Arguments struct {
	text    string
	isValue bool
}

// AsText is for arguments that are held as the text that the model sent: a
// string, a []byte or a [encoding/json.RawMessage].
func AsText[T ~string | ~[]byte](text T) Arguments {
	return Arguments{text: string(text)}
}

// AsValue is for arguments that are held parsed. They are written as JSON text
// at once, without loss: NaN and the infinities are written as these words, big
// integers with all their digits, keys sorted. What JSON cannot write at all is
// shown as a string that says so.
func AsValue(value any) Arguments {
	return Arguments{text: valueText(value), isValue: true}
}

type messageData struct {
	Role      string     `json:"role"`
	Text      text       `json:"text,omitempty"`
	Calls     []callData `json:"calls,omitempty"`
	ToolUseID *string    `json:"tool_use_id,omitempty"`
	IsError   *bool      `json:"is_error,omitempty"`
}

type callData struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments text   `json:"arguments"`
}

// held says how arguments are held: as texts, as values, or both.
type held struct{ texts, values bool }

func (h *held) add(arguments Arguments) {
	if arguments.isValue {
		h.values = true
	} else {
		h.texts = true
	}
}

// word says it in one word. Where some are texts and some values, as where a
// library keeps the text of what it could not parse, nothing is demanded that a
// text cannot give.
func (h held) word() string {
	if h.values && !h.texts {
		return "value"
	}
	return "text"
}

// normalise turns messages of an adapter into the data of an observation.
func normalise(messages []Message) ([]messageData, held, error) {
	plain := make([]messageData, 0, len(messages))
	var how held
	for _, given := range messages {
		one := messageData{Role: given.Role, Text: text(given.Text)}
		switch given.Role {
		case System, User, Assistant, ToolRole:
		default:
			what := fmt.Sprintf("a message of the adapter has the role %q", Printable(given.Role))
			return nil, how, &Misuse{what + "; the roles are system, user, assistant and tool"}
		}
		if given.Role == ToolRole || given.ToolUseID != "" {
			id := Printable(given.ToolUseID)
			one.ToolUseID = &id
		}
		if given.IsError != NoFlag {
			flag := given.IsError == IsError
			one.IsError = &flag
		}
		for _, item := range given.Calls {
			how.add(item.Arguments)
			one.Calls = append(one.Calls, callData{
				Printable(item.ID), Printable(item.Name), text(item.Arguments.text),
			})
		}
		plain = append(plain, one)
	}
	return plain, how, nil
}
