package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"charm.land/fantasy"
	"charm.land/fantasy/providers/openaicompat"
)

// This file is the far end of the wire: it answers the library's own client of
// OpenAI-compatible services within the process. What joins the fragments of a
// streamed reply is that client; a model of ours, given to the agent directly,
// would have to join them itself, and would be judged in the library's place.

// served is the reply that the next round trip of a context gets.
type served struct{}

// answer makes the response to one round trip.
type answer func() *http.Response

// with gives a context whose round trip is answered with a reply.
func with(ctx context.Context, reply answer) context.Context {
	return context.WithValue(ctx, served{}, reply)
}

// transport answers round trips with what their context holds. No connection is made.
type transport struct{}

// RoundTrip implements http.RoundTripper.
func (transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Body != nil {
		defer request.Body.Close()
	}
	reply, ok := request.Context().Value(served{}).(answer)
	if !ok {
		return nil, errors.New("a request without a scripted reply")
	}
	response := reply()
	response.Request = request
	return response, nil
}

// client makes the library's model for OpenAI-compatible services.
func client(ctx context.Context) (fantasy.LanguageModel, error) {
	provider, err := openaicompat.New(
		openaicompat.WithBaseURL("http://model.invalid/v1"),
		openaicompat.WithAPIKey("scripted"),
		openaicompat.WithHTTPClient(&http.Client{Transport: transport{}}),
	)
	if err != nil {
		return nil, err
	}
	return provider.LanguageModel(ctx, "scripted")
}

// The parts of chat completions that a reply needs.
type (
	wireReply struct {
		ID      string       `json:"id"`
		Object  string       `json:"object"`
		Model   string       `json:"model"`
		Choices []wireChoice `json:"choices"`
	}
	wireChoice struct {
		Index   int          `json:"index"`
		Message *wireMessage `json:"message,omitempty"`
		Delta   *wireMessage `json:"delta,omitempty"`
		Finish  *string      `json:"finish_reason"`
	}
	wireMessage struct {
		Role    string     `json:"role,omitempty"`
		Content *string    `json:"content,omitempty"`
		Calls   []wireCall `json:"tool_calls,omitempty"`
	}
	wireCall struct {
		Index    *int         `json:"index,omitempty"`
		ID       string       `json:"id,omitempty"`
		Type     string       `json:"type,omitempty"`
		Function wireFunction `json:"function"`
	}
	wireFunction struct {
		Name      string `json:"name,omitempty"`
		Arguments string `json:"arguments"`
	}
)

// finish says why a reply ended.
func finish(calls bool) *string {
	reason := "stop"
	if calls {
		reason = "tool_calls"
	}
	return &reason
}

// whole answers with a reply in one piece.
func whole(message wireMessage) answer {
	choice := wireChoice{Message: &message, Finish: finish(len(message.Calls) > 0)}
	return respond("application/json", io.NopCloser(bytes.NewReader(encoded(
		wireReply{"scripted", "chat.completion", "scripted", []wireChoice{choice}}))))
}

// event is one server-sent event with a piece of a reply.
func event(delta wireMessage, end *string) []byte {
	choice := wireChoice{Delta: &delta, Finish: end}
	data := encoded(wireReply{"scripted", "chat.completion.chunk", "scripted", []wireChoice{choice}})
	return append(append([]byte("data: "), data...), "\n\n"...)
}

// streamed answers with events; next gives them, and an error in place of the end.
func streamed(next func() ([]byte, error), stop func()) answer {
	return respond("text/event-stream", &events{next: next, stop: stop})
}

func respond(kind string, body io.ReadCloser) answer {
	return func() *http.Response {
		return &http.Response{
			Status:     "200 OK",
			StatusCode: http.StatusOK,
			Proto:      "HTTP/1.1",
			ProtoMajor: 1,
			ProtoMinor: 1,
			Header:     http.Header{"Content-Type": {kind}},
			Body:       body,
		}
	}
}

// encoded writes what has no way to fail: strings, numbers, lists.
func encoded(reply wireReply) []byte {
	data, err := json.Marshal(reply)
	if err != nil {
		panic(err)
	}
	return data
}

// events is a body that gives each event when it is read, and not before.
type events struct {
	next func() ([]byte, error)
	stop func()
	rest []byte
}

// Read implements io.Reader: at most one event at a time.
func (e *events) Read(buffer []byte) (int, error) {
	for len(e.rest) == 0 {
		event, err := e.next()
		if err != nil {
			return 0, err
		}
		e.rest = event
	}
	count := copy(buffer, e.rest)
	e.rest = e.rest[count:]
	return count, nil
}

// Close implements io.Closer.
func (e *events) Close() error {
	e.stop()
	return nil
}
