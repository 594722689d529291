package toolassay

import (
	"context"
	"fmt"
	"iter"
	"time"
	"unicode/utf8"
)

// ModelOption says how a reply is wanted.
type ModelOption func(*modelOptions)

type modelOptions struct{ asBytes bool }

// AsBytes says that arguments may be any bytes: no valid UTF-8 as a whole, or a
// fragment that ends inside a character. An adapter whose library takes them so
// declares [StreamBytes].
func AsBytes(options *modelOptions) { options.asBytes = true }

// Model answers a model request with a whole reply. When the replies are used up
// the model says `done`.
//
// The messages are what the model is shown: the facet [Requests].
//
// Errors: [Unsupported] if the scenario wants this reply streamed or its
// arguments are no text, [TooMuch] beyond [RequestsMax] requests, [Misuse] if a
// message is none. Return the error to the implementation, as the failure of its
// model; it is noted here.
func (p *Play) Model(messages []Message, options ...ModelOption) (Reply, error) {
	wanted := optionsOf(options)
	reply, err := p.nextReply(messages)
	if err != nil {
		return Reply{}, err
	}
	if reply.Streamed {
		return Reply{}, p.GiveUp("the reply is streamed, and the adapter asked for a whole one")
	}
	for _, call := range reply.Calls {
		if !wanted.asBytes && !utf8.ValidString(call.Arguments) {
			return Reply{}, p.GiveUp("arguments are no text")
		}
	}
	p.setStreaming(false)
	return reply, nil
}

// Stream answers a model request in fragments: the text, then each call in turn.
// Read it to the end, as a library would; it can be read once.
//
// The sequence yields [StreamBroken] as its last item if the stream fails in
// place of its end, and the error of the context if that is done while the
// stream stalls.
//
// Errors: [Unsupported] if a fragment of arguments is no text; the others are
// those of [Play.Model].
func (p *Play) Stream(
	ctx context.Context, messages []Message, options ...ModelOption,
) (iter.Seq2[Fragment, error], error) {
	wanted := optionsOf(options)
	reply, err := p.nextReply(messages)
	if err != nil {
		return nil, err
	}
	fragments, err := p.fragments(reply, wanted.asBytes)
	if err != nil {
		return nil, err
	}
	p.setStreaming(true)
	wasRead := false
	return func(yield func(Fragment, error) bool) {
		if wasRead {
			return
		}
		wasRead = true
		defer p.setStreaming(false)
		for _, fragment := range fragments {
			if !yield(fragment, nil) {
				return
			}
		}
		if err := p.sleep(ctx, time.Duration(reply.Stall)*Tick); err != nil {
			yield(Fragment{}, err)
			return
		}
		if reply.Breaks {
			yield(Fragment{}, &StreamBroken{})
		}
	}, nil
}

func optionsOf(options []ModelOption) modelOptions {
	var wanted modelOptions
	for _, option := range options {
		option(&wanted)
	}
	return wanted
}

func (p *Play) nextReply(messages []Message) (Reply, error) {
	plain, how, err := normalise(messages)
	if err != nil {
		return Reply{}, p.misuse(err)
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	number := len(p.requests)
	if number >= RequestsMax {
		return Reply{}, &TooMuch{fmt.Sprintf("more than %d model requests in one scenario", RequestsMax)}
	}
	p.requests = append(p.requests, plain)
	p.stepStart = len(p.deliveries[p.Subscribers[0].Name])
	p.shownAs.texts = p.shownAs.texts || how.texts
	p.shownAs.values = p.shownAs.values || how.values
	p.notify()
	if number < len(p.Replies) {
		return p.Replies[number], nil
	}
	return Reply{Text: "done"}, nil
}

func (p *Play) fragments(reply Reply, asBytes bool) ([]Fragment, error) {
	var fragments []Fragment
	if reply.Text != "" {
		fragments = append(fragments, Fragment{Kind: FragmentText, Text: reply.Text})
	}
	for index, call := range reply.Calls {
		fragments = append(fragments, Fragment{FragmentCall, "", index, call.ID, call.Name})
		for _, piece := range piecesOf(call.Arguments, call.Cuts) {
			if !asBytes && !utf8.ValidString(piece) {
				return nil, p.GiveUp("a fragment of arguments is no text")
			}
			fragments = append(fragments, Fragment{FragmentArguments, piece, index, call.ID, call.Name})
		}
	}
	return fragments, nil
}

func (p *Play) setStreaming(isOn bool) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.streaming = &isOn
}
