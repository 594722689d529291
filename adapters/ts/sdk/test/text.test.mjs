/** Texts and values: nothing is lost on its way, and nothing is mistaken for something else. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { call, Encoded, encodingOf, errorOf, message, Parsed, Rejected, textOf } from "../index.mjs";
import { AdapterFault, checkFacets, heldText, normalise, printable, rawOf, stringOf } from "../text.mjs";

const bytes = (...all) => Uint8Array.from(all);

test("bytes that are UTF-8 become a string, a byte order mark included", () => {
  assert.equal(textOf(Buffer.from("hä🙂")), "hä🙂");
  assert.equal(textOf(bytes(0xef, 0xbb, 0xbf, 0x61)), "\ufeffa");
  assert.equal(textOf(bytes()), "");
});

test("bytes that are no UTF-8 become base64, and come back as they were", () => {
  for (const data of [bytes(0xff, 0), bytes(0xed, 0xa0, 0x80), bytes(0xc3), bytes(0xc0, 0x80)]) {
    const text = textOf(data);
    assert.ok(text instanceof Encoded);
    assert.deepEqual(new Uint8Array(rawOf(text)), data);
  }
});

test("a lone surrogate becomes the base64 of its three bytes", () => {
  assert.deepEqual(textOf("a\ud800"), new Encoded("Ye2ggA=="));
  assert.deepEqual(textOf("\udc00\ud83d\ude42"), new Encoded("7bCA8J+Zgg=="));
});

test("bytes with surrogates are a string that has the same bytes", () => {
  assert.equal(stringOf(bytes(0x61, 0xed, 0xa0, 0x80, 0x62)), "a\ud800b");
  assert.equal(stringOf(bytes(0xed, 0xb0, 0x80, 0xed, 0xa0, 0x80)), "\udc00\ud800");
  assert.deepEqual([...rawOf("a\ud800b")], [0x61, 0xed, 0xa0, 0x80, 0x62]);
});

test("two surrogates that would become one character are no string: its bytes are others", () => {
  assert.equal(stringOf(bytes(0xed, 0xa0, 0xbd, 0xed, 0xb9, 0x82)), undefined);
  assert.equal(stringOf(bytes(0xff)), undefined);
  assert.equal(stringOf(bytes(0xed, 0xa0)), undefined);
});

const VALUES = [
  [{ a: [1, "ü", null, true], b: {} }, '{"a":[1,"ü",null,true],"b":{}}'],
  [[], "[]"],
  [[[], [[]], {}], "[[],[[]],{}]"],
  [null, "null"],
  [{ a: NaN, b: [Infinity, -Infinity] }, '{"a":NaN,"b":[Infinity,-Infinity]}'],
  [-0, "-0"],
  [[0, 1e21, 1.5e-7, 0.1], "[0,1e+21,1.5e-7,0.1]"],
  [12345678901234567890n, "12345678901234567890"],
  [{ a: -(2n ** 80n) }, '{"a":-1208925819614629174706176}'],
  [undefined, '"(undefined, which JSON cannot write)"'],
  [{ a: undefined }, '{"a":"(undefined, which JSON cannot write)"}'],
  [[undefined, , 1], '["(undefined, which JSON cannot write)","(undefined, which JSON cannot write)",1]'],
  [{ a: () => 1 }, '{"a":"(function, which JSON cannot write)"}'],
  [{ a: Symbol("s") }, '{"a":"(symbol, which JSON cannot write)"}'],
  [{ a: new Map([[1, 2]]) }, '{"a":"(Map, which JSON cannot write)"}'],
  [{ a: new Set() }, '{"a":"(Set, which JSON cannot write)"}'],
  [{ a: new Error("x") }, '{"a":"(Error, which JSON cannot write)"}'],
  [{ a: /x/ }, '{"a":"(RegExp, which JSON cannot write)"}'],
  [{ a: Promise.resolve() }, '{"a":"(Promise, which JSON cannot write)"}'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [{ a: new Date(NaN) }, '{"a":"(Date, which JSON cannot write)"}'],
  [{ toJSON: (key) => ({ key }) }, '{"key":""}'],
  [{ a: { toJSON: (key) => key } }, '{"a":"a"}'],
  [{ toJSON: "data" }, '{"toJSON":"data"}'],
  [{ a: { toJSON: () => undefined } }, '{"a":"(undefined, which JSON cannot write)"}'],
  [[new Number(-0), new String("s"), new Boolean(false), Object(1n)], '[-0,"s",false,1]'],
  [{ "a\ud800": "\udc00" }, '{"a\\ud800":"\\udc00"}'],
  [JSON.parse('{"__proto__":{"a":1},"constructor":2}'), '{"__proto__":{"a":1},"constructor":2}'],
  [JSON.parse('{"a":[{"__proto__":null}],"__proto__":1}'), '{"a":[{"__proto__":null}],"__proto__":1}'],
  [JSON.parse('{"constructor":{"prototype":{}}}'), '{"constructor":{"prototype":{}}}'],
  [{ toString: 1, valueOf: null, hasOwnProperty: true }, '{"toString":1,"valueOf":null,"hasOwnProperty":true}'],
  [{ length: 2, then: "x", name: "y" }, '{"length":2,"then":"x","name":"y"}'],
  [new Parsed(JSON.parse('{"":{"":1},"base64":"x"}')), '{"":{"":1},"base64":"x"}'],
  [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  [new Parsed("text"), '"text"'],
  [new Parsed(new Parsed(1)), '{"value":1}'],
];

for (const [value, text] of VALUES) {
  test(`a held value is written as ${text}`, () => {
    assert.deepEqual(heldText(value), { text, isValue: true });
  });
}

test("one value that stands in two places is no circle", () => {
  const shared = { a: 1 };
  assert.equal(heldText([shared, shared, { shared }]).text, '[{"a":1},{"a":1},{"shared":{"a":1}}]');
});

test("a value may be nested deeper than the stack", () => {
  const depth = 200_000;
  const text = "[".repeat(depth) + "]".repeat(depth);
  assert.equal(heldText(JSON.parse(text)).text, text);
});

test("a value that cannot be written is named, and disturbs no callback", () => {
  const ring = [];
  ring.push({ ring });
  const bomb = Array.from({ length: 40 }).reduce((inner) => [inner, inner], []);
  const endless = { toJSON: () => ({ endless }) };
  const throwing = {
    get a() {
      throw new Error("no");
    },
  };
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();
  assert.equal(heldText(ring).text, '"(Array, which JSON cannot write)"');
  assert.equal(heldText(bomb).text, '"(Array, which JSON cannot write)"');
  for (const value of [endless, throwing]) {
    assert.equal(heldText(value).text, '"(Object, which JSON cannot write)"');
  }
  assert.equal(heldText(revoked.proxy).text, '"(object, which JSON cannot write)"');
});

test("strings and bytes are held as text, an object with base64 in it is a value", () => {
  assert.deepEqual(heldText('{"a":'), { text: '{"a":', isValue: false });
  assert.deepEqual(heldText(bytes(0x7b, 0x7d)), { text: "{}", isValue: false });
  assert.deepEqual(heldText(textOf(bytes(0xff))), { text: new Encoded("/w=="), isValue: false });
  assert.deepEqual(heldText({ base64: "x" }), { text: '{"base64":"x"}', isValue: true });
});

test("the words of an error are bounded, printable, and never throw", () => {
  class Odd extends Error {}
  const unprintable = {
    toString() {
      throw new Error("no");
    },
  };
  assert.equal(errorOf(new TypeError("a \ud800")), "TypeError: a \\ud800");
  assert.equal(errorOf(new Odd("x")), "Odd: x");
  assert.equal(errorOf(new Error()), "Error");
  assert.equal(errorOf("thrown"), "string: thrown");
  assert.equal(errorOf(undefined), "undefined: undefined");
  assert.equal(errorOf(unprintable), "Object: Object");
  assert.equal(printable(Object.create(null)), "Object");
  assert.equal(printable("🙂".repeat(5000)), "🙂".repeat(2000));
  assert.equal(printable(Symbol("s")), "Symbol(s)");
});

test("a refusal has the parts that are set", () => {
  const refusal = new Rejected("encoding", { rule: "utf-8", native: new RangeError("bad") });
  assert.deepEqual(refusal.parts, { code: "encoding", rule: "utf-8", native: "bad" });
});

test("messages leave out what is not set, and say how arguments are held", () => {
  const calls = [call("c1", "t", { a: 1 }), call(null, "u", '{"a":')];
  const { messages, heldAs } = normalise([
    message("user", "go"),
    message("assistant", "", { calls }),
    message("tool", bytes(0xff), { toolUseId: "c1", isError: false }),
  ]);
  assert.deepEqual(JSON.parse(JSON.stringify(messages)), [
    { role: "user", text: "go" },
    {
      role: "assistant",
      calls: [
        { id: "c1", name: "t", arguments: '{"a":1}' },
        { id: "", name: "u", arguments: '{"a":' },
      ],
    },
    { role: "tool", text: { base64: "/w==" }, tool_use_id: "c1", is_error: false },
  ]);
  assert.deepEqual([...heldAs].sort(), ["text", "value"]);
});

const WRONG = [
  [[{ role: "wizard" }], /role 'wizard'.*make it with message/],
  [[{ role: "user", txet: "" }], /unknown keys txet.*make it with message/],
  [[message("user", "", { tool_use_id: "c1" })], /unknown keys tool_use_id/],
  [[message("user", ["block"])], /text of a message is a Array/],
  [[message("user", 5)], /text of a message is a number/],
  [["text"], /is a string; make it with message/],
  [[message("assistant", "", { calls: [["c1", "t", "{}"]] })], /is a Array; make it with call/],
  [[message("assistant", "", { calls: [{ id: "c1", name: "t" }] })], /make it with call/],
  [[{ role: "assistant", calls: "c1" }], /no list/],
  [undefined, /are a undefined, not a list/],
  [Promise.resolve([]), /are a Promise, not a list/],
];

for (const [messages, words] of WRONG) {
  test(`what is no message is refused: ${words}`, () => {
    assert.throws(() => normalise(messages), (error) => {
      assert.ok(error instanceof AdapterFault);
      assert.match(error.message, words);
      return true;
    });
  });
}

test("a facet or a status that is none is refused and not lost", () => {
  assert.throws(() => checkFacets({ histroy: "typo" }, {}), /no facet 'histroy'/);
  assert.throws(() => checkFacets({ history: 5 }, {}), /without a reason/);
  assert.throws(() => checkFacets({}, { histroy: ["aborted", ""] }), /no facet 'histroy'/);
  assert.throws(() => checkFacets({}, { history: "aborted" }), /no pair: a word, and why/);
  assert.throws(() => checkFacets({}, { history: ["raised", ""] }), /the words are complete, aborted/);
});

test("a codec that throws is an observation", async () => {
  const throws = () => {
    throw new RangeError("no");
  };
  assert.deepEqual(await encodingOf(throws), { ok: false, error: "RangeError: no" });
  const encoding = await encodingOf(async () => bytes(0xff), throws);
  assert.deepEqual(JSON.parse(JSON.stringify(encoding)), {
    ok: true,
    text: { base64: "/w==" },
    round_trips: false,
    error: "RangeError: no",
  });
  assert.deepEqual(await encodingOf(() => "[]", (data) => data === "[]"), {
    ok: true,
    text: "[]",
    round_trips: true,
  });
  await assert.rejects(encodingOf(() => ({})), /gave a Object; it gives a text/);
});
