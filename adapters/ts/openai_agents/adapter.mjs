/**
 * The adapter of the OpenAI Agents SDK for JavaScript: its runner, its session,
 * and its model for services that speak Chat Completions.
 *
 * Nothing is configured but what a scenario asks for, and one bound: a run may
 * have more turns than by default. Nothing is traced.
 */

import "../sdk/stdout.mjs";

import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";

import {
  Agent,
  MemorySession,
  OpenAIChatCompletionsModel,
  Runner,
  RunState,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";

import { AdapterFault, call, encodingOf, message, Parsed, serve } from "../sdk/index.mjs";
import { BASE_URL, chatService } from "../wire/chat.mjs";

/** Model requests of a run; the default, 10, is a limit and no matter of the contract. */
const TURNS = 2000;

// The package exports no description of itself.
const PACKAGE = new URL("node_modules/@openai/agents/package.json", import.meta.url);

setTracingDisabled(true);

await serve({ initialize, turnRun });

function initialize() {
  return {
    name: "openai-agents-js",
    version: JSON.parse(readFileSync(PACKAGE, "utf8")).version,
    operations: ["turn/run"],
    facets: ["history", "requests", "executions", "ending"],
    features: [
      "policy",
      "parallel",
      "sequential",
      "stream-text",
      "stream-breaks",
      "stream-stall",
      "next-turn",
      "raises",
      "waits",
    ],
    deterministic: true,
  };
}

async function turnRun(play) {
  const agent = new Agent({ name: "scripted", model: modelOf(play), tools: play.tools.map(native) });
  const toolExecution = play.sequential ? { maxFunctionToolConcurrency: 1 } : undefined;
  const runner = new Runner({ toolExecution });
  const session = new MemorySession();
  let state;
  for (const [turn, user] of play.users.entries()) {
    try {
      state = await turnOf(runner, agent, user, { session, stream: play.streamed, maxTurns: TURNS });
      play.ended(turn, "done");
    } catch (error) {
      state = undefined;
      play.ended(turn, "failed", error);
    }
  }
  // The session is what the library itself has committed, after a run that raised too.
  const history = plain(await session.getItems());
  return play.observation({ history, encoding: state && (await encodingOfState(agent, state)) });
}

/** Run one turn: once, and again for each time that it stops for approvals. */
async function turnOf(runner, agent, user, options) {
  let input = user;
  for (;;) {
    const result = await runner.run(agent, input, options);
    if (options.stream) {
      await result.completed;
    }
    if (!result.interruptions.length) {
      return result.state;
    }
    // Only tools that the policy denies ask for approval.
    for (const item of result.interruptions) {
      result.state.reject(item, { message: "denied by policy" });
    }
    input = result.state;
  }
}

function encodingOfState(agent, state) {
  return encodingOf(
    () => state.toString(),
    // The state also holds what is no message, such as spans; only messages are compared.
    async (text) => {
      const read = await RunState.fromString(agent, text);
      return isDeepStrictEqual(asData(read.history), asData(state.history));
    },
  );
}

/** Leave out what JSON does: members that are undefined. */
function asData(items) {
  return JSON.parse(JSON.stringify(items));
}

// --- the model and the tools ---

function modelOf(play) {
  const service = chatService();
  const client = new OpenAI({ apiKey: "none", baseURL: BASE_URL, fetch: service.fetch });
  const model = new OpenAIChatCompletionsModel(client, "scripted");
  // What the loop hands to its model is looked at on the way; it is not changed.
  return {
    getRetryAdvice: (about) => model.getRetryAdvice(about),
    async getResponse(request) {
      service.next(await play.model(plain(request.input)));
      return model.getResponse(request);
    },
    async *getStreamedResponse(request) {
      service.next(play.stream(plain(request.input)));
      yield* model.getStreamedResponse(request);
    },
  };
}

function native(scripted) {
  return tool({
    name: scripted.name,
    description: `the tool ${scripted.name}`,
    parameters: scripted.parameters,
    strict: false,
    needsApproval: scripted.denied,
    // The library has no result for a failure but what is thrown.
    execute: (input, _context, details) =>
      scripted.call(new Parsed(input), details?.toolCall?.callId),
  });
}

// --- messages ---

/**
 * Give the library's items in the kit's form. A reply is several items, a text
 * and then each call: they are one message.
 */
function plain(items) {
  const messages = [];
  let reply;
  for (const item of asItems(items)) {
    if (item.type === "function_call") {
      reply ??= opened(messages, "");
      reply.calls.push(call(item.callId, item.name, item.arguments));
    } else if (item.type === "message" && item.role === "assistant") {
      reply = opened(messages, textOf(item.content));
    } else {
      reply = undefined;
      messages.push(other(item));
    }
  }
  return messages;
}

function asItems(items) {
  return typeof items === "string" ? [{ type: "message", role: "user", content: items }] : items;
}

function opened(messages, text) {
  const reply = message("assistant", text);
  messages.push(reply);
  return reply;
}

function other(item) {
  if (item.type === "function_call_result") {
    // `status` says that the item is whole; there is no flag for errors.
    return message("tool", textOf(item.output), { toolUseId: item.callId });
  }
  if (item.type === "message") {
    return message(item.role, textOf(item.content));
  }
  throw new AdapterFault(`the library holds an item of the type ${item.type}`);
}

function textOf(content) {
  if (typeof content === "string") {
    return content;
  }
  return (Array.isArray(content) ? content : [content]).map((part) => part.text ?? "").join("");
}
