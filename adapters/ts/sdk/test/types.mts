/** The declarations say what the modules are: this file compiles, or they do not. */

import * as declared from "../index.mjs";
import * as play from "../play.mjs";
import * as script from "../script.mjs";
import * as server from "../serve.mjs";
import * as text from "../text.mjs";

// Every declared name is there, with the declared type.
export const whole: typeof declared = {
  Play: play.Play,
  ScriptedError: script.ScriptedError,
  StreamBroken: script.StreamBroken,
  ToolFailed: script.ToolFailed,
  TooMuch: script.TooMuch,
  serve: server.serve,
  AdapterFault: text.AdapterFault,
  Encoded: text.Encoded,
  Parsed: text.Parsed,
  Rejected: text.Rejected,
  Unsupported: text.Unsupported,
  call: text.call,
  encodingOf: text.encodingOf,
  errorOf: text.errorOf,
  message: text.message,
  textOf: text.textOf,
};

/** An adapter as a user types it. */
export const adapter: declared.Adapter = {
  initialize: () => ({
    name: "typed",
    operations: ["turn/run"],
    facets: ["history", "ending"],
    features: ["parallel", "stream-text"],
  }),
  async turnRun(play) {
    const history = [declared.message("user", play.users[0])];
    const reply: declared.Reply = await play.model(history);
    const calls = reply.calls.map((one) => declared.call(one.id, one.name, one.arguments));
    history.push(declared.message("assistant", reply.text, { calls }));
    for await (const fragment of play.stream(history)) {
      const kind: "text" | "call" | "arguments" = fragment.kind;
      history.push(declared.message("assistant", kind));
    }
    const words: string = await play.tools[0].call({ a: 1 }, reply.calls[0].id);
    history.push(declared.message("tool", words, { toolUseId: "c1", isError: false }));
    play.ended(0, "done");
    const encoding = await declared.encodingOf(() => JSON.stringify(history), () => true);
    return play.observation({ history, encoding, status: { history: ["aborted", "it threw"] } });
  },
};

// @ts-expect-error A facet that there is not.
adapter.initialize = () => ({ name: "x", operations: [], facets: ["histroy"] });

// @ts-expect-error A role that there is not.
declared.message("wizard");
