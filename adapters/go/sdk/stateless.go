package toolassay

import (
	"context"
	"encoding/json"
)

type outcomeData struct {
	Status     string `json:"status"`
	Stored     *text  `json:"stored,omitempty"`
	Executable *text  `json:"executable,omitempty"`
}

type statelessData struct {
	Status  string      `json:"status"`
	Outcome outcomeData `json:"outcome"`
}

func (s *session) eventValidate(ctx context.Context, params json.RawMessage) (any, *fault) {
	var given operationParams
	if found := readParams(params, &given); found != nil {
		return nil, found
	}
	if given.Event == nil {
		return nil, &fault{code: codeWrongParams, message: "params has no event"}
	}
	validator, has := s.adapter.(EventValidator)
	if !has {
		return unsupported("the adapter validates no events"), nil
	}
	_, thrown := try(func() (struct{}, error) {
		return struct{}{}, validator.EventValidate(ctx, []byte(*given.Event))
	})
	if thrown != nil {
		return thrown.result()
	}
	return statelessData{"ok", outcomeData{Status: "ok"}}, nil
}

func (s *session) argumentsSanitize(ctx context.Context, params json.RawMessage) (any, *fault) {
	var given operationParams
	if found := readParams(params, &given); found != nil {
		return nil, found
	}
	if given.Arguments == nil {
		return nil, &fault{code: codeWrongParams, message: "params has no arguments"}
	}
	sanitizer, has := s.adapter.(ArgumentsSanitizer)
	if !has {
		return unsupported("the adapter sanitizes no arguments"), nil
	}
	views, thrown := try(func() (Sanitized, error) {
		return sanitizer.ArgumentsSanitize(ctx, []byte(*given.Arguments))
	})
	if thrown != nil {
		return thrown.result()
	}
	stored, executable := text(views.Stored), text(views.Executable)
	return statelessData{"ok", outcomeData{"ok", &stored, &executable}}, nil
}
