// The adapter of fantasy: its agent, its client, its messages, its codec.
//
// Nothing is configured but what a scenario asks for, with two exceptions: a
// request is not made again when its stream broke (the library would wait five
// seconds first), and the repair of tool calls is on or off by a flag.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"charm.land/fantasy"
	toolassay "toolassay/sdk"
)

func main() {
	repair := flag.Bool("repair", false, "leave the library's own repair of tool calls on, as it is by default")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	toolassay.Main(adapter{repairs: *repair})
}

// adapter is what toolassay asks of fantasy.
type adapter struct{ repairs bool }

// Initialize implements toolassay.Adapter.
func (a adapter) Initialize() (toolassay.Info, error) {
	name := "fantasy-norepair"
	if a.repairs {
		name = "fantasy"
	}
	return toolassay.Info{
		Name:    name,
		Version: fantasy.Version,
		Facets: []string{
			toolassay.History, toolassay.Requests, toolassay.Executions, toolassay.Ending,
		},
		Features: []string{
			toolassay.Parallel,
			toolassay.Sequential,
			toolassay.StreamText,
			toolassay.StreamBreaks,
			toolassay.StreamStall,
			toolassay.NextTurn,
			toolassay.Raises,
			toolassay.Waits,
		},
		// Results of a streamed reply stand in the order in which goroutines ended.
		Deterministic: false,
	}, nil
}

// TurnRun implements toolassay.TurnRunner.
func (a adapter) TurnRun(ctx context.Context, play *toolassay.Play) (*toolassay.Observation, error) {
	inner, err := client(ctx)
	if err != nil {
		return nil, err
	}
	agent := fantasy.NewAgent(scripted{inner, play}, a.options(play)...)
	var history []fantasy.Message
	var options []toolassay.ObservationOption
	for turn, user := range play.Users {
		result, err := a.run(ctx, agent, user, history, play.Streamed())
		if err != nil {
			// The library gives nothing of a run that returned an error, so that
			// is how an application goes on: with what it had before.
			why := fmt.Sprintf("the run of turn %d returned an error", turn)
			options = []toolassay.ObservationOption{
				toolassay.WithStatus(toolassay.History, toolassay.Aborted, why),
			}
			play.Ended(turn, toolassay.Failed, err)
			continue
		}
		// A result holds the messages of its steps, and not the user's.
		history = append(history, fantasy.NewUserMessage(user))
		for _, step := range result.Steps {
			history = append(history, step.Messages...)
		}
		options = nil
		play.Ended(turn, toolassay.Done, nil)
	}
	return play.Observation(plain(history), append(options, encoding(history))...)
}

// options are those of the agent.
func (a adapter) options(play *toolassay.Play) []fantasy.AgentOption {
	options := []fantasy.AgentOption{
		fantasy.WithTools(tools(play)...),
		fantasy.WithMaxRetries(0),
	}
	if !a.repairs {
		options = append(options, fantasy.WithRepairToolCall(leaveAlone))
	}
	return options
}

// leaveAlone is a repair that repairs nothing. To set one is the only way to
// turn the library's own off.
func leaveAlone(context.Context, fantasy.ToolCallRepairOptions) (*fantasy.ToolCallContent, error) {
	return nil, errors.New("tool calls are not repaired")
}

// run is one turn.
func (a adapter) run(
	ctx context.Context, agent fantasy.Agent, user string, history []fantasy.Message, streamed bool,
) (*fantasy.AgentResult, error) {
	if !streamed {
		return agent.Generate(ctx, fantasy.AgentCall{Prompt: user, Messages: history})
	}
	call := fantasy.AgentStreamCall{Prompt: user, Messages: history}
	if !a.repairs {
		// A streamed run does not heed the repair of its agent.
		call.RepairToolCall = leaveAlone
	}
	return agent.Stream(ctx, call)
}

// encoding asks the library's own codec whether the history can be stored.
func encoding(history []fantasy.Message) toolassay.ObservationOption {
	return toolassay.WithEncoding(toolassay.EncodingOf(
		func() ([]byte, error) { return encode(history) },
		func(data []byte) (bool, error) {
			read, err := decode(data)
			if err != nil {
				return false, err
			}
			again, err := encode(read)
			return string(again) == string(data), err
		},
	))
}
