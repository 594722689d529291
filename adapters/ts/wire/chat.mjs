/**
 * A Chat Completions service in this process, for clients that can be given a `fetch`.
 *
 * A peer's own provider client talks to it: it writes the request, reads the JSON
 * or the server-sent events of the answer, and joins the fragments of arguments
 * itself. Nothing here is joined, parsed or repaired, and no socket is opened.
 */

/** @typedef {import("../sdk/index.mjs").Reply} Reply */
/** @typedef {import("../sdk/index.mjs").Fragment} Fragment */

/** Where clients are told to send their requests; a name that cannot be resolved. */
export const BASE_URL = "http://scripted.invalid/v1";

const ENCODER = new TextEncoder();

/**
 * Make the service of one play. Before each request that a client is about to
 * send, `next` is given what the model says: a reply, or the fragments of one.
 */
export function chatService() {
  let scripted;
  let answers = 0;

  return {
    /** @param {Reply | AsyncIterable<Fragment>} reply */
    next(reply) {
      scripted = reply;
    },

    /** @type {typeof fetch} */
    async fetch(_url, init) {
      const reply = scripted;
      scripted = undefined;
      if (reply === undefined) {
        throw new Error("a request was sent that the model was not asked for");
      }
      answers += 1;
      // Clients tell the responses of a conversation apart by their ids.
      const head = { id: `chatcmpl-${answers}`, created: 0, model: "scripted" };
      if (JSON.parse(init.body).stream) {
        const body = new ReadableStream(events(head, reply));
        return new Response(body, { headers: { "content-type": "text/event-stream" } });
      }
      return Response.json({ ...head, object: "chat.completion", choices: [choiceOf(reply)], usage: USAGE });
    },
  };
}

const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

function choiceOf(reply) {
  const message = { role: "assistant", content: reply.text || (reply.calls.length ? null : "") };
  if (reply.calls.length) {
    message.tool_calls = reply.calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: call.arguments },
    }));
  }
  return { index: 0, message, finish_reason: reply.calls.length ? "tool_calls" : "stop" };
}

/** Give the source of a body: one event for each fragment, as the fragments come. */
function events(head, fragments) {
  const chunks = chunksOf(fragments);
  return {
    async pull(controller) {
      try {
        const { done, value } = await chunks.next();
        if (done) {
          controller.enqueue(ENCODER.encode("data: [DONE]\n\n"));
          controller.close();
        } else {
          const chunk = { ...head, object: "chat.completion.chunk", ...value };
          controller.enqueue(ENCODER.encode(`data: ${JSON.stringify(chunk)}\n\n`));
        }
      } catch (error) {
        // The connection breaks in place of the end of the stream.
        controller.error(error);
      }
    },
    async cancel() {
      await chunks.return();
    },
  };
}

async function* chunksOf(fragments) {
  yield chunkOf({ role: "assistant", content: "" });
  let reason = "stop";
  for await (const fragment of fragments) {
    if (fragment.kind === "call") {
      reason = "tool_calls";
    }
    yield chunkOf(deltaOf(fragment));
  }
  yield chunkOf({}, reason);
  yield { choices: [], usage: USAGE };
}

function chunkOf(delta, reason = null) {
  return { choices: [{ index: 0, delta, finish_reason: reason }] };
}

function deltaOf({ kind, text, index, id, name }) {
  if (kind === "text") {
    return { content: text };
  }
  if (kind === "call") {
    return { tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] };
  }
  return { tool_calls: [{ index, function: { arguments: text } }] };
}
