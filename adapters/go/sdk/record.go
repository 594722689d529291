package toolassay

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

type markData struct {
	Requests   int   `json:"requests"`
	Deliveries *int  `json:"deliveries,omitempty"`
	Journal    *int  `json:"journal,omitempty"`
	Streaming  *bool `json:"streaming,omitempty"`
}

type executionData struct {
	Tool        string    `json:"tool"`
	Arguments   text      `json:"arguments"`
	Began       markData  `json:"began"`
	ExecutionID string    `json:"execution_id,omitempty"`
	CallID      *string   `json:"call_id,omitempty"`
	Ended       *markData `json:"ended,omitempty"`
}

type deliveryData struct {
	Event      json.RawMessage `json:"event"`
	Durability string          `json:"class,omitempty"`
	Seq        *int64          `json:"seq,omitempty"`
	InJournal  *bool           `json:"in_journal,omitempty"`

	kind        string
	executionID string
}

type recordData struct {
	Seq   int64           `json:"seq"`
	Event json.RawMessage `json:"event"`
}

type turnData struct {
	Turn  int    `json:"turn"`
	How   string `json:"how"`
	Error string `json:"error"`
}

type subscriptionEnd struct {
	status string
	why    string
	err    *string
}

// mark says how far the facets have come; the mutex is held.
func (p *Play) mark() markData {
	mark := markData{Requests: len(p.requests), Streaming: p.streaming}
	if p.reports(Deliveries) {
		count := len(p.deliveries[p.Subscribers[0].Name])
		mark.Deliveries = &count
	}
	if p.reports(Journal) {
		count := len(p.journal)
		mark.Journal = &count
	}
	return mark
}

func (p *Play) enter(tool string, arguments Arguments, options []CallOption) (*executionData, error) {
	entry := &executionData{Tool: tool, Arguments: text(arguments.text)}
	for _, option := range options {
		option(entry)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.executions) >= ExecutionsMax {
		return nil, &TooMuch{fmt.Sprintf("more than %d executions in one scenario", ExecutionsMax)}
	}
	entry.Began = p.mark()
	p.executions = append(p.executions, entry)
	if arguments.isValue {
		p.ranWith = "value"
	}
	return entry, nil
}

func (p *Play) leave(entry *executionData) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	mark := p.mark()
	entry.Ended = &mark
}

// DeliveryOption says more of one delivery.
type DeliveryOption func(*deliveryOptions)

type deliveryOptions struct {
	subscriber string
	delivery   deliveryData
}

// To names the subscriber that got it; without it, the first one.
func To(subscriber string) DeliveryOption {
	return func(given *deliveryOptions) { given.subscriber = subscriber }
}

// Durability gives its class, `enduring` or `ephemeral`, where the form shows it.
func Durability(class string) DeliveryOption {
	return func(given *deliveryOptions) { given.delivery.Durability = class }
}

// Seq gives its journal sequence number, if it has one.
func Seq(number int64) DeliveryOption {
	return func(given *deliveryOptions) { given.delivery.Seq = &number }
}

// InJournal says whether the journal held it at this moment, where that is known.
func InJournal(isThere bool) DeliveryOption {
	return func(given *deliveryOptions) { given.delivery.InJournal = &isThere }
}

// Deliver records an event as a subscriber got it, with the contract's keys. It
// is written as JSON at once; texts in it that may be no UTF-8 are made by
// [TextOf].
//
// Errors: [Misuse] if there is no such subscriber, or the event is no JSON
// object; [TooMuch] beyond [EventsMax] events.
func (p *Play) Deliver(event map[string]any, options ...DeliveryOption) error {
	given := deliveryOptions{subscriber: p.Subscribers[0].Name}
	for _, option := range options {
		option(&given)
	}
	if !p.hasSubscriber(given.subscriber) {
		return p.misuse(&Misuse{fmt.Sprintf("there is no subscriber %q", Printable(given.subscriber))})
	}
	data, err := p.eventJSON(event)
	if err != nil {
		return err
	}
	given.delivery.Event = data
	given.delivery.kind, _ = event["type"].(string)
	given.delivery.executionID, _ = event["tool_execution_id"].(string)
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err := p.countEvent(); err != nil {
		return err
	}
	p.deliveries[given.subscriber] = append(p.deliveries[given.subscriber], given.delivery)
	p.notify()
	return nil
}

// SubscriptionEnded records how a subscription ended: its status (see
// [WithStatus]), why, and the error of its stream, if it ended in one.
func (p *Play) SubscriptionEnded(subscriber, status, why string, err error) error {
	if !p.hasSubscriber(subscriber) {
		return p.misuse(&Misuse{fmt.Sprintf("there is no subscriber %q", Printable(subscriber))})
	}
	if !slices.Contains(statuses, status) {
		return p.misuse(&Misuse{fmt.Sprintf("there is no status %q", Printable(status))})
	}
	end := subscriptionEnd{status: status, why: Printable(why)}
	if err != nil {
		words := ErrorOf(err)
		end.err = &words
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.ends[subscriber] = end
	return nil
}

// Journalled records a durable record of the journal. The errors are those of
// [Play.Deliver].
func (p *Play) Journalled(seq int64, event map[string]any) error {
	data, err := p.eventJSON(event)
	if err != nil {
		return err
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if err := p.countEvent(); err != nil {
		return err
	}
	p.journal = append(p.journal, recordData{seq, data})
	return nil
}

// Ended records the end of a turn: its number, from 0; how it ended, [Done],
// [Failed] or [Interrupted]; and the native error of a turn that failed. A
// mistake in it is reported as the adapter's.
func (p *Play) Ended(turn int, how string, err error) {
	if how != Done && how != Failed && how != Interrupted {
		words := fmt.Sprintf("a turn ended %q; the words are done, failed, interrupted", Printable(how))
		_ = p.misuse(&Misuse{words})
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if len(p.turns) < TurnsMax {
		p.turns = append(p.turns, turnData{turn, how, ErrorOf(err)})
	}
}

// Seen counts what a tool can wait for: `request` for all model requests; else
// a type of event, counted at the first subscriber since the latest model
// request. Events of other executions are not counted.
func (p *Play) Seen(what, executionID string) int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.seen(what, executionID)
}

func (p *Play) seen(what, executionID string) int {
	if what == "request" {
		return len(p.requests)
	}
	count := 0
	for _, item := range p.deliveries[p.Subscribers[0].Name][p.stepStart:] {
		if item.kind == what && (item.executionID == "" || item.executionID == executionID) {
			count++
		}
	}
	return count
}

func (p *Play) hasSubscriber(name string) bool {
	return slices.ContainsFunc(p.Subscribers, func(one Subscriber) bool { return one.Name == name })
}

func (p *Play) eventJSON(event map[string]any) (json.RawMessage, error) {
	written := valueText(event)
	switch {
	case !utf8.ValidString(written):
		return nil, p.misuse(&Misuse{"a string of an event is no UTF-8; make it with TextOf"})
	case event == nil || written[0] != '{' || !json.Valid([]byte(written)):
		return nil, p.misuse(&Misuse{fmt.Sprintf("an event is no JSON object: %.200s", written)})
	}
	return json.RawMessage(written), nil
}

// countEvent counts one more event; the mutex is held.
func (p *Play) countEvent() error {
	if p.events >= EventsMax {
		return &TooMuch{fmt.Sprintf("more than %d events in one scenario", EventsMax)}
	}
	p.events++
	return nil
}

// reports tells whether a facet is to be shown; the mutex is held.
func (p *Play) reports(facet string) bool {
	if p.facets != nil {
		return slices.Contains(p.facets, facet)
	}
	if facet == Journal {
		return len(p.journal) > 0
	}
	return len(p.deliveries) > 0
}
