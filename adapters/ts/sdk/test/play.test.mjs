/** The scripted world and its record: what Python's SDK does, this does. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { call, message, Parsed, Play, ScriptedError, StreamBroken, ToolFailed, TooMuch, Unsupported } from "../index.mjs";
import { LIMITS } from "../play.mjs";

const BOUNDS = { ...LIMITS };
afterEach(() => Object.assign(LIMITS, BOUNDS));

const play = (scenario = {}, options = {}) => new Play({ model: [{}], ...scenario }, options);
const tool = (behaviour, scenario = {}) => play({ ...scenario, tools: [{ name: "t", behaviour }] }).tools[0];
const calling = (...calls) => ({ calls, streamed: true });
const seen = (world, parts) => JSON.parse(JSON.stringify(world.observation(parts)));

async function all(stream) {
  const found = [];
  for await (const one of stream) {
    found.push(one);
  }
  return found;
}

// --- the model ---

test("the model says done when its replies are used up", async () => {
  const world = play({ model: [{ text: "first" }] });
  assert.equal((await world.model([])).text, "first");
  assert.deepEqual(await world.model([]), { text: "done", calls: [], streamed: false, stall: 0, breaks: false });
});

test("a request is recorded at once, as the model saw it then", async () => {
  const world = play();
  const messages = [message("user", "go"), message("assistant", "", { calls: [call("c1", "t", { a: 1 })] })];
  const asked = world.model(messages);
  messages.push(message("user", "later"));
  await asked;
  assert.deepEqual(seen(world).requests, {
    requests: [
      [
        { role: "user", text: "go" },
        { role: "assistant", calls: [{ id: "c1", name: "t", arguments: '{"a":1}' }] },
      ],
    ],
    arguments: "value",
  });
});

test("arguments of which some are texts are not held to be values", async () => {
  const mixed = message("assistant", "", { calls: [call("c1", "t", { a: 1 }), call("c2", "t", '{"a":')] });
  const world = play();
  await world.model([mixed]);
  const found = seen(world, { history: [mixed] });
  assert.deepEqual([found.requests.arguments, found.history.arguments], ["text", "text"]);
});

test("an agent that runs in a circle is stopped", async () => {
  LIMITS.requests = 2;
  const world = play();
  await world.model([]);
  await world.model([]);
  await assert.rejects(world.model([]), TooMuch);
  assert.throws(() => world.stream([]), TooMuch);
});

test("an agent that goes on when the play is over gets no more replies", async () => {
  const world = play();
  world.close();
  await assert.rejects(world.model([]), TooMuch);
});

test("a streamed reply is not given whole", async () => {
  const world = play({ model: [{ text: "x", streamed: true }] });
  await assert.rejects(world.model([]), Unsupported);
  assert.match(world.unsupported, /streamed/);
  assert.equal(world.streamed, true);
});

test("arguments that are no text are given as bytes only", async () => {
  const model = [{ calls: [{ id: "c1", name: "t", arguments: { base64: "/w==" } }] }];
  await assert.rejects(play({ model }).model([]), Unsupported);
  const { calls } = await play({ model }).model([], { asBytes: true });
  assert.deepEqual([[...calls[0].raw], calls[0].arguments], [[0xff], ""]);
});

test("messages that are none are noted, even if the implementation swallows the exception", async () => {
  const world = play();
  await assert.rejects(world.model([{ role: "wizard" }]));
  assert.match(world.fault, /role 'wizard'/);
});

// --- the stream ---

test("a stream is the text and then each call cut at its cuts", async () => {
  const model = [
    {
      text: "hello",
      ...calling({ id: "c1", name: "t", arguments: '{"a":1}', cuts: [1, 4] }, { id: "c2", name: "u", arguments: "" }),
    },
  ];
  const found = await all(play({ model }).stream([]));
  assert.deepEqual(
    found.map(({ kind, text, index, id }) => [kind, text, index, id]),
    [
      ["text", "hello", 0, ""],
      ["call", "", 0, "c1"],
      ["arguments", "{", 0, "c1"],
      ["arguments", '"a"', 0, "c1"],
      ["arguments", ":1}", 0, "c1"],
      ["call", "", 1, "c2"],
      ["arguments", "", 1, "c2"],
    ],
  );
});

test("a cut inside a character needs bytes", async () => {
  const model = [calling({ id: "c1", name: "t", arguments: '"ü"', cuts: [2] })];
  assert.throws(() => play({ model }).stream([]), Unsupported);
  const found = await all(play({ model }).stream([], { asBytes: true }));
  assert.deepEqual(
    found.slice(1).map(({ raw }) => [...raw]),
    [
      [0x22, 0xc3],
      [0xbc, 0x22],
    ],
  );
});

test("the mark says whether the reply had ended", async () => {
  const world = play({ model: [{ ...calling({ id: "c1", name: "t" }), stall: 1 }] });
  assert.equal("streaming" in world.mark(), false);
  const stream = world.stream([]);
  assert.deepEqual(world.mark(), { requests: 1, streaming: true });
  await all(stream);
  assert.equal(world.mark().streaming, false);
});

test("a stream that is left early has ended", async () => {
  const world = play({ model: [{ text: "x", ...calling({ id: "c1", name: "t" }) }] });
  for await (const _ of world.stream([])) {
    break;
  }
  assert.equal(world.mark().streaming, false);
});

test("a stream that breaks gives its fragments first", async () => {
  const world = play({ model: [{ text: "x", streamed: true, breaks: true }] });
  const stream = world.stream([]);
  assert.equal((await stream.next()).value.text, "x");
  await assert.rejects(stream.next(), StreamBroken);
  assert.equal(world.mark().streaming, false);
});

// --- tools ---

const RETURNS = [
  [{}, "ok"],
  [{ returns: "" }, ""],
  [{ returns: "fine", ticks: 1 }, "fine"],
  [{ returns: { base64: "7aCA" } }, "\ud800"],
  [{ waits_for: "request", ticks: 2 }, "ok"],
  [{ waits_for: "StepDone" }, "ok"],
  [{ returns: null, fails: null, raises: null, waits_for: null }, "ok"],
];
for (const [behaviour, text] of RETURNS) {
  test(`a tool returns what is scripted: ${JSON.stringify(behaviour)}`, async () => {
    assert.equal(await tool(behaviour).call({}), text);
  });
}

const FAILS = [
  [{ fails: "no" }, ToolFailed],
  [{ raises: "boom" }, ScriptedError],
  [{ raises: "" }, ScriptedError],
  [{ returns: { base64: "/w==" } }, Unsupported],
];
for (const [behaviour, error] of FAILS) {
  test(`a tool fails as is scripted: ${JSON.stringify(behaviour)}`, async () => {
    await assert.rejects(tool(behaviour).call({}), error);
  });
}

test("a failure that the tool accepts has its text", async () => {
  await assert.rejects(tool({ fails: "no luck" }).call({}), { text: "no luck", message: "no luck" });
});

test("tools that hang or wait give up when the play is over", async () => {
  const tools = [{ name: "h", behaviour: { hangs: true } }, { name: "w", behaviour: { waits_for: "StepDone", ticks: 3_600_000 } }];
  const world = play({ tools });
  const hanging = Array.from({ length: 20 }, () => world.tools[0].call({}));
  const waiting = world.tools[1].call({});
  world.close();
  for (const one of await Promise.allSettled(hanging)) {
    assert.ok(one.reason instanceof ScriptedError);
  }
  assert.equal(await waiting, "ok");
  await assert.rejects(world.tools[0].call({}), ScriptedError);
});

test("a tool returns as soon as the next request is seen", async () => {
  const world = play({ tools: [{ name: "t", behaviour: { waits_for: "request", ticks: 3_600_000 } }] });
  await world.model([]);
  const running = world.tools[0].call({});
  await world.model([]);
  assert.equal(await running, "ok");
});

test("events of another execution or an earlier step are not waited for", async () => {
  const world = play();
  world.deliver({ type: "ToolCallStarted", tool_execution_id: "x1" });
  assert.equal(world.seen("ToolCallStarted", "x1"), 1);
  assert.equal(world.seen("ToolCallStarted", "x2"), 0);
  await world.model([]);
  assert.equal(world.seen("ToolCallStarted", "x1"), 0);
});

test("an execution is recorded with marks of entry and return", async () => {
  const world = play({ tools: [{ name: "t" }] }, { facets: ["executions", "deliveries"] });
  await world.model([]);
  await world.tools[0].call('{"a":1}', "c1", "x1");
  world.deliver({ type: "StepDone" });
  const mark = { requests: 1, deliveries: 0, streaming: false };
  assert.deepEqual(seen(world).executions, {
    executions: [{ tool: "t", arguments: '{"a":1}', execution_id: "x1", call_id: "c1", began: mark, ended: mark }],
    arguments: "text",
  });
});

test("a callback that never returned has no mark of its return, and a value is called one", () => {
  const world = play();
  world.enter("t", new Parsed("text"), undefined, "");
  assert.deepEqual(seen(world).executions, {
    executions: [{ tool: "t", arguments: '"text"', began: { requests: 0 } }],
    arguments: "value",
  });
});

test("the policy denies tools by name, whatever the name", () => {
  const world = play({
    tools: [{ name: "a" }, { name: "constructor" }, { name: "__proto__" }],
    policy: JSON.parse('{"a":"deny","__proto__":"deny"}'),
  });
  assert.deepEqual(
    world.tools.map((one) => one.denied),
    [true, false, true],
  );
  assert.equal(world.denies("toString"), false);
});

// --- the observation ---

test("every facet is shown with what was reported", () => {
  const world = play({ subscribers: [{ name: "main" }, { name: "slow", stalls_after: 1 }] });
  assert.deepEqual(world.subscribers[1], { name: "slow", stallsAfter: 1 });
  world.journalled(1, { type: "StepDone" });
  world.deliver({ type: "StepDone", step_id: undefined }, { durability: "enduring", seq: 1, inJournal: true });
  world.subscriptionEnded("slow", { status: "unsubscribed", why: "stalled", error: "lagged" });
  world.ended(0, "failed", new RangeError("bad \ud800"));
  const encoding = { ok: true, text: "[]", round_trips: true };
  const history = [message("assistant", "hi")];
  assert.deepEqual(seen(world, { history, encoding, status: { history: ["aborted", "it threw"], journal: undefined } }), {
    requests: { requests: [], arguments: "text" },
    executions: { executions: [], arguments: "text" },
    ending: { turns: [{ turn: 0, how: "failed", error: "RangeError: bad \\ud800" }] },
    journal: { records: [{ seq: 1, event: { type: "StepDone" } }] },
    deliveries: {
      subscriptions: [
        {
          name: "main",
          deliveries: [{ event: { type: "StepDone" }, class: "enduring", seq: 1, in_journal: true }],
        },
        { name: "slow", deliveries: [], status: "unsubscribed", why: "stalled", error: "lagged" },
      ],
    },
    history: { messages: [{ role: "assistant", text: "hi" }], arguments: "text", encoding, status: "aborted", why: "it threw" },
  });
});

test("facets that are not declared or left out are not shown", () => {
  const world = play({}, { facets: ["requests", "executions"] });
  world.ended(0, "done");
  assert.deepEqual(seen(world, { history: [], omitted: { executions: "no hook" } }), {
    requests: { requests: [], arguments: "text" },
    omitted: { executions: "no hook" },
  });
});

test("an event is kept as it was when it was delivered", () => {
  const world = play();
  const event = { type: "StepDone", messages: [{ role: "assistant" }] };
  world.deliver(event);
  event.messages.push({ role: "tool" });
  assert.equal(seen(world).deliveries.subscriptions[0].deliveries[0].event.messages.length, 1);
});

const FAULTS = [
  [(world) => world.ended(0, "completed"), /the words are done, failed, interrupted/],
  [(world) => world.ended("0", "done"), /number of a turn/],
  [(world) => world.deliver({ type: "X" }, { subscriber: "nobody" }), /no subscriber 'nobody'/],
  [(world) => world.subscriptionEnded("nobody"), /no subscriber 'nobody'/],
  [(world) => world.subscriptionEnded("main", { status: "gone" }), /the words are complete/],
  [(world) => world.deliver({ type: "X", seq: NaN }), /no JSON: NaN at 'seq'/],
  [(world) => world.deliver({ type: "X", choices: [undefined] }), /no JSON: undefined at '0'/],
  [(world) => world.deliver({ type: "X", summary: "\ud800" }), /no Unicode at 'summary'/],
  [(world) => world.journalled(1, { type: "X", audit: new Map() }), /a Map at 'audit'/],
  [(world) => world.journalled(1n, { type: "X" }), /a bigint at 'seq'/],
  [(world) => world.observation({ histroy: [] }), /'histroy'; it takes history, encoding/],
  [(world) => world.observation([message("user")]), /a list; it takes history/],
  [(world) => world.observation({ status: { histroy: ["cut", ""] } }), /no facet 'histroy'/],
  [(world) => world.observation({ history: [], encoding: Promise.resolve() }), /a Promise; encodingOf\(\) makes it/],
];
for (const [step, words] of FAULTS) {
  test(`a fault of the adapter is thrown, and noted even if it is swallowed: ${words}`, () => {
    const world = play();
    assert.throws(() => step(world), words);
    assert.match(world.fault, words);
  });
}

test("events and executions are bounded", () => {
  Object.assign(LIMITS, { events: 1, executions: 1 });
  const world = play();
  world.deliver({ type: "StepDone" });
  world.enter("t", {}, undefined, "");
  assert.throws(() => world.journalled(1, {}), TooMuch);
  assert.throws(() => world.enter("t", {}, undefined, ""), TooMuch);
});
