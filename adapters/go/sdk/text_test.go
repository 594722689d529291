package toolassay

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"
)

func TestTextsAreStringsOrBase64(t *testing.T) {
	for given, want := range map[string]string{
		"":             `""`,
		"häß <&>":      `"häß <&>"`,
		"\xff\x00":     `{"base64":"/wA="}`,
		"\xed\xa0\x80": `{"base64":"7aCA"}`,
	} {
		data, err := plainJSON(text(given))
		if err != nil || string(data) != want {
			t.Errorf("%q became %s, %v; want %s", given, data, err, want)
		}
		var back text
		if err := json.Unmarshal(data, &back); err != nil || string(back) != given {
			t.Errorf("%s became %q, %v; want %q", data, back, err, given)
		}
	}
}

func TestEscapesOfLoneSurrogatesAreKept(t *testing.T) {
	for given, want := range map[string]string{
		`"a\ud800b"`:          "a\xed\xa0\x80b",
		`"\udbff\ud800"`:      "\xed\xaf\xbf\xed\xa0\x80",
		`"\uDC00\n"`:          "\xed\xb0\x80\n",
		`"\ud83d\ude00\\\""`:  "😀\\\"",
		`"\\ud800"`:           `\ud800`,
		`"x\ud800\\ud801\/é"`: "x\xed\xa0\x80\\ud801/é",
	} {
		var found text
		if err := json.Unmarshal([]byte(given), &found); err != nil || string(found) != want {
			t.Errorf("%s became %q, %v; want %q", given, found, err, want)
		}
	}
}

func TestWhatIsNoTextIsRefused(t *testing.T) {
	for _, given := range []string{`1`, `null2`, `[]`, `{}`, `{"base64":1}`, `{"base64":"?"}`, `{"base64":"/w"}`} {
		var found text
		if err := json.Unmarshal([]byte(given), &found); err == nil {
			t.Errorf("%s was read as %q", given, found)
		}
	}
}

func TestWordsOfErrorsAreBoundedAndPrintable(t *testing.T) {
	if found := Printable("a\xffb"); found != `a\xffb` {
		t.Errorf("got %q", found)
	}
	if found := Printable(strings.Repeat("ü", ShownMax+5)); found != strings.Repeat("ü", ShownMax) {
		t.Errorf("got %d bytes", len(found))
	}
	if found := ErrorOf(unprintable{}); found != "toolassay.unprintable" {
		t.Errorf("got %q", found)
	}
	if found := ErrorOf(nil); found != "" {
		t.Errorf("got %q", found)
	}
}

type unprintable struct{}

func (unprintable) Error() string { panic("no words") }

func TestValuesAreWrittenWithoutLoss(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	type labelled struct {
		B string `json:"b"`
		A int    `json:"a,omitempty"`
	}
	for _, one := range []struct {
		value any
		want  string
	}{
		{nil, `null`},
		{map[string]any{"b": []any{1, "ü<"}, "a": nil}, `{"a":null,"b":[1,"ü<"]}`},
		{map[string]any{"a": math.NaN(), "b": math.Inf(1), "c": math.Inf(-1)}, `{"a":NaN,"b":Infinity,"c":-Infinity}`},
		{int64(math.MaxInt64), `9223372036854775807`},
		{uint64(math.MaxUint64), `18446744073709551615`},
		{huge, huge.String()},
		{json.Number("1.00e400"), `1.00e400`},
		{json.RawMessage(`{"a": 1, "a": 2}`), `{"a": 1, "a": 2}`},
		{1e21, `1e+21`},
		{0.1, `0.1`},
		{math.Copysign(0, -1), `-0`},
		{float32(0.1), `0.1`},
		{"\x00\"\\\n", `"\u0000\"\\\u000a"`},
		{"\xff", "\"\xff\""},
		{labelled{B: "<"}, `{"b":"<"}`},
		{&labelled{"x", 1}, `{"b":"x","a":1}`},
		{map[int]string{1: "a"}, `{"1":"a"}`},
		{[]any(nil), `null`},
		{[2]bool{true, false}, `[true,false]`},
		{(*labelled)(nil), `null`},
	} {
		if found := AsValue(one.value); found.text != one.want || !found.isValue {
			t.Errorf("%#v became %s; want %s", one.value, found.text, one.want)
		}
	}
}

func TestWhatCannotBeWrittenDisturbsNoCallback(t *testing.T) {
	ring := map[string]any{}
	ring["ring"] = ring
	var deep any
	for range valueDepthMax + 2 {
		deep = []any{deep}
	}
	for want, value := range map[string]any{
		`"(map[string]interface {}, which JSON cannot write)"`: ring,
		`"([]interface {}, which JSON cannot write)"`:          deep,
		`"(chan int, which JSON cannot write)"`:                make(chan int),
		`"(toolassay.failing, which JSON cannot write)"`:       failing{},
	} {
		if found := AsValue(value); found.text != want {
			t.Errorf("became %.200s; want %s", found.text, want)
		}
	}
}

type failing struct{}

func (failing) MarshalJSON() ([]byte, error) { return nil, errors.New("no") }
