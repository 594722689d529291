package main

import (
	"encoding/json"
	"strings"

	"charm.land/fantasy"
	toolassay "toolassay/sdk"
)

// plain gives the library's messages in the kit's form: one message per result.
func plain(messages []fantasy.Message) []toolassay.Message {
	var shown []toolassay.Message
	for _, one := range messages {
		if one.Role == fantasy.MessageRoleTool {
			shown = append(shown, results(one)...)
		} else {
			shown = append(shown, spoken(one))
		}
	}
	return shown
}

// spoken is a message of anyone but a tool.
func spoken(one fantasy.Message) toolassay.Message {
	var text strings.Builder
	shown := toolassay.Message{Role: string(one.Role)}
	for _, part := range one.Content {
		if said, ok := fantasy.AsMessagePart[fantasy.TextPart](part); ok {
			text.WriteString(said.Text)
		}
		if call, ok := fantasy.AsMessagePart[fantasy.ToolCallPart](part); ok {
			shown.Calls = append(shown.Calls, toolassay.HeldCall{
				ID: call.ToolCallID, Name: call.ToolName,
				// The library holds arguments as text.
				Arguments: toolassay.AsText(call.Input),
			})
		}
	}
	shown.Text = text.String()
	return shown
}

// results are the results that one message of tools holds.
func results(one fantasy.Message) []toolassay.Message {
	var shown []toolassay.Message
	for _, part := range one.Content {
		result, ok := fantasy.AsMessagePart[fantasy.ToolResultPart](part)
		if !ok {
			continue
		}
		text, failed := outcome(result.Output)
		shown = append(shown, toolassay.Message{
			Role: toolassay.ToolRole, Text: text,
			ToolUseID: result.ToolCallID, IsError: toolassay.FlagOf(failed),
		})
	}
	return shown
}

// outcome gives text and flag of a result. The flag of this library is the type
// of the output: it is an error, or it is not.
func outcome(output fantasy.ToolResultOutputContent) (string, bool) {
	if failed, ok := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentError](output); ok {
		if failed.Error == nil {
			return "", true
		}
		return failed.Error.Error(), true
	}
	said, _ := fantasy.AsToolResultOutputType[fantasy.ToolResultOutputContentText](output)
	return said.Text, false
}

// encode writes a history as its users store it.
func encode(history []fantasy.Message) ([]byte, error) { return json.Marshal(history) }

// decode reads it back.
func decode(data []byte) ([]fantasy.Message, error) {
	var history []fantasy.Message
	err := json.Unmarshal(data, &history)
	return history, err
}
