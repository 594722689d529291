// @ts-check
/**
 * One adapter, and the requests to it.
 *
 * A JSON-RPC error says that the adapter is at fault; whatever the implementation
 * throws is a result, `raised`.
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { basename } from "node:path";

import { LINE_MAX, strictJson, TOO_LONG, WINDOW } from "./lines.mjs";
import { checkParams, isMethod, WrongParams } from "./params.mjs";
import { Play } from "./play.mjs";
import {
  AdapterFault,
  errorOf,
  FACETS,
  isA,
  kindOf,
  printable,
  rawOf,
  Rejected,
  safe,
  textOf,
  typeOf,
  Unsupported,
} from "./text.mjs";

/** @typedef {import("./index.mjs").Adapter} Adapter */
/** @typedef {Record<string, unknown>} Data */
/** @typedef {{status: string, value?: unknown, detail?: string, [part: string]: unknown}} Result */

/** Version of the protocol that is spoken here. */
const PROTOCOL = 1;

const NO_JSON = -32700;
const BAD_REQUEST = -32600;
const BAD_METHOD = -32601;
const BAD_PARAMS = -32602;
const ADAPTER_FAULT = -32001;

/** Characters of a stack that are sent. */
const TAIL_MAX = 4000;

/** Most requests that an adapter may ask the kit to send ahead. */
const WINDOW_MAX = 64;

/** The operations, and the methods of an adapter that offer them. */
const OPERATIONS = {
  "turn/run": "turnRun",
  "event/validate": "eventValidate",
  "arguments/sanitize": "argumentsSanitize",
};

// A byte order mark is no JSON.
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A fault, as a JSON-RPC error. */
class Fault extends Error {
  /**
   * @param {number} code
   * @param {string} message
   * @param {string} [detail]
   */
  constructor(code, message, detail = "") {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

/**
 * @typedef {object} Ticket A request that runs; what is thrown past everyone finds it here.
 * @property {boolean} open False when it was answered.
 * @property {(error: unknown) => void} escaped Ends it with `raised`.
 */

/** @type {AsyncLocalStorage<Ticket>} */
const tickets = new AsyncLocalStorage();

/**
 * Give the request in which the running code was started; none if that is not known.
 * @returns {Ticket | undefined}
 */
export function currentTicket() {
  return tickets.getStore();
}

export class Session {
  #adapter;
  /** @type {readonly string[] | undefined} */
  #facets;

  /** True when the kit asked for the end. */
  isOver = false;

  /** Milliseconds that the kit gives the latest request. */
  deadlineMs = 10_000;

  /** @param {Adapter} adapter */
  constructor(adapter) {
    this.#adapter = adapter;
  }

  /**
   * Answer one line with one line, whatever happens.
   * @param {Buffer} line
   * @returns {Promise<string>}
   */
  async answer(line) {
    /** @type {number | null} */
    let id = null;
    try {
      const request = requestOf(line);
      id = Number.isSafeInteger(request.id) ? Number(request.id) : null;
      const method = methodOf(request);
      return lineOf({ jsonrpc: "2.0", id, result: await this.#dispatch(method, request.params) });
    } catch (error) {
      const fault = isA(error, Fault) ? error : faultOf(error);
      const { code, message, detail } = fault;
      const data = detail ? { data: { detail: safe(detail) } } : {};
      return lineOf({ jsonrpc: "2.0", id, error: { code, message: printable(message), ...data } });
    }
  }

  /**
   * @param {string} method
   * @param {unknown} [given]
   * @returns {Promise<object>}
   */
  async #dispatch(method, given = {}) {
    if (this.#facets === undefined && method !== "initialize" && method !== "shutdown") {
      throw new Fault(BAD_REQUEST, `${printable(method)} before initialize`);
    }
    if (!isMethod(method) || (method === "reset" && this.#adapter.reset === undefined)) {
      throw new Fault(BAD_METHOD, `unknown method '${printable(method)}'`);
    }
    checkParams(method, given);
    const params = /** @type {Record<string, any>} */ (given);
    switch (method) {
      case "initialize":
        return this.#initialize();
      case "turn/run":
        return this.#turnRun(params);
      case "event/validate":
        return this.#eventValidate(params);
      case "arguments/sanitize":
        return this.#argumentsSanitize(params);
      case "reset":
        await this.#adapter.reset?.();
        return { status: "ok" };
      case "shutdown":
        this.isOver = true;
        return { status: "ok" };
    }
  }

  async #initialize() {
    if (typeof this.#adapter?.initialize !== "function") {
      throw new AdapterFault("serve() was given no adapter: it has no initialize()");
    }
    const described = await this.#adapter.initialize();
    this.#checkDescribed(described);
    this.#facets = [...(described.facets ?? [])];
    const reset = this.#adapter.reset !== undefined;
    return { window: WINDOW, ...described, facets: this.#facets, reset, protocol: PROTOCOL };
  }

  /**
   * Refuse what the kit could not use. The words themselves are the kit's to know.
   * @param {import("./index.mjs").Description} described
   */
  #checkDescribed(described) {
    if (kindOf(described) !== "Object") {
      throw new AdapterFault(`initialize() gave ${kindOf(described)}, not an object`);
    }
    const { name, operations, facets = [], features = [], window = WINDOW } = described;
    if (typeof name !== "string" || !name) {
      throw new AdapterFault("initialize() gave no name");
    }
    for (const [key, words] of Object.entries({ operations, facets, features })) {
      if (!Array.isArray(words) || !words.every((word) => typeof word === "string")) {
        throw new AdapterFault(`the ${key} that initialize() gave are no list of words`);
      }
    }
    if (!Number.isInteger(window) || window < 1 || window > WINDOW_MAX) {
      throw new AdapterFault(`the window that initialize() gave is not 1 to ${WINDOW_MAX}`);
    }
    for (const operation of operations) {
      if (Object.hasOwn(OPERATIONS, operation) && !this.#operation(operation)) {
        const method = OPERATIONS[operation];
        throw new AdapterFault(`initialize() declares ${operation}, and there is no ${method}()`);
      }
    }
  }

  /** @param {Record<string, any>} params */
  async #turnRun(params) {
    const { scenario, seed, deadline_ms: deadlineMs } = params;
    const play = new Play(scenario, { seed, facets: this.#facets, deadlineMs });
    const result = await this.#call("turn/run", play, params, play);
    // The implementation may have swallowed either exception on its way.
    if (play.fault) {
      throw new Fault(ADAPTER_FAULT, play.fault, result.detail);
    }
    if (play.unsupported) {
      return { status: "unsupported", why: printable(play.unsupported) };
    }
    if (result.status !== "ok") {
      return result;
    }
    const seen = result.value;
    const unknown =
      seen !== null && typeof seen === "object" && !Array.isArray(seen)
        ? Object.keys(seen).find((key) => !FACETS.includes(key) && key !== "omitted")
        : kindOf(seen);
    if (unknown !== undefined) {
      const what = `turnRun() gave ${printable(unknown)}`;
      throw new AdapterFault(`${what}; it returns what play.observation() gives`);
    }
    return { status: "ok", observation: seen };
  }

  /** @param {Record<string, any>} params */
  async #eventValidate(params) {
    const event = typeof params.event === "string" ? params.event : rawOf(params.event);
    const result = await this.#call("event/validate", event, params);
    return result.status === "ok" ? { status: "ok" } : result;
  }

  /** @param {Record<string, any>} params */
  async #argumentsSanitize(params) {
    const result = await this.#call("arguments/sanitize", rawOf(params.arguments), params);
    if (result.status !== "ok") {
      return result;
    }
    const { stored, executable } = /** @type {Data} */ (result.value ?? {});
    const outcome = { status: "ok", stored: viewOf(stored), executable: viewOf(executable) };
    return { status: "ok", outcome };
  }

  /** @param {string} operation */
  #operation(operation) {
    const name = OPERATIONS[/** @type {keyof typeof OPERATIONS} */ (operation)];
    const found = /** @type {Data} */ (/** @type {unknown} */ (this.#adapter))[name];
    return typeof found === "function" ? found : undefined;
  }

  /**
   * @param {keyof typeof OPERATIONS} name
   * @param {unknown} argument
   * @param {Record<string, any>} params
   * @param {Play} [play]
   * @returns {Promise<Result>}
   */
  async #call(name, argument, params, play) {
    this.deadlineMs = params.deadline_ms ?? this.deadlineMs;
    const operation = this.#operation(name);
    if (operation === undefined) {
      return { status: "unsupported", why: `the adapter has no ${OPERATIONS[name]}` };
    }
    try {
      const value = await ticketed(async () => operation.call(this.#adapter, argument));
      return { status: "ok", value };
    } catch (error) {
      return thrown(error);
    } finally {
      play?.close();
    }
  }
}

/**
 * Run one request; what is thrown past everyone on its way ends it.
 *
 * Node would end the whole process: here it ends the request, with the same
 * words, and what its code still does later is known to be its own.
 * @param {() => Promise<unknown>} step
 */
async function ticketed(step) {
  /** @type {Ticket} */
  const ticket = { open: true, escaped: () => {} };
  const escape = new Promise((_, reject) => {
    ticket.escaped = reject;
  });
  try {
    const value = await Promise.race([tickets.run(ticket, step), escape]);
    // A rejection that nobody handles is told after all that is ready has run.
    await Promise.race([new Promise((resolve) => setImmediate(resolve)), escape]);
    return value;
  } finally {
    ticket.open = false;
    escape.catch(() => {});
  }
}

/**
 * @param {Buffer} line
 * @returns {Data}
 */
function requestOf(line) {
  if (line === TOO_LONG) {
    throw new Fault(NO_JSON, `the line has more than ${LINE_MAX} bytes`);
  }
  let request;
  try {
    request = JSON.parse(STRICT.decode(line));
  } catch {
    throw new Fault(NO_JSON, "the line is no JSON");
  }
  if (kindOf(request) !== "Object") {
    throw new Fault(BAD_REQUEST, "the line is no request");
  }
  return request;
}

/** @param {Data} request */
function methodOf({ jsonrpc, id, method }) {
  if (jsonrpc !== "2.0" || !Number.isSafeInteger(id) || typeof method !== "string") {
    throw new Fault(BAD_REQUEST, "the line is no request: jsonrpc 2.0, an integer id, a method");
  }
  return method;
}

/** @param {unknown} error What was thrown where only adapters are at work. */
function faultOf(error) {
  if (isA(error, WrongParams)) {
    return new Fault(BAD_PARAMS, error.message);
  }
  const words = isA(error, AdapterFault) ? error.message : `${errorOf(error)}${where(error)}`;
  return new Fault(ADAPTER_FAULT, words, stackOf(error));
}

/**
 * @param {unknown} error
 * @returns {Result}
 */
function thrown(error) {
  if (isA(error, AdapterFault)) {
    throw error;
  }
  if (isA(error, Rejected)) {
    return { status: "rejected", ...error.parts };
  }
  if (isA(error, Unsupported)) {
    return { status: "unsupported", why: printable(error.message) };
  }
  const words = { type: typeOf(error), message: printable(errorOf(error) + where(error)) };
  return { status: "raised", error: words, detail: stackOf(error) };
}

/** @param {unknown} view */
function viewOf(view) {
  if (typeof view !== "string" && !(isA(view, Uint8Array))) {
    throw new AdapterFault(`argumentsSanitize() gave a view that is ${kindOf(view)}, not a text`);
  }
  return textOf(view);
}

/**
 * @param {object} value
 * @returns {string}
 */
function lineOf(value) {
  const line = `${strictJson(value)}\n`;
  if (line.length > LINE_MAX || Buffer.byteLength(line) > LINE_MAX) {
    throw new AdapterFault(`the adapter's answer has more than ${LINE_MAX} bytes`);
  }
  return line;
}

/**
 * Give the end of a stack.
 * @param {unknown} error
 */
export function stackOf(error) {
  try {
    const stack = isA(error, Error) ? error.stack : undefined;
    return typeof stack === "string" ? safe(stack.slice(0, TAIL_MAX)) : "";
  } catch {
    return "";
  }
}

/**
 * Say where it was thrown: the adapter's own line, or else the very first.
 * @param {unknown} error
 */
function where(error) {
  const frames = [...stackOf(error).matchAll(/^ +at (?:async )?(?:(.*) \()?(.+?):(\d+):\d+\)?$/gm)];
  const own = basename(process.argv[1] ?? "");
  const found = frames.find((one) => basename(one[2]) === own) ?? frames[0];
  if (found === undefined) {
    return "";
  }
  const [, name, path, number] = found;
  const inside = name ? `in ${name}, ` : "";
  return ` (${inside}${basename(path)}:${number})`;
}
