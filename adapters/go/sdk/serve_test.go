package toolassay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

type testAdapter struct {
	info Info
	turn func(ctx context.Context, play *Play) (*Observation, error)
}

func (a testAdapter) Initialize() (Info, error) { return a.info, nil }

func (a testAdapter) TurnRun(ctx context.Context, play *Play) (*Observation, error) {
	return a.turn(ctx, play)
}

func (testAdapter) EventValidate(_ context.Context, event []byte) error {
	switch string(event) {
	case "panic":
		return []error{}[len(event)]
	case "refuse":
		return fmt.Errorf("wrapped: %w", &Rejected{Code: "c", Field: "f", Native: errors.New("\xff")})
	}
	return nil
}

func (testAdapter) ArgumentsSanitize(_ context.Context, arguments []byte) (Sanitized, error) {
	return Sanitized{Stored: "{}", Executable: string(arguments)}, nil
}

// said gives the answers to lines as JSON data.
func said(t *testing.T, adapter Adapter, lines ...string) []any {
	t.Helper()
	var sink bytes.Buffer
	if err := Serve(adapter, strings.NewReader(strings.Join(lines, "\n")), &sink); err != nil {
		t.Fatal(err)
	}
	var answers []any
	for _, one := range strings.SplitAfter(sink.String(), "\n") {
		if one == "" {
			continue
		}
		var answer any
		if err := json.Unmarshal([]byte(one), &answer); err != nil {
			t.Fatalf("%q is no JSON: %v", one, err)
		}
		answers = append(answers, answer)
	}
	return answers
}

func ask(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
}

var begin = ask("initialize", `{"protocol":1}`)

// turn gives the answer to one turn/run of an adapter.
func turn(t *testing.T, run func(ctx context.Context, play *Play) (*Observation, error)) any {
	t.Helper()
	adapter := testAdapter{Info{Name: "a", Facets: []string{History}}, run}
	return said(t, adapter, begin, ask("turn/run", `{"scenario":{"model":[]}}`))[1]
}

func TestInitializeSaysWhatTheAdapterCanDo(t *testing.T) {
	found := at(said(t, testAdapter{info: Info{Name: "a"}}, begin)[0], "result")
	data, _ := json.Marshal(found)
	expect(t, string(data), `{"deterministic":false,"facets":[],"features":[],"name":"a",`+
		`"operations":["turn/run","event/validate","arguments/sanitize"],"protocol":1,`+
		`"reset":false,"version":"","window":16}`)
}

type only struct{ info Info }

func (o only) Initialize() (Info, error) { return o.info, nil }

func TestWhatIsDeclaredAndNotThereIsAFaultOfTheAdapter(t *testing.T) {
	for _, info := range []Info{
		{},
		{Name: "a", Operations: []string{TurnRunOperation}},
		{Name: "a", Window: 65},
	} {
		expect(t, at(said(t, only{info}, begin)[0], "error", "code"), codeAdapterFault)
	}
}

func TestALineThatIsNoRequestIsAnsweredAndForgotten(t *testing.T) {
	lines := map[string]int{
		`no JSON`:                                codeNoJSON,
		``:                                       codeNoJSON,
		"\"\xff\"":                               codeNoJSON,
		`[]`:                                     codeNoRequest,
		`null`:                                   codeNoRequest,
		`{"jsonrpc":"2.0","method":"shutdown"}`:  codeNoRequest,
		`{"jsonrpc":"2.0","id":1.5}`:             codeNoRequest,
		`{"jsonrpc":"1.0","id":1}`:               codeNoRequest,
		`{"jsonrpc":"2.0","id":1,"method":7}`:    codeNoRequest,
		`{"jsonrpc":"2.0","id":1,"method":null}`: codeNoMethod,
		ask("turn/run", `{}`):                    codeNoRequest,
		ask("no/such", `{}`):                     codeNoMethod,
		ask("initialize", `[]`):                  codeWrongParams,
		ask("initialize", `null`):                codeWrongParams,
		ask("initialize", `{"protocol":"1"}`):    codeWrongParams,
		ask("shutdown", `1`):                     codeWrongParams,
	}
	for one, code := range lines {
		answers := said(t, testAdapter{info: Info{Name: "a"}}, one, begin)
		expect(t, len(answers), 2)
		expect(t, at(answers[0], "error", "code"), code)
		expect(t, at(answers[1], "result", "name"), "a")
	}
}

func TestWrongParamsOfOperationsAreRefused(t *testing.T) {
	for _, one := range []string{
		ask("turn/run", `{}`), ask("turn/run", `{"scenario":1}`), ask("turn/run", `{"scenario":{"model":[]},"seed":"x"}`),
		ask("event/validate", `{}`), ask("event/validate", `{"event":7}`),
		ask("arguments/sanitize", `{"arguments":{"base64":"?"}}`),
	} {
		expect(t, at(said(t, testAdapter{info: Info{Name: "a"}}, begin, one)[1], "error", "code"), codeWrongParams)
	}
}

func TestResetIsAMethodOfThoseThatDeclareIt(t *testing.T) {
	expect(t, at(said(t, testAdapter{info: Info{Name: "a"}}, begin, ask("reset", `{}`))[1], "error", "code"), codeNoMethod)

	answers := said(t, resetting{only{Info{Name: "a"}}}, begin, ask("reset", `{}`))
	expect(t, at(answers[0], "result", "reset"), true)
	expect(t, at(answers[1], "result", "status"), "ok")
}

type resetting struct{ only }

func (resetting) Reset(context.Context) error { return nil }

func TestNothingIsAnsweredAfterShutdown(t *testing.T) {
	answers := said(t, testAdapter{info: Info{Name: "a"}}, ask("shutdown", `{}`), begin)
	expect(t, answers, "[map[id:1 jsonrpc:2.0 result:map[status:ok]]]")
}

func TestALineThatIsTooLongIsAnsweredAndSkipped(t *testing.T) {
	endless := io.MultiReader(
		bytes.NewReader(bytes.Repeat([]byte("x"), LineMax+1)), strings.NewReader("\n"+begin),
	)
	var sink bytes.Buffer
	expect(t, Serve(testAdapter{info: Info{Name: "a"}}, endless, &sink), nil)
	lines := strings.Split(sink.String(), "\n")
	expect(t, strings.Contains(lines[0], "the line has more than"), true)
	expect(t, strings.Contains(lines[1], `"name":"a"`), true)
}

func TestAnObservationIsAnswered(t *testing.T) {
	found := turn(t, func(_ context.Context, play *Play) (*Observation, error) { return play.Observation(nil) })
	expect(t, at(found, "result"), "map[observation:map[history:map[arguments:text messages:[]]] status:ok]")
}

func TestWhatIsReturnedAsAnErrorOrThrownIsRaised(t *testing.T) {
	found := turn(t, func(context.Context, *Play) (*Observation, error) { return nil, errors.New("broken") })
	expect(t, at(found, "result", "error"), "map[message:broken type:*errors.errorString]")

	found = turn(t, func(context.Context, *Play) (*Observation, error) { panic("thrown") })
	message, _ := at(found, "result", "error", "message").(string)
	expect(t, strings.HasPrefix(message, "panic: thrown (in "), true)
	expect(t, strings.Contains(message, "serve_test.go:"), true)
	detail, _ := at(found, "result", "detail").(string)
	expect(t, strings.Contains(detail, "serve_test.go:") && len(detail) <= stackMax, true)
}

func TestWhatWasNotedIsAnsweredEvenIfItWasSwallowed(t *testing.T) {
	found := turn(t, func(_ context.Context, play *Play) (*Observation, error) {
		play.GiveUp("no time")
		return play.Observation(nil)
	})
	expect(t, at(found, "result"), "map[status:unsupported why:no time]")

	found = turn(t, func(_ context.Context, play *Play) (*Observation, error) {
		play.GiveUp("no time")
		_, _ = play.Model([]Message{{}})
		return play.Observation(nil)
	})
	expect(t, at(found, "error", "code"), codeAdapterFault)

	found = turn(t, func(_ context.Context, play *Play) (*Observation, error) { panic(play.GiveUp("thrown")) })
	expect(t, at(found, "result", "why"), "thrown")

	found = turn(t, func(context.Context, *Play) (*Observation, error) { return nil, nil })
	expect(t, at(found, "error", "code"), codeAdapterFault)
}

func TestAPlayIsOverWhenTurnRunReturns(t *testing.T) {
	var left *Play
	var context context.Context
	turn(t, func(ctx contextType, play *Play) (*Observation, error) {
		left, context = play, ctx
		return play.Observation(nil)
	})
	<-left.Done()
	<-context.Done()
}

type contextType = context.Context

func TestStatelessOperationsGiveOutcomes(t *testing.T) {
	answers := said(t, testAdapter{info: Info{Name: "a"}}, begin,
		ask("event/validate", `{"event":"{}"}`),
		ask("event/validate", `{"event":"refuse"}`),
		ask("event/validate", `{"event":"panic"}`),
		ask("arguments/sanitize", `{"arguments":{"base64":"/w=="}}`),
	)
	expect(t, at(answers[1], "result"), "map[outcome:map[status:ok] status:ok]")
	expect(t, at(answers[2], "result"), `map[code:c field:f native:\xff status:rejected]`)
	expect(t, at(answers[3], "result", "status"), "raised")
	expect(t, at(answers[3], "result", "error", "type"), "runtime.boundsError")
	expect(t, at(answers[4], "result"),
		"map[outcome:map[executable:map[base64:/w==] status:ok stored:{}] status:ok]")
}

func TestAnAdapterWithoutAnOperationSaysSo(t *testing.T) {
	answers := said(t, only{Info{Name: "a"}}, begin,
		ask("turn/run", `{"scenario":{"model":[]}}`), ask("event/validate", `{"event":""}`),
		ask("arguments/sanitize", `{"arguments":""}`))
	for _, answer := range answers[1:] {
		expect(t, at(answer, "result", "status"), "unsupported")
	}
}
