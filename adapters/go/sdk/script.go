package toolassay

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Tick is the length of one tick of a scenario.
const Tick = time.Millisecond

// Reply is one whole reply of the scripted model.
type Reply struct {
	// Text precedes the calls.
	Text string
	// Calls are the calls; none ends the turn.
	Calls []Call
	// Streamed is true if the scenario wants the reply in fragments.
	Streamed bool
	// Stall is the number of ticks for which a stream stops before its end.
	Stall int
	// Breaks is true if a stream fails in place of its end.
	Breaks bool
}

// Call is one tool call of the scripted model.
type Call struct {
	// ID is the model's id of the call.
	ID string
	// Name is the name of the tool; the implementation may not know it.
	Name string
	// Arguments is the raw argument text, JSON or not. It is valid UTF-8,
	// unless the reply was asked for with [AsBytes].
	Arguments string
	// Cuts are the byte offsets at which a stream cuts the arguments.
	Cuts []int
}

// FragmentKind says what a fragment of a stream is.
type FragmentKind string

// The kinds of fragments.
const (
	// FragmentText is a part of the text of the reply.
	FragmentText FragmentKind = "text"
	// FragmentCall is the start of a call: its id and name.
	FragmentCall FragmentKind = "call"
	// FragmentArguments is a part of the arguments of a call.
	FragmentArguments FragmentKind = "arguments"
)

// Fragment is one fragment of a streamed reply.
type Fragment struct {
	// Kind says what it is.
	Kind FragmentKind
	// Text is the fragment of text, or of arguments. It is valid UTF-8, unless
	// the reply was asked for with [AsBytes].
	Text string
	// Index is the position of the call in the reply, from 0.
	Index int
	// ID is the model's id of the call.
	ID string
	// Name is the name of the tool.
	Name string
}

// Subscriber is one subscriber that the scenario wants.
type Subscriber struct {
	// Name is its name.
	Name string
	// StallsAfter is the number of deliveries after which it reads no more; -1
	// if it always reads.
	StallsAfter int
}

// scenarioData is a scenario as the kit sends it; unknown keys are left alone.
type scenarioData struct {
	Model       []replyData       `json:"model"`
	Tools       []toolData        `json:"tools"`
	Policy      map[string]string `json:"policy"`
	Users       []string          `json:"users"`
	Subscribers []subscriberData  `json:"subscribers"`
	Sequential  bool              `json:"sequential"`
}

type replyData struct {
	Text     string             `json:"text"`
	Calls    []scriptedCallData `json:"calls"`
	Streamed bool               `json:"streamed"`
	Stall    int                `json:"stall"`
	Breaks   bool               `json:"breaks"`
}

type scriptedCallData struct {
	ID        *string `json:"id"`
	Name      *string `json:"name"`
	Arguments *text   `json:"arguments"`
	Cuts      []int   `json:"cuts"`
}

type subscriberData struct {
	Name        *string `json:"name"`
	StallsAfter *int    `json:"stalls_after"`
}

type toolData struct {
	Name       *string         `json:"name"`
	Parameters json.RawMessage `json:"parameters"`
	Behaviour  behaviour       `json:"behaviour"`
}

type behaviour struct {
	Returns  *text   `json:"returns"`
	Fails    *text   `json:"fails"`
	Raises   *string `json:"raises"`
	Hangs    bool    `json:"hangs"`
	Ticks    int     `json:"ticks"`
	WaitsFor string  `json:"waits_for"`
}

// readScenario reads a scenario; the error says what is wrong with it.
func readScenario(data json.RawMessage) (scenarioData, error) {
	var read scenarioData
	if err := json.Unmarshal(data, &read); err != nil {
		return read, fmt.Errorf("the scenario cannot be read: %w", err)
	}
	if read.Model == nil {
		return read, fmt.Errorf("the scenario has no model")
	}
	for _, reply := range read.Model {
		for _, call := range reply.Calls {
			if call.ID == nil || call.Name == nil {
				return read, fmt.Errorf("a call of the scenario has no id or no name")
			}
		}
	}
	for _, tool := range read.Tools {
		if tool.Name == nil {
			return read, fmt.Errorf("a tool of the scenario has no name")
		}
	}
	if read.Users == nil {
		read.Users = []string{"go"}
	}
	if len(read.Subscribers) == 0 {
		read.Subscribers = []subscriberData{{}}
	}
	return read, nil
}

func (r replyData) reply() Reply {
	reply := Reply{Text: r.Text, Streamed: r.Streamed, Stall: r.Stall, Breaks: r.Breaks}
	for _, item := range r.Calls {
		arguments := text("{}")
		if item.Arguments != nil {
			arguments = *item.Arguments
		}
		reply.Calls = append(reply.Calls, Call{*item.ID, *item.Name, string(arguments), item.Cuts})
	}
	return reply
}

func (s subscriberData) subscriber() Subscriber {
	subscriber := Subscriber{Name: "main", StallsAfter: -1}
	if s.Name != nil {
		subscriber.Name = *s.Name
	}
	if s.StallsAfter != nil {
		subscriber.StallsAfter = *s.StallsAfter
	}
	return subscriber
}

// piecesOf cuts a text at byte offsets; an empty text is one empty fragment.
func piecesOf(raw string, cuts []int) []string {
	var pieces []string
	start := 0
	for _, cut := range slices.Sorted(slices.Values(cuts)) {
		place := min(max(cut, start), len(raw))
		pieces = append(pieces, raw[start:place])
		start = place
	}
	return append(pieces, raw[start:])
}
