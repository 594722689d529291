package toolassay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// session is one adapter, and the requests to it.
type session struct {
	adapter     Adapter
	info        Info
	initialised bool
}

// answer answers one line with one line, whatever happens; it tells whether that
// was the last.
func (s *session) answer(ctx context.Context, one line) ([]byte, bool) {
	if one.tooLong {
		words := fmt.Sprintf("the line has more than %d bytes", LineMax)
		return writeFault(json.RawMessage("null"), &fault{code: codeNoRequest, message: words}), false
	}
	given, found := readRequest(one.data)
	if found != nil {
		return writeFault(given.id, found), false
	}
	result, found := s.dispatch(ctx, given)
	if found != nil {
		return writeFault(given.id, found), false
	}
	return writeResult(given.id, result), given.method == "shutdown"
}

func (s *session) dispatch(ctx context.Context, given request) (any, *fault) {
	switch given.method {
	case "initialize":
		return s.initialize(given.params)
	case "shutdown":
		return statusData{Status: "ok"}, readParams(given.params, &struct{}{})
	case TurnRunOperation, EventValidateOperation, ArgumentsSanitizeOperation, "reset":
		if !s.initialised {
			return nil, &fault{code: codeNoRequest, message: given.method + " before initialize"}
		}
	default:
		words := fmt.Sprintf("unknown method %q", Printable(given.method))
		return nil, &fault{code: codeNoMethod, message: words}
	}
	switch given.method {
	case TurnRunOperation:
		return s.turnRun(ctx, given.params)
	case EventValidateOperation:
		return s.eventValidate(ctx, given.params)
	case ArgumentsSanitizeOperation:
		return s.argumentsSanitize(ctx, given.params)
	}
	return s.reset(ctx, given.params)
}

type infoData struct {
	Protocol      int      `json:"protocol"`
	Name          string   `json:"name"`
	Version       string   `json:"version"`
	Operations    []string `json:"operations"`
	Facets        []string `json:"facets"`
	Features      []string `json:"features"`
	Deterministic bool     `json:"deterministic"`
	Window        int      `json:"window"`
	Reset         bool     `json:"reset"`
}

func (s *session) initialize(params json.RawMessage) (any, *fault) {
	// Whatever version the kit speaks, the answer names ours; the kit decides.
	var asked struct {
		Protocol int `json:"protocol"`
	}
	if found := readParams(params, &asked); found != nil {
		return nil, found
	}
	info, thrown := try(func() (Info, error) { return s.adapter.Initialize() })
	if thrown != nil {
		words := "Initialize failed: " + ErrorOf(thrown.err) + thrown.where
		return nil, &fault{codeAdapterFault, words, thrown.stack}
	}
	if err := s.complete(&info); err != nil {
		return nil, &fault{code: codeAdapterFault, message: err.Error()}
	}
	s.info, s.initialised = info, true
	_, resets := s.adapter.(Resetter)
	return infoData{
		Protocol:      Protocol,
		Name:          info.Name,
		Version:       info.Version,
		Operations:    info.Operations,
		Facets:        info.Facets,
		Features:      info.Features,
		Deterministic: info.Deterministic,
		Window:        info.Window,
		Reset:         resets,
	}, nil
}

// complete fills in what an adapter may leave out, and refuses what cannot be.
func (s *session) complete(info *Info) error {
	_, plays := s.adapter.(TurnRunner)
	_, validates := s.adapter.(EventValidator)
	_, sanitizes := s.adapter.(ArgumentsSanitizer)
	has := map[string]bool{
		TurnRunOperation: plays, EventValidateOperation: validates, ArgumentsSanitizeOperation: sanitizes,
	}
	if info.Operations == nil {
		for _, word := range []string{TurnRunOperation, EventValidateOperation, ArgumentsSanitizeOperation} {
			if has[word] {
				info.Operations = append(info.Operations, word)
			}
		}
	}
	for _, word := range info.Operations {
		if isThere, isKnown := has[word]; isKnown && !isThere {
			return fmt.Errorf("%s is declared, and the adapter has no method for it", word)
		}
	}
	if info.Name == "" {
		return errors.New("Initialize gave no name of the implementation")
	}
	if info.Window == 0 {
		info.Window = DefaultWindow
	}
	if info.Window < 1 || info.Window > WindowMax {
		return fmt.Errorf("the window is %d; it is 1 to %d", info.Window, WindowMax)
	}
	// A list that is nil would be written as null, and a play take it for another thing.
	info.Operations = append([]string{}, info.Operations...)
	info.Facets = append([]string{}, info.Facets...)
	info.Features = append([]string{}, info.Features...)
	return nil
}

type statusData struct {
	Status string `json:"status"`
}

func (s *session) reset(ctx context.Context, params json.RawMessage) (any, *fault) {
	if found := readParams(params, &struct{}{}); found != nil {
		return nil, found
	}
	resetter, has := s.adapter.(Resetter)
	if !has {
		return nil, &fault{code: codeNoMethod, message: "the adapter has not declared reset"}
	}
	_, thrown := try(func() (struct{}, error) { return struct{}{}, resetter.Reset(ctx) })
	if thrown != nil {
		words := "Reset failed: " + ErrorOf(thrown.err) + thrown.where
		return nil, &fault{codeAdapterFault, words, thrown.stack}
	}
	return statusData{Status: "ok"}, nil
}
