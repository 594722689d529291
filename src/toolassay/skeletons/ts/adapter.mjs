// @ts-check
/** Shows the agent to toolassay: plays one scenario at a time, and says what was seen. */

import { call, encodingOf, message, serve } from "./sdk/index.mjs";

import { Agent } from "./agent.mjs";

/** @typedef {import("./sdk/index.mjs").Play} Play */

/** @type {import("./sdk/index.mjs").Adapter} */
const adapter = {
  // What is not declared is not asked; what is declared and does not come is a failure.
  initialize: () => ({
    name: "my-agent",
    version: "0.1.0",
    deterministic: true,
    operations: ["turn/run"],
    facets: ["history", "requests", "executions", "ending"],
    features: [
      "policy", "parallel", "sequential", "next-turn", "stream-text", "stream-bytes",
      "stream-breaks", "stream-stall", "raises", "hangs", "waits",
    ],
  }),

  async turnRun(play) {
    const agent = new Agent({
      model: (messages) => parts(play, plain(messages)),
      tools: new Map(play.tools.map((tool) => [tool.name, (args, { id }) => tool.call(args, id)])),
      allows: (tool) => !play.denies(tool),
      sequential: play.sequential,
    });
    for (const [turn, user] of play.users.entries()) {
      try {
        await agent.run(user);
        play.ended(turn, "done");
      } catch (error) {
        play.ended(turn, "failed", error);
      }
    }
    const encoding = await encodingOf(
      () => JSON.stringify(agent.messages),
      (data) => JSON.stringify(JSON.parse(String(data))) === data,
    );
    return play.observation({ history: plain(agent.messages), encoding });
  },
};

/**
 * The scripted model, in the agent's terms.
 * @param {Play} play
 * @param {import("./sdk/index.mjs").Message[]} messages
 */
async function* parts(play, messages) {
  if (!play.streamed) {
    const reply = await play.model(messages, { asBytes: true });
    yield { text: reply.text };
    for (const [index, { id, name, raw }] of reply.calls.entries()) {
      yield { index, call: { id, name }, bytes: raw };
    }
    return;
  }
  for await (const { kind, text, index, id, name, raw } of play.stream(messages, { asBytes: true })) {
    if (kind === "text") {
      yield { text };
    } else {
      yield kind === "call" ? { index, call: { id, name } } : { index, bytes: raw };
    }
  }
}

/**
 * Gives the agent's messages as plain data, and changes nothing in them.
 * @param {import("./agent.mjs").Message[]} messages
 */
function plain(messages) {
  return messages.map(({ role, text, calls = [], callId, isError }) =>
    message(/** @type {import("./sdk/index.mjs").Role} */ (role), text, {
      calls: calls.map((one) => call(one.id, one.name, one.arguments)),
      toolUseId: callId,
      isError,
    }),
  );
}

await serve(adapter);
