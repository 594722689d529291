package toolassay

import "context"

// Protocol is the version of the adapter protocol that this package speaks.
const Protocol = 1

// Operations: what an adapter can be asked.
const (
	// TurnRunOperation plays a scenario: [TurnRunner].
	TurnRunOperation = "turn/run"
	// EventValidateOperation decodes and validates one event: [EventValidator].
	EventValidateOperation = "event/validate"
	// ArgumentsSanitizeOperation gives the two views of arguments: [ArgumentsSanitizer].
	ArgumentsSanitizeOperation = "arguments/sanitize"
)

// Facets: what an observation of a play can have.
const (
	// History is the committed messages, in order.
	History = "history"
	// Requests is what the model was shown, per request.
	Requests = "requests"
	// Executions is the entries into the callbacks of tools.
	Executions = "executions"
	// Deliveries is the events as the subscribers got them.
	Deliveries = "deliveries"
	// Journal is the durable records.
	Journal = "journal"
	// Ending is how the turns ended.
	Ending = "ending"
)

// Features: what a scenario may ask of an implementation and its adapter.
const (
	// Policy: tools can be denied ([Tool.Denied]).
	Policy = "policy"
	// Parallel: the model may make several calls in one reply.
	Parallel = "parallel"
	// Sequential: the calls of one reply can be made to run one after the other.
	Sequential = "sequential"
	// StreamText: replies can arrive in fragments, and the library joins them.
	StreamText = "stream-text"
	// StreamBytes: arguments can be given as bytes ([AsBytes]).
	StreamBytes = "stream-bytes"
	// StreamBreaks: a stream may fail in place of its end.
	StreamBreaks = "stream-breaks"
	// StreamStall: a stream may stop for a while before its end.
	StreamStall = "stream-stall"
	// Subscribers: there can be several listeners to events.
	Subscribers = "subscribers"
	// Stall: a listener may stop reading.
	Stall = "stall"
	// NextTurn: a conversation can go on with a second user message.
	NextTurn = "next-turn"
	// Raises: a tool may throw; in Go, its callback returns an error.
	Raises = "raises"
	// Hangs: a tool may never return, and the implementation gives it up.
	Hangs = "hangs"
	// Waits: a tool may wait for the next request or an event while others run.
	Waits = "waits"
)

// Info is what an adapter says of itself. What is not declared is not asked;
// what is declared and does not come is a failure.
type Info struct {
	// Name is the name of the implementation, not of the adapter.
	Name string
	// Version is its version.
	Version string
	// Operations are what can be asked; nil for all that the adapter has methods for.
	Operations []string
	// Facets are what its observations have.
	Facets []string
	// Features are what a scenario may ask of it.
	Features []string
	// Deterministic is true if the same scenario and seed give the same
	// observation, byte for byte.
	Deterministic bool
	// Window is the number of requests that may be sent before the first of
	// them is answered, 1 to 64; 0 for [DefaultWindow].
	Window int
}

// DefaultWindow is the window of an adapter that names none.
const DefaultWindow = 16

// WindowMax is the largest window.
const WindowMax = 64

// Adapter is what every adapter has. It also has at least one of [TurnRunner],
// [EventValidator] and [ArgumentsSanitizer], and may have [Resetter]. Its
// methods are called one at a time.
type Adapter interface {
	// Initialize says what the implementation is and what can be asked of it.
	// It is called once, before anything else.
	Initialize() (Info, error)
}

// TurnRunner plays scenarios.
type TurnRunner interface {
	// TurnRun plays one scenario and gives what [Play.Observation] makes of it.
	// The context is cancelled when TurnRun returns; it has no deadline, since
	// an implementation that waits for ever is a finding.
	TurnRun(ctx context.Context, play *Play) (*Observation, error)
}

// EventValidator is the implementation's decoder and validator of events.
type EventValidator interface {
	// EventValidate returns nil if the event is accepted and [Rejected] if it
	// is refused. The bytes are JSON, or not; they may be no valid UTF-8.
	EventValidate(ctx context.Context, event []byte) error
}

// ArgumentsSanitizer gives the two views of the arguments of a call.
type ArgumentsSanitizer interface {
	// ArgumentsSanitize takes the raw argument text of a model.
	ArgumentsSanitize(ctx context.Context, arguments []byte) (Sanitized, error)
}

// Resetter brings an adapter back to its first state. An adapter that has it
// is reset before every case.
type Resetter interface {
	// Reset forgets what earlier requests left behind.
	Reset(ctx context.Context) error
}

// Sanitized is the two views of the arguments of a call, as text.
type Sanitized struct {
	// Stored is what the committed message would hold.
	Stored string
	// Executable is what execution would be given.
	Executable string
}
