package toolassay

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// The statuses of a facet: whether all that happened is in it, or why not.
const (
	// Complete: all is in it.
	Complete = "complete"
	// Aborted: what it shows was given up.
	Aborted = "aborted"
	// Cut: only a part was kept.
	Cut = "cut"
	// Unsubscribed: its reader stopped by itself.
	Unsubscribed = "unsubscribed"
	// TimedOut: it was still open when its reader gave up.
	TimedOut = "deadline"
)

var (
	facetNames = []string{History, Requests, Executions, Deliveries, Journal, Ending}
	statuses   = []string{Complete, Aborted, Cut, Unsubscribed, TimedOut}
)

// Observation is what one run let us see, made by [Play.Observation].
type Observation struct{ data json.RawMessage }

// MarshalJSON gives the observation as the kit reads it.
func (o *Observation) MarshalJSON() ([]byte, error) { return o.data, nil }

// ObservationOption says more of an observation.
type ObservationOption func(*observationOptions)

type observationOptions struct {
	encoding *Encoding
	status   map[string][2]string
	omitted  map[string]string
}

// WithEncoding adds what the implementation's own codec made of its history:
// [EncodingOf].
func WithEncoding(encoding *Encoding) ObservationOption {
	return func(given *observationOptions) { given.encoding = encoding }
}

// WithStatus gives a facet a status that is not [Complete], and why.
func WithStatus(facet, status, why string) ObservationOption {
	return func(given *observationOptions) { given.status[facet] = [2]string{status, why} }
}

// Omit leaves out a declared facet that this run cannot show, with the reason.
func Omit(facet, why string) ObservationOption {
	return func(given *observationOptions) { given.omitted[facet] = Printable(why) }
}

// facetData is any facet; what does not belong to it is left out.
type facetData struct {
	Messages      *[]messageData      `json:"messages,omitempty"`
	Requests      *[][]messageData    `json:"requests,omitempty"`
	Executions    *[]executionData    `json:"executions,omitempty"`
	Subscriptions *[]subscriptionData `json:"subscriptions,omitempty"`
	Records       *[]recordData       `json:"records,omitempty"`
	Turns         *[]turnData         `json:"turns,omitempty"`
	Arguments     string              `json:"arguments,omitempty"`
	Encoding      *Encoding           `json:"encoding,omitempty"`
	Status        string              `json:"status,omitempty"`
	Why           string              `json:"why,omitempty"`
}

type subscriptionData struct {
	Name       string         `json:"name"`
	Deliveries []deliveryData `json:"deliveries"`
	Status     string         `json:"status,omitempty"`
	Why        string         `json:"why,omitempty"`
	Error      *string        `json:"error,omitempty"`
}

// Observation assembles what was seen. The history is the messages that the
// implementation has committed; it is shown where [History] is declared, also if
// it is empty.
//
// Errors: [Misuse] if there is no such facet or status, or a message is none.
func (p *Play) Observation(history []Message, options ...ObservationOption) (*Observation, error) {
	given := observationOptions{status: map[string][2]string{}, omitted: map[string]string{}}
	for _, option := range options {
		option(&given)
	}
	if err := given.check(); err != nil {
		return nil, p.misuse(err)
	}
	messages, how, err := normalise(history)
	if err != nil {
		return nil, p.misuse(err)
	}
	facets := p.facetData()
	facets[History] = facetData{Messages: &messages, Arguments: how.word(), Encoding: given.encoding}
	shown := map[string]any{}
	for name, facet := range facets {
		if status, has := given.status[name]; has {
			facet.Status, facet.Why = status[0], Printable(status[1])
		}
		_, isOmitted := given.omitted[name]
		if !isOmitted && (p.facets == nil || slices.Contains(p.facets, name)) {
			shown[name] = facet
		}
	}
	if len(given.omitted) > 0 {
		shown["omitted"] = given.omitted
	}
	data, err := plainJSON(shown)
	if err != nil {
		return nil, p.misuse(&Misuse{"the observation is no JSON: " + ErrorOf(err)})
	}
	return &Observation{data}, nil
}

// facetData gives what was recorded, by facet.
func (p *Play) facetData() map[string]facetData {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	requests := append([][]messageData{}, p.requests...)
	ran := make([]executionData, 0, len(p.executions))
	for _, entry := range p.executions {
		ran = append(ran, *entry)
	}
	facets := map[string]facetData{
		Requests:   {Requests: &requests, Arguments: p.shownAs.word()},
		Executions: {Executions: &ran, Arguments: p.ranWith},
	}
	if len(p.turns) > 0 {
		turns := slices.Clone(p.turns)
		facets[Ending] = facetData{Turns: &turns}
	}
	if p.reports(Journal) {
		records := append([]recordData{}, p.journal...)
		facets[Journal] = facetData{Records: &records}
	}
	if p.reports(Deliveries) {
		subscriptions := p.subscriptions()
		facets[Deliveries] = facetData{Subscriptions: &subscriptions}
	}
	return facets
}

func (p *Play) subscriptions() []subscriptionData {
	var all []subscriptionData
	for _, one := range p.Subscribers {
		end := p.ends[one.Name]
		all = append(all, subscriptionData{
			Name:       one.Name,
			Deliveries: append([]deliveryData{}, p.deliveries[one.Name]...),
			Status:     end.status,
			Why:        end.why,
			Error:      end.err,
		})
	}
	return all
}

// check refuses what would be lost without a word.
func (o observationOptions) check() error {
	named := slices.Concat(slices.Sorted(maps.Keys(o.omitted)), slices.Sorted(maps.Keys(o.status)))
	for _, facet := range named {
		if !slices.Contains(facetNames, facet) {
			return &Misuse{fmt.Sprintf("there is no facet %q", Printable(facet))}
		}
	}
	for facet, status := range o.status {
		if !slices.Contains(statuses, status[0]) {
			return &Misuse{fmt.Sprintf("the status of %s is %q, which is none", facet, Printable(status[0]))}
		}
	}
	return nil
}

// Encoding is what an implementation's own codec made of its history.
type Encoding struct {
	// OK is true if the history encoded.
	OK bool
	// Error is the native error where it did not encode, or did not decode again.
	Error string
	// Text is the encoded history; any bytes.
	Text *string
	// RoundTrips is true if decoding gave the same messages, false if it failed
	// or differed; nil if it was not tried.
	RoundTrips *bool
}

// MarshalJSON gives the encoding as the kit reads it.
func (e *Encoding) MarshalJSON() ([]byte, error) {
	data := struct {
		OK         bool   `json:"ok"`
		Error      string `json:"error,omitempty"`
		Text       *text  `json:"text,omitempty"`
		RoundTrips *bool  `json:"round_trips,omitempty"`
	}{OK: e.OK, Error: Printable(e.Error), RoundTrips: e.RoundTrips}
	if e.Text != nil {
		given := text(*e.Text)
		data.Text = &given
	}
	return plainJSON(data)
}

// EncodingOf tries the implementation's own codec on its history: the one with
// which the library stores a conversation, with its own settings. The first
// function encodes the history. The second, which may be nil, decodes it and
// says whether the same messages came back; encoding them again and comparing
// the texts is safest. A panic in either counts as its error.
func EncodingOf(encode func() ([]byte, error), returnsSame func([]byte) (bool, error)) *Encoding {
	data, err := guarded(encode)
	if err != nil {
		return &Encoding{Error: ErrorOf(err)}
	}
	written := string(data)
	result := &Encoding{OK: true, Text: &written}
	if returnsSame != nil {
		same, err := guarded(func() (bool, error) { return returnsSame(data) })
		same = same && err == nil
		result.RoundTrips, result.Error = &same, ErrorOf(err)
	}
	return result
}

func guarded[T any](try func() (T, error)) (result T, err error) {
	defer func() {
		if thrown := recover(); thrown != nil {
			err = fmt.Errorf("panic: %v", thrown)
		}
	}()
	return try()
}
