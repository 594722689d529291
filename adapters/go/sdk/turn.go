package toolassay

import (
	"context"
	"encoding/json"
	"time"
)

// deadlineDefault is the deadline of a request that names none, in milliseconds.
const deadlineDefault = 10_000

// operationParams are the params of any operation.
type operationParams struct {
	Seed       int64           `json:"seed"`
	DeadlineMS *int64          `json:"deadline_ms"`
	Scenario   json.RawMessage `json:"scenario"`
	Event      *text           `json:"event"`
	Arguments  *text           `json:"arguments"`
}

func (p operationParams) deadline() time.Duration {
	if p.DeadlineMS == nil {
		return deadlineDefault * time.Millisecond
	}
	const most = 24 * time.Hour / time.Millisecond
	return time.Duration(min(max(*p.DeadlineMS, 0), int64(most))) * time.Millisecond
}

func (s *session) turnRun(ctx context.Context, params json.RawMessage) (any, *fault) {
	var given operationParams
	if found := readParams(params, &given); found != nil {
		return nil, found
	}
	if given.Scenario == nil {
		return nil, &fault{code: codeWrongParams, message: "params has no scenario"}
	}
	runner, has := s.adapter.(TurnRunner)
	if !has {
		return unsupported("the adapter plays no turns"), nil
	}
	play, err := NewPlay(given.Scenario, given.Seed, s.info.Facets, given.deadline())
	if err != nil {
		return nil, &fault{code: codeWrongParams, message: err.Error()}
	}
	ctx, cancel := context.WithCancel(ctx)
	seen, thrown := try(func() (*Observation, error) { return runner.TurnRun(ctx, play) })
	play.Close()
	cancel()
	return outcomeOf(play, seen, thrown)
}

// outcomeOf says how a play came out. The implementation may have swallowed a
// mistake of the adapter, or that it gave up.
func outcomeOf(play *Play, seen *Observation, thrown *thrownError) (any, *fault) {
	wrong, limit := play.notes()
	if wrong != "" {
		found := &fault{code: codeAdapterFault, message: wrong}
		if thrown != nil {
			found.detail = thrown.stack
		}
		return nil, found
	}
	if limit != "" {
		return unsupported(limit), nil
	}
	if thrown != nil {
		return thrown.result()
	}
	if seen == nil || seen.data == nil {
		words := "TurnRun gave no observation; it returns what play.Observation gives"
		return nil, &fault{code: codeAdapterFault, message: words}
	}
	return struct {
		Status      string       `json:"status"`
		Observation *Observation `json:"observation"`
	}{"ok", seen}, nil
}

func (p *Play) notes() (string, string) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.fault, p.unsupported
}
