// Package toolassay is what an adapter in Go is written with: the scripted
// world of one scenario, the record of what happened in it, and the serving of
// both to the kit over standard input and output.
//
// An adapter connects an agent runtime to the kit. It says what the
// implementation is and what can be asked of it ([Adapter.Initialize]), plays
// one scenario at a time ([TurnRunner.TurnRun]) and gives back what was seen.
// The kit judges; an adapter never does. A complete one, for an agent loop that
// takes a model function and a list of tools:
//
//	package main
//
//	import (
//		"context"
//		"errors"
//
//		"example.org/agent" // the implementation under test
//		toolassay "toolassay/sdk"
//	)
//
//	func main() { toolassay.Main(adapter{}) }
//
//	type adapter struct{}
//
//	func (adapter) Initialize() (toolassay.Info, error) {
//		return toolassay.Info{
//			Name:          "my-agent",
//			Version:       "1.0",
//			Deterministic: true,
//			Facets:        []string{"history", "requests", "executions", "ending"},
//			Features:      []string{"parallel", "next-turn", "raises"},
//		}, nil
//	}
//
//	func (adapter) TurnRun(ctx context.Context, play *toolassay.Play) (*toolassay.Observation, error) {
//		model := func(messages []agent.Message) (agent.Reply, error) { // the scripted model
//			reply, err := play.Model(plain(messages))
//			return native(reply), err
//		}
//		var tools []agent.Tool
//		for _, tool := range play.Tools {
//			run := func(ctx context.Context, call agent.Call) (agent.Result, error) {
//				text, err := tool.Call(ctx, toolassay.AsText(call.Arguments), toolassay.CallID(call.ID))
//				var failed *toolassay.ToolFailed
//				if errors.As(err, &failed) {
//					return agent.Result{Text: failed.Text, IsError: true}, nil
//				}
//				return agent.Result{Text: text}, err
//			}
//			tools = append(tools, agent.Tool{Name: tool.Name, Parameters: tool.Parameters, Run: run})
//		}
//		loop := agent.New(model, tools)
//		for turn, user := range play.Users {
//			if err := loop.Run(ctx, user); err != nil {
//				play.Ended(turn, toolassay.Failed, err)
//			} else {
//				play.Ended(turn, toolassay.Done, nil)
//			}
//		}
//		return play.Observation(plain(loop.Messages))
//	}
//
// # Texts
//
// A Go string holds any bytes, so every text is a string here. What is no valid
// UTF-8 travels as base64 and is never replaced.
//
// # Errors
//
// Scripted behaviour arrives as typed errors: [ToolFailed], [ScriptedError],
// [StreamBroken]. An operation returns [Rejected] for a legitimate refusal of
// its input and [Unsupported] for what cannot be played; any other error, and a
// panic, is reported as `raised`: the implementation threw. Mistakes of the
// adapter itself, such as a message with an unknown role, are reported as such
// even where the implementation swallows the error that tells of them.
//
// # Concurrency
//
// All methods of [Play] and [Tool] may be called from several goroutines. A
// panic in a goroutine that an implementation starts by itself cannot be caught
// here: it ends the process, and the kit reports a crash.
package toolassay
