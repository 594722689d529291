// @ts-check
/** The agent under test: a small loop, to be replaced by yours. */

/** @typedef {{id: string, name: string, arguments: string}} Call */
/** @typedef {{role: string, text: string, calls?: Call[], callId?: string, isError?: boolean}} Message */

// Arguments that are no UTF-8 are no JSON either.
const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class Agent {
  /** @type {Message[]} What is committed. */
  messages = [];

  /**
   * @param {object} parts
   * @param {(messages: Message[]) => AsyncIterable<any>} parts.model Gives a reply in parts.
   * @param {Map<string, (args: unknown, call: Call) => Promise<string>>} parts.tools By name.
   * @param {(tool: string) => boolean} [parts.allows] The policy.
   * @param {boolean} [parts.sequential] Run the calls of one reply one after the other.
   * @param {number} [parts.patience] Milliseconds that one call may take.
   */
  constructor({ model, tools, allows = () => true, sequential = false, patience = 200 }) {
    this.model = model;
    this.tools = tools;
    this.allows = allows;
    this.sequential = sequential;
    this.patience = patience;
  }

  /** @param {string} user */
  async run(user) {
    this.messages.push({ role: "user", text: user });
    for (;;) {
      const reply = await this.ask(); // nothing of a reply that broke is committed
      const results = await this.runAll(reply.calls);
      const calls = reply.calls.map((call) => ({ ...call, arguments: stored(call.arguments) }));
      this.messages.push({ role: "assistant", text: reply.text, calls }, ...results);
      if (!calls.length) {
        return reply.text;
      }
    }
  }

  async ask() {
    let text = "";
    /** @type {{id: string, name: string, parts: Uint8Array[]}[]} */
    const calls = [];
    for await (const part of this.model(this.messages)) {
      text += part.text ?? "";
      if (part.call !== undefined) {
        calls[part.index] = { ...part.call, parts: [] };
      }
      if (part.bytes !== undefined) {
        calls[part.index].parts.push(part.bytes);
      }
    }
    return { text, calls: calls.map(({ id, name, parts }) => ({ id, name, arguments: joined(parts) })) };
  }

  /**
   * Runs the calls of one reply; the results stand in the order of the calls.
   * @param {Call[]} calls
   */
  async runAll(calls) {
    if (!this.sequential) {
      return Promise.all(calls.map((call) => this.answer(call)));
    }
    const results = [];
    for (const call of calls) {
      results.push(await this.answer(call));
    }
    return results;
  }

  /** @param {Call} call */
  async answer(call) {
    try {
      return { role: "tool", callId: call.id, text: await this.execute(call), isError: false };
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      return { role: "tool", callId: call.id, text: `error: ${words}`, isError: true };
    }
  }

  /** @param {Call} call */
  async execute(call) {
    const args = parsed(call.arguments);
    const tool = this.tools.get(call.name);
    if (tool === undefined) {
      throw new Error(`there is no tool ${call.name}`);
    }
    if (!this.allows(call.name)) {
      throw new Error("denied by the policy");
    }
    return inTime(tool(args, call), this.patience);
  }
}

/**
 * Waits for a tool, but not for ever.
 * @param {Promise<string>} running
 * @param {number} patience
 */
async function inTime(running, patience) {
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("timed out")), patience);
  });
  try {
    return /** @type {string} */ (await Promise.race([running, late]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads arguments: a JSON object, or an error.
 * @param {string} text
 * @returns {object}
 */
function parsed(text) {
  if (!isJson(text)) {
    throw new Error("the arguments are no JSON");
  }
  const value = JSON.parse(text);
  if (value === null || typeof value !== "object" || Array.isArray(value)) {
    throw new Error("the arguments are no object");
  }
  return value;
}

/**
 * Gives what the history holds of arguments: always JSON, so that it can be read again.
 * @param {string} text
 */
function stored(text) {
  return isJson(text) ? text : "{}";
}

/** @param {string} text */
function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Joins the parts of arguments; a cut may fall inside a character.
 * @param {Uint8Array[]} parts
 */
function joined(parts) {
  try {
    return UTF8.decode(Buffer.concat(parts));
  } catch {
    return ""; // no JSON
  }
}
