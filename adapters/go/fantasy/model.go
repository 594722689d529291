package main

import (
	"context"
	"errors"
	"io"
	"iter"

	"charm.land/fantasy"
	toolassay "toolassay/sdk"
)

// scripted is the model that the agent is given. What it is shown is recorded
// here, before a client makes a provider's request of it; the reply then comes
// through the library's own client.
type scripted struct {
	fantasy.LanguageModel
	play *toolassay.Play
}

// Generate implements fantasy.LanguageModel.
func (s scripted) Generate(ctx context.Context, call fantasy.Call) (*fantasy.Response, error) {
	reply, err := s.play.Model(plain(call.Prompt))
	if err != nil {
		return nil, err
	}
	message := wireMessage{Role: "assistant"}
	if reply.Text != "" || len(reply.Calls) == 0 {
		message.Content = &reply.Text
	}
	for _, call := range reply.Calls {
		function := wireFunction{call.Name, call.Arguments}
		message.Calls = append(message.Calls, wireCall{nil, call.ID, "function", function})
	}
	return s.LanguageModel.Generate(with(ctx, whole(message)), call)
}

// Stream implements fantasy.LanguageModel.
func (s scripted) Stream(ctx context.Context, call fantasy.Call) (fantasy.StreamResponse, error) {
	fragments, err := s.play.Stream(ctx, plain(call.Prompt))
	if err != nil {
		return nil, err
	}
	next, stop := iter.Pull2(fragments)
	script := script{next: next, stop: stop}
	return s.LanguageModel.Stream(with(ctx, streamed(script.event, stop)), call)
}

// script turns the fragments of one reply into events.
type script struct {
	next  func() (toolassay.Fragment, error, bool)
	stop  func()
	begun bool
	calls bool
	ended bool
}

// cut gives the error of a stream that ends early: one that breaks is a
// connection that is cut.
func cut(err error) error {
	var broken *toolassay.StreamBroken
	if errors.As(err, &broken) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// event gives the next event, or the error that comes in its place.
func (s *script) event() ([]byte, error) {
	if !s.begun {
		s.begun = true
		nothing := ""
		return event(wireMessage{Role: "assistant", Content: &nothing}, nil), nil
	}
	if s.ended {
		return nil, io.EOF
	}
	fragment, err, more := s.next()
	switch {
	case err != nil:
		// Not every client closes a body that failed.
		s.stop()
		return nil, cut(err)
	case !more:
		s.ended = true
		return append(event(wireMessage{}, finish(s.calls)), "data: [DONE]\n\n"...), nil
	case fragment.Kind == toolassay.FragmentText:
		return event(wireMessage{Content: &fragment.Text}, nil), nil
	}
	s.calls = true
	call := wireCall{Index: &fragment.Index}
	if fragment.Kind == toolassay.FragmentCall {
		call.ID, call.Type, call.Function.Name = fragment.ID, "function", fragment.Name
	} else {
		call.Function.Arguments = fragment.Text
	}
	return event(wireMessage{Calls: []wireCall{call}}, nil), nil
}
