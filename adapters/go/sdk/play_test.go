package toolassay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func playOf(t *testing.T, scenario string, facets ...string) *Play {
	t.Helper()
	play, err := NewPlay(json.RawMessage(scenario), 0, facets, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(play.Close)
	return play
}

func shown(t *testing.T, play *Play, history []Message, options ...ObservationOption) map[string]any {
	t.Helper()
	observation, err := play.Observation(history, options...)
	if err != nil {
		t.Fatal(err)
	}
	var data map[string]any
	if err := json.Unmarshal(observation.data, &data); err != nil {
		t.Fatal(err)
	}
	return data
}

// at follows keys and indexes into JSON data; nil where there is nothing.
func at(data any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			object, _ := data.(map[string]any)
			data = object[step]
		case int:
			list, _ := data.([]any)
			if step >= len(list) {
				return nil
			}
			data = list[step]
		}
	}
	return data
}

func expect(t *testing.T, found, want any) {
	t.Helper()
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("got %v; want %v", found, want)
	}
}

func TestAScenarioHasDefaults(t *testing.T) {
	play := playOf(t, `{"model":[{"calls":[{"id":"c1","name":"t"}]}],"tools":[{"name":"t"}],"later":1}`)

	expect(t, play.Users, "[go]")
	expect(t, play.Subscribers, "[{main -1}]")
	expect(t, play.Replies[0].Calls[0].Arguments, "{}")
	expect(t, string(play.Tools[0].ParametersJSON), `{"type":"object"}`)
	expect(t, play.Tools[0].Parameters["type"], "object")
	expect(t, play.Streamed(), false)
}

func TestWhatIsNoScenarioIsRefused(t *testing.T) {
	for _, scenario := range []string{
		`{}`, `[]`, `{"model":1}`, `{"model":[{"calls":[{"id":"c1"}]}]}`, `{"model":[],"tools":[{}]}`,
		`{"model":[],"tools":[{"name":"t","parameters":[]}]}`,
		`{"model":[{"calls":[{"id":"c1","name":"t","arguments":{"base64":"?"}}]}]}`,
	} {
		if _, err := NewPlay(json.RawMessage(scenario), 0, nil, time.Minute); err == nil {
			t.Errorf("%s was taken for a scenario", scenario)
		}
	}
}

func TestTheModelSaysDoneWhenItsRepliesAreUsedUp(t *testing.T) {
	play := playOf(t, `{"model":[{"text":"hi"}]}`)
	for _, want := range []string{"hi", "done", "done"} {
		reply, err := play.Model(nil)
		expect(t, err, nil)
		expect(t, reply.Text, want)
	}
}

func TestAnAgentThatRunsInACircleIsStopped(t *testing.T) {
	play := playOf(t, `{"model":[]}`)
	for range RequestsMax {
		if _, err := play.Model(nil); err != nil {
			t.Fatal(err)
		}
	}
	var tooMuch *TooMuch
	if _, err := play.Model(nil); !errors.As(err, &tooMuch) {
		t.Errorf("got %v", err)
	}
}

func TestAStreamGivesTheTextThenEachCallInTurn(t *testing.T) {
	play := playOf(t, `{"model":[{"text":"hi","streamed":true,"breaks":true,"calls":[
		{"id":"c1","name":"a","arguments":"{\"a\":1}","cuts":[5,2,2]},{"id":"c2","name":"b","arguments":""}]}]}`)
	stream, err := play.Stream(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, *play.streaming, true)
	var found []string
	for fragment, err := range stream {
		if err != nil {
			found = append(found, fmt.Sprintf("%T", err))
			continue
		}
		found = append(found, fmt.Sprintf("%s %d %q", fragment.Kind, fragment.Index, fragment.Text))
	}
	want := []string{
		`text 0 "hi"`, `call 0 ""`, `arguments 0 "{\""`, `arguments 0 ""`, `arguments 0 "a\":"`,
		`arguments 0 "1}"`, `call 1 ""`, `arguments 1 ""`, "*toolassay.StreamBroken",
	}
	expect(t, strings.Join(found, "\n"), strings.Join(want, "\n"))
	expect(t, *play.streaming, false)
	for range stream {
		t.Error("a stream can be read once")
	}
}

func TestAStreamThatIsLeftEarlyStreamsNoMore(t *testing.T) {
	play := playOf(t, `{"model":[{"text":"hi","streamed":true}]}`)
	stream, _ := play.Stream(context.Background(), nil)
	for range stream {
		break
	}
	expect(t, *play.streaming, false)
}

func TestACancelledContextEndsAStall(t *testing.T) {
	play := playOf(t, `{"model":[{"streamed":true,"stall":3600000}]}`)
	ctx, cancel := context.WithCancel(context.Background())
	stream, _ := play.Stream(ctx, nil)
	cancel()
	for _, err := range stream {
		expect(t, errors.Is(err, context.Canceled), true)
	}
}

func TestArgumentsThatAreNoTextAreGivenAsBytesOnly(t *testing.T) {
	whole := `{"model":[{"calls":[{"id":"c","name":"t","arguments":{"base64":"/w=="}}]}]}`
	cut := `{"model":[{"streamed":true,"calls":[{"id":"c","name":"t","arguments":"\"ü\"","cuts":[2]}]}]}`
	var limit *Unsupported

	if _, err := playOf(t, whole).Model(nil); !errors.As(err, &limit) {
		t.Errorf("got %v", err)
	}
	if _, err := playOf(t, cut).Stream(context.Background(), nil); !errors.As(err, &limit) {
		t.Errorf("got %v", err)
	}
	reply, err := playOf(t, whole).Model(nil, AsBytes)
	expect(t, err, nil)
	expect(t, reply.Calls[0].Arguments, "\xff")
	if _, err := playOf(t, cut).Stream(context.Background(), nil, AsBytes); err != nil {
		t.Error(err)
	}
}

func TestAStreamedReplyIsNotGivenWhole(t *testing.T) {
	play := playOf(t, `{"model":[{"streamed":true}]}`)
	_, err := play.Model(nil)
	var limit *Unsupported
	expect(t, errors.As(err, &limit), true)
	_, noted := play.notes()
	expect(t, noted, limit.Why)
}

func TestAToolBehavesAsScripted(t *testing.T) {
	for behaviour, want := range map[string]string{
		`{}`:                                      "ok <nil>",
		`{"returns":""}`:                          " <nil>",
		`{"returns":"x","ticks":1}`:               "x <nil>",
		`{"fails":"no"}`:                          " *toolassay.ToolFailed",
		`{"raises":""}`:                           " *toolassay.ScriptedError",
		`{"returns":{"base64":"/w=="}}`:           " *toolassay.Unsupported",
		`{"waits_for":"StepDone","ticks":1}`:      "ok <nil>",
		`{"waits_for":"request","returns":"r"}`:   "r <nil>",
		`{"fails":"", "waits_for":"", "ticks":0}`: " *toolassay.ToolFailed",
	} {
		play := playOf(t, `{"model":[],"tools":[{"name":"t","behaviour":`+behaviour+`}]}`)
		found, err := play.Tools[0].Call(context.Background(), AsText("{}"))
		expect(t, fmt.Sprintf("%s %T", found, err), want)
		expect(t, at(shown(t, play, nil), "executions", "executions", 0, "ended") != nil, true)
	}
}

func TestAHangingToolEndsWithItsContextOrThePlay(t *testing.T) {
	scenario := `{"model":[],"tools":[{"name":"t","behaviour":{"hangs":true}}]}`

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := playOf(t, scenario).Tools[0].Call(ctx, AsText(""))
	expect(t, errors.Is(err, context.Canceled), true)

	play := playOf(t, scenario)
	ended := make(chan error)
	go func() {
		_, err := play.Tools[0].Call(context.Background(), AsText(""))
		ended <- err
	}()
	play.Close()
	play.Close()
	var scripted *ScriptedError
	expect(t, errors.As(<-ended, &scripted), true)
}

func TestAToolWaitsForTheNextRequestOrAnEventOfItsOwn(t *testing.T) {
	play := playOf(t, `{"model":[],"tools":[
		{"name":"r","behaviour":{"waits_for":"request","ticks":3600000}},
		{"name":"e","behaviour":{"waits_for":"ToolCallCompleted","ticks":3600000}}]}`)
	_, _ = play.Model(nil)
	ended := map[string]chan struct{}{"r": make(chan struct{}), "e": make(chan struct{})}
	for _, tool := range play.Tools {
		go func() {
			defer close(ended[tool.Name])
			_, _ = tool.Call(context.Background(), AsText("{}"), ExecutionID("x1"))
		}()
	}
	for _, execution := range []string{"x2", "x1"} {
		expect(t, play.Seen("ToolCallCompleted", "x1"), 0)
		event := map[string]any{"type": "ToolCallCompleted", "tool_execution_id": execution}
		expect(t, play.Deliver(event), nil)
	}
	expect(t, play.Seen("ToolCallCompleted", "x1"), 1)
	<-ended["e"]
	for entered := false; !entered; runtime.Gosched() {
		play.mutex.Lock()
		entered = len(play.executions) == 2
		play.mutex.Unlock()
	}
	_, _ = play.Model(nil) // it counts from the entry, be it seen before the tool looks
	<-ended["r"]
}

func TestExecutionsHaveMarksOfDeclaredFacets(t *testing.T) {
	play := playOf(t, `{"model":[],"tools":[{"name":"t"}]}`, Executions, Deliveries, Journal)
	_, _ = play.Model(nil)
	expect(t, play.Journalled(7, map[string]any{"type": "TurnStarted"}), nil)
	_, err := play.Tools[0].Call(context.Background(), AsText("\xff"), CallID(""), ExecutionID("x"))
	expect(t, err, nil)

	data := shown(t, play, nil)
	entry := at(data, "executions", "executions", 0)
	expect(t, at(entry, "arguments", "base64"), "/w==")
	expect(t, at(entry, "began"), "map[deliveries:0 journal:1 requests:1 streaming:false]")
	expect(t, at(entry, "call_id"), "")
	expect(t, at(entry, "execution_id"), "x")
	expect(t, at(data, "journal", "records"), "[map[event:map[type:TurnStarted] seq:7]]")
	expect(t, at(data, "deliveries", "subscriptions"), "[map[deliveries:[] name:main]]")
	expect(t, at(data, "history"), nil)
}

func TestAnObservationSaysHowArgumentsAreHeld(t *testing.T) {
	play := playOf(t, `{"model":[],"tools":[{"name":"t"}]}`)
	text := Message{Role: Assistant, Calls: []HeldCall{{"c1", "t", AsText([]byte("{"))}}}
	value := Message{Role: Assistant, Calls: []HeldCall{{"c2", "t", AsValue(map[string]any{})}}}
	_, _ = play.Model([]Message{value})
	_, _ = play.Tools[0].Call(context.Background(), AsValue(1))
	_, _ = play.Tools[0].Call(context.Background(), AsText("1"))

	data := shown(t, play, []Message{text, value})
	expect(t, at(data, "history", "arguments"), "text")
	expect(t, at(data, "requests", "arguments"), "value")
	expect(t, at(data, "executions", "arguments"), "value")
}

func TestMessagesKeepWhatFormsDoNotHaveApart(t *testing.T) {
	data := shown(t, playOf(t, `{"model":[]}`), []Message{
		{Role: ToolRole, Text: "\xff", IsError: FlagOf(false)},
		{Role: ToolRole, ToolUseID: "c1", IsError: FlagOf(true)},
		{Role: User, Text: "go"},
	})
	expect(t, at(data, "history", "messages", 0), "map[is_error:false role:tool text:map[base64:/w==] tool_use_id:]")
	expect(t, at(data, "history", "messages", 1), "map[is_error:true role:tool tool_use_id:c1]")
	expect(t, at(data, "history", "messages", 2), "map[role:user text:go]")
}

func TestFacetsCanBeOmittedOrIncomplete(t *testing.T) {
	play := playOf(t, `{"model":[]}`, History, Requests, Ending)
	play.Ended(0, Failed, errors.New("no"))
	data := shown(t, play, nil, WithStatus(History, Aborted, "it failed"), Omit(Requests, "lost"))

	expect(t, at(data, "history"), "map[arguments:text messages:[] status:aborted why:it failed]")
	expect(t, at(data, "omitted"), "map[requests:lost]")
	expect(t, at(data, "requests"), nil)
	expect(t, at(data, "ending", "turns"), "[map[error:no how:failed turn:0]]")
}

func TestMistakesOfTheAdapterAreNotedEvenIfTheyAreSwallowed(t *testing.T) {
	for name, mistake := range map[string]func(*Play){
		`"wizard"`:       func(play *Play) { _, _ = play.Model([]Message{{Role: "wizard"}}) },
		`"nowhere"`:      func(play *Play) { _ = play.Deliver(map[string]any{}, To("nowhere")) },
		`no JSON object`: func(play *Play) { _ = play.Deliver(map[string]any{"a": make(chan int)}) },
		`{"n":NaN}`:      func(play *Play) { _ = play.Journalled(1, map[string]any{"n": math.NaN()}) },
		`is no UTF-8`:    func(play *Play) { _ = play.Deliver(map[string]any{"type": "\xff"}) },
		`"over"`:         func(play *Play) { play.Ended(0, "over", nil) },
		`"outcomes"`:     func(play *Play) { _, _ = play.Observation(nil, Omit("outcomes", "")) },
		`"partly"`:       func(play *Play) { _, _ = play.Observation(nil, WithStatus(History, "partly", "")) },
		`"gone"`:         func(play *Play) { _ = play.SubscriptionEnded("main", "gone", "", nil) },
	} {
		play := playOf(t, `{"model":[]}`)
		mistake(play)
		if noted, _ := play.notes(); !strings.Contains(noted, name) {
			t.Errorf("noted %q; want %s", noted, name)
		}
	}
}

func TestSubscribersGetTheirOwnDeliveries(t *testing.T) {
	play := playOf(t, `{"model":[],"subscribers":[{},{"name":"slow","stalls_after":2}]}`)
	event := map[string]any{"type": "StepDone", "subject": TextOf("\xff")}
	expect(t, play.Deliver(event, To("slow"), Durability("enduring"), Seq(0), InJournal(false)), nil)
	event["type"] = "changed"
	expect(t, play.SubscriptionEnded("slow", Unsubscribed, "tired", errors.New("gone")), nil)

	found := at(shown(t, play, nil), "deliveries", "subscriptions")
	expect(t, at(found, 0, "deliveries"), "[]")
	expect(t, at(found, 1, "deliveries", 0),
		"map[class:enduring event:map[subject:map[base64:/w==] type:StepDone] in_journal:false seq:0]")
	expect(t, at(found, 1, "error"), "gone")
	expect(t, at(found, 1, "status"), "unsubscribed")
	expect(t, play.Subscribers[1].StallsAfter, 2)
}

func TestParallelUseLosesNothing(t *testing.T) {
	play := playOf(t, `{"model":[],"tools":[{"name":"t"}]}`)
	var all sync.WaitGroup
	for range 50 {
		all.Add(1)
		go func() {
			defer all.Done()
			_, _ = play.Model(nil)
			_, _ = play.Tools[0].Call(context.Background(), AsText("{}"))
			_ = play.Deliver(map[string]any{"type": "a"})
			play.Ended(0, Done, nil)
		}()
	}
	all.Wait()
	data := shown(t, play, nil)
	for facet, list := range map[string]string{Requests: "requests", Executions: "executions", Ending: "turns"} {
		expect(t, len(at(data, facet, list).([]any)), 50)
	}
	expect(t, len(at(data, "deliveries", "subscriptions", 0, "deliveries").([]any)), 50)
}

func TestTheCodecIsTriedAndItsPanicsAreErrors(t *testing.T) {
	encode := func() ([]byte, error) { return []byte("\xff"), nil }
	broken := func() ([]byte, error) { panic("no codec") }
	same := func([]byte) (bool, error) { return true, nil }
	fails := func([]byte) (bool, error) { return true, errors.New("differs") }
	for want, encoding := range map[string]*Encoding{
		`{"ok":true,"text":{"base64":"/w=="}}`:                                       EncodingOf(encode, nil),
		`{"ok":true,"text":{"base64":"/w=="},"round_trips":true}`:                    EncodingOf(encode, same),
		`{"ok":true,"error":"differs","text":{"base64":"/w=="},"round_trips":false}`: EncodingOf(encode, fails),
		`{"ok":false,"error":"panic: no codec"}`:                                     EncodingOf(broken, same),
	} {
		data, err := json.Marshal(encoding)
		expect(t, err, nil)
		expect(t, string(data), want)
	}
}
