/**
 * The adapter of the Vercel AI SDK: `generateText` and `streamText`, with the
 * library's client for services that speak OpenAI's Chat Completions.
 *
 * Nothing is configured but what a scenario asks for, and one bound: a run may
 * have many steps, where the default is a single one.
 */

import "../sdk/stdout.mjs";

import { createRequire } from "node:module";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, streamText, tool, wrapLanguageModel } from "ai";

import { call, message, Parsed, serve } from "../sdk/index.mjs";
import { BASE_URL, chatService } from "../wire/chat.mjs";

/** Steps of a run; the default, 1, ends it after the first batch of calls. */
const STEPS = 2000;

const { version } = createRequire(import.meta.url)("ai/package.json");

await serve({ initialize, turnRun });

function initialize() {
  return {
    name: "ai",
    version,
    operations: ["turn/run"],
    facets: ["history", "requests", "executions", "ending"],
    features: [
      "policy",
      "parallel",
      "stream-text",
      "stream-breaks",
      "stream-stall",
      "next-turn",
      "raises",
      "waits",
    ],
    // It draws ids for calls whose own it cannot use.
    deterministic: false,
  };
}

async function turnRun(play) {
  const agent = { model: modelOf(play), tools: toolsOf(play), stopWhen: stepCountIs(STEPS) };
  const ask = play.streamed ? streamed : whole;
  let history = [];
  let status = {};
  for (const [turn, user] of play.users.entries()) {
    // As the documentation's chat loops do: what the user said stays in the list
    // of the application, whatever becomes of the run.
    history.push({ role: "user", content: user });
    try {
      history = await turnOf((messages) => ask({ ...agent, messages }), history);
      play.ended(turn, "done");
      status = {};
    } catch (error) {
      play.ended(turn, "failed", error);
      status = { history: ["aborted", `the run of turn ${turn} raised`] };
    }
  }
  return play.observation({ history: plain(history), status });
}

/** Run one turn: once, and again for each time that it stops for approvals. */
async function turnOf(ask, before) {
  let messages = before;
  for (;;) {
    const answered = await ask(messages);
    messages = [...messages, ...answered];
    const denials = denialsOf(answered);
    if (!denials.length) {
      return messages;
    }
    messages.push({ role: "tool", content: denials });
  }
}

async function whole(options) {
  const result = await generateText(options);
  return result.response.messages;
}

async function streamed(options) {
  const errors = [];
  const onError = (event) => void errors.push(event?.error ?? event);
  const result = streamText({ ...options, onError });
  await result.consumeStream({ onError });
  const { messages } = await result.response;
  if (errors.length) {
    throw errors[0];
  }
  return messages;
}

/** Only tools that the policy denies ask for approval. */
function denialsOf(messages) {
  return messages
    .flatMap((one) => (one.role === "assistant" ? partsOf(one) : []))
    .filter((part) => part.type === "tool-approval-request")
    .map(({ approvalId }) => ({
      type: "tool-approval-response",
      approvalId,
      approved: false,
      reason: "denied by policy",
    }));
}

// --- the model and the tools ---

function modelOf(play) {
  const service = chatService();
  const client = createOpenAICompatible({
    name: "scripted",
    baseURL: BASE_URL,
    fetch: service.fetch,
  });
  // What the loop hands to its model is looked at on the way; it is not changed.
  const middleware = {
    specificationVersion: "v3",
    async wrapGenerate({ doGenerate, params }) {
      service.next(await play.model(plain(params.prompt)));
      return doGenerate();
    },
    async wrapStream({ doStream, params }) {
      service.next(play.stream(plain(params.prompt)));
      return doStream();
    },
  };
  return wrapLanguageModel({ model: client("scripted"), middleware });
}

function toolsOf(play) {
  return Object.fromEntries(
    play.tools.map((scripted) => [
      scripted.name,
      tool({
        description: `the tool ${scripted.name}`,
        inputSchema: jsonSchema(scripted.parameters),
        needsApproval: scripted.denied,
        // The library has no result for a failure but what is thrown.
        execute: (input, { toolCallId }) => scripted.call(new Parsed(input), toolCallId),
      }),
    ]),
  );
}

// --- messages ---

/** Give the library's messages in the kit's form: one message per result. */
function plain(messages) {
  return messages.flatMap((one) =>
    one.role === "tool" ? resultsOf(one) : [message(one.role, textOf(one), { calls: callsOf(one) })],
  );
}

function partsOf({ content }) {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function textOf(one) {
  return partsOf(one)
    .filter((part) => part.type === "text")
    .map((part) => part.text)
    .join("");
}

function callsOf(one) {
  return partsOf(one)
    .filter((part) => part.type === "tool-call")
    .map((part) => call(part.toolCallId, part.toolName, new Parsed(part.input)));
}

/** Give a message for each result; answers to approvals are no results. */
function resultsOf(one) {
  return one.content
    .filter((part) => part.type === "tool-result")
    .map(({ toolCallId, output }) =>
      message("tool", textOfOutput(output), {
        toolUseId: toolCallId,
        // The kind of the output is the flag of this library.
        isError: ["error-text", "error-json", "execution-denied"].includes(output.type),
      }),
    );
}

function textOfOutput(output) {
  switch (output.type) {
    case "text":
    case "error-text":
      return output.value;
    case "execution-denied":
      return output.reason ?? "";
    default:
      return JSON.stringify(output.value);
  }
}
