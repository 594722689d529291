package main

import (
	"context"
	"encoding/json"
	"errors"

	"charm.land/fantasy"
	toolassay "toolassay/sdk"
)

// tools makes the native tools of a scenario. Whether calls may overlap is a
// property of a tool in this library; it heeds it where the reply is streamed.
func tools(play *toolassay.Play) []fantasy.AgentTool {
	build := fantasy.NewParallelAgentTool[json.RawMessage]
	if play.Sequential {
		build = fantasy.NewAgentTool[json.RawMessage]
	}
	var made []fantasy.AgentTool
	for _, tool := range play.Tools {
		made = append(made, advertised{build(tool.Name, "the tool "+tool.Name, callback(tool)), tool})
	}
	return made
}

// callback is what a tool's author writes. The library parses the arguments into
// the type of the input; this type keeps the text that it has parsed.
func callback(tool *toolassay.Tool) func(
	context.Context, json.RawMessage, fantasy.ToolCall,
) (fantasy.ToolResponse, error) {
	return func(ctx context.Context, input json.RawMessage, call fantasy.ToolCall) (fantasy.ToolResponse, error) {
		text, err := tool.Call(ctx, toolassay.AsText(input), toolassay.CallID(call.ID))
		var failed *toolassay.ToolFailed
		if errors.As(err, &failed) {
			return fantasy.NewTextErrorResponse(failed.Text), nil
		}
		if err != nil {
			return fantasy.ToolResponse{}, err
		}
		return fantasy.NewTextResponse(text), nil
	}
}

// advertised is a tool that shows the scenario's schema in place of the one that
// the library makes from the type of the input.
type advertised struct {
	fantasy.AgentTool
	tool *toolassay.Tool
}

// Info implements fantasy.AgentTool.
func (a advertised) Info() fantasy.ToolInfo {
	info := a.AgentTool.Info()
	info.Parameters = map[string]any{}
	if properties, ok := a.tool.Parameters["properties"].(map[string]any); ok {
		info.Parameters = properties
	}
	info.Required = []string{}
	required, _ := a.tool.Parameters["required"].([]any)
	for _, name := range required {
		if name, ok := name.(string); ok {
			info.Required = append(info.Required, name)
		}
	}
	return info
}
