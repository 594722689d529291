package toolassay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"
)

const (
	// RequestsMax is the number of model requests of one play; an agent that
	// asks for more runs in a circle.
	RequestsMax = 1000
	// ExecutionsMax is the number of entries into callbacks of one play.
	ExecutionsMax = 10_000
	// EventsMax is the number of deliveries and journal records of one play, together.
	EventsMax = 100_000
	// TurnsMax is the number of ends of turns of one play.
	TurnsMax = 1000
)

// How a turn ended.
const (
	// Done: it came to its end.
	Done = "done"
	// Failed: it ended in an error; a run that returned one is failed.
	Failed = "failed"
	// Interrupted: it was stopped from outside.
	Interrupted = "interrupted"
)

// Play is the scripted world of one scenario, and the record of what happened
// in it. The exported fields are not to be changed.
type Play struct {
	// Scenario is the scenario as JSON, for an adapter that plays it in a way
	// of its own.
	Scenario json.RawMessage
	// Seed is the seed of this run, for implementations that draw ids or choose
	// an order.
	Seed int64
	// Deadline is the time after which the kit kills the process.
	Deadline time.Duration
	// Users holds one user message per turn.
	Users []string
	// Sequential is true if the calls of one batch are to run one after the other.
	Sequential bool
	// Policy is `allow` or `deny` by tool name; a tool without an entry is allowed.
	Policy map[string]string
	// Replies is what the model will say, one reply per request. Ask for them
	// by [Play.Model] or [Play.Stream], which record the request.
	Replies []Reply
	// Tools are the tools that the implementation is to be given.
	Tools []*Tool
	// Subscribers says who listens to the events; never empty.
	Subscribers []Subscriber

	facets []string // what the adapter declares; nil for what it reports
	closed chan struct{}

	mutex       sync.Mutex
	changed     chan struct{} // closed, and made anew, when something was seen
	isClosed    bool
	unsupported string
	fault       string
	requests    [][]messageData
	shownAs     held
	executions  []*executionData
	ranWith     string
	deliveries  map[string][]deliveryData
	ends        map[string]subscriptionEnd
	journal     []recordData
	turns       []turnData
	events      int
	streaming   *bool
	stepStart   int
}

// NewPlay makes the play of a scenario, as [Main] does for every request; tests
// of an adapter may need one.
//
// The facets are those that the adapter declares; nil for what it reports. The
// error says what is wrong with the scenario.
func NewPlay(scenario json.RawMessage, seed int64, facets []string, deadline time.Duration) (*Play, error) {
	read, err := readScenario(scenario)
	if err != nil {
		return nil, err
	}
	play := &Play{
		Scenario:   scenario,
		Seed:       seed,
		Deadline:   deadline,
		Users:      read.Users,
		Sequential: read.Sequential,
		Policy:     read.Policy,
		facets:     facets,
		closed:     make(chan struct{}),
		changed:    make(chan struct{}),
		deliveries: map[string][]deliveryData{},
		ends:       map[string]subscriptionEnd{},
		ranWith:    "text",
	}
	for _, item := range read.Model {
		play.Replies = append(play.Replies, item.reply())
	}
	for _, item := range read.Tools {
		tool, err := play.tool(item)
		if err != nil {
			return nil, err
		}
		play.Tools = append(play.Tools, tool)
	}
	for _, item := range read.Subscribers {
		play.Subscribers = append(play.Subscribers, item.subscriber())
	}
	return play, nil
}

func (p *Play) tool(data toolData) (*Tool, error) {
	schema := data.Parameters
	if schema == nil {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	tool := &Tool{
		Name:           *data.Name,
		ParametersJSON: schema,
		Denied:         p.Denies(*data.Name),
		play:           p,
		behaviour:      data.Behaviour,
	}
	if err := json.Unmarshal(schema, &tool.Parameters); err != nil {
		return nil, fmt.Errorf("the parameters of the tool %q are no object", tool.Name)
	}
	return tool, nil
}

// Streamed tells whether any reply is to arrive in fragments. Then ask for every
// reply by [Play.Stream], those that are not cut included.
func (p *Play) Streamed() bool {
	return slices.ContainsFunc(p.Replies, func(reply Reply) bool { return reply.Streamed })
}

// Denies tells whether the policy denies a tool.
func (p *Play) Denies(tool string) bool { return p.Policy[tool] == "deny" }

// GiveUp notes that this scenario cannot be played, and gives the error that
// says so. What was noted first stays, even if the implementation swallows it.
func (p *Play) GiveUp(why string) *Unsupported {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.unsupported == "" {
		p.unsupported = why
	}
	return &Unsupported{why}
}

// Done is closed when the play is over.
func (p *Play) Done() <-chan struct{} { return p.closed }

// Close ends the play: hanging tools give up. [Main] does so after each play.
func (p *Play) Close() {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if !p.isClosed {
		p.isClosed = true
		close(p.closed)
	}
}

// misuse notes a mistake of the adapter. Returned inside the implementation's
// run, it would look like a failure of its own.
func (p *Play) misuse(err error) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.fault == "" {
		p.fault = err.Error()
	}
	return err
}

// sleep waits; what is over before it began takes no time.
func (p *Play) sleep(ctx context.Context, howLong time.Duration) error {
	if howLong <= 0 {
		return nil
	}
	timer := time.NewTimer(howLong)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-p.closed:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// await waits until something was seen, or the time is up. Requests count from
// the entry into the callback.
func (p *Play) await(ctx context.Context, what string, entry *executionData, limit time.Duration) error {
	before := 0
	if what == "request" {
		before = entry.Began.Requests
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		p.mutex.Lock()
		changed, seen := p.changed, p.seen(what, entry.ExecutionID)
		p.mutex.Unlock()
		if seen > before {
			return nil
		}
		select {
		case <-changed:
		case <-timer.C:
			return nil
		case <-p.closed:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// notify wakes those who wait for something to be seen; the mutex is held.
func (p *Play) notify() {
	close(p.changed)
	p.changed = make(chan struct{})
}
