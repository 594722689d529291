// @ts-check
/**
 * The scripted world of one scenario, and the record of what happened in it.
 *
 * Users import `Play` from `index.mjs`.
 */

import { setMaxListeners } from "node:events";

import { strictJson } from "./lines.mjs";
import { pause, piecesOf, replyOf, StreamBroken, TICK_MS, Tool, TooMuch } from "./script.mjs";
import {
  AdapterFault,
  checkFacets,
  checkStatus,
  ENDINGS,
  errorOf,
  heldText,
  historyOf,
  kindOf,
  normalise,
  oneWord,
  printable,
  rawOf,
  stringOf,
  Unsupported,
} from "./text.mjs";

/** @typedef {import("./index.mjs").Fragment} Fragment */
/** @typedef {import("./index.mjs").Message} Message */
/** @typedef {import("./index.mjs").Reply} Reply */
/** @typedef {import("./index.mjs").Mark} Mark */
/** @typedef {import("./index.mjs").Entry} Entry */
/** @typedef {import("./index.mjs").Text} Text */
/** @typedef {Record<string, unknown>} Data */

/** Bounds of one play; an agent that asks for more runs in a circle. */
export const LIMITS = {
  /** Model requests. */
  requests: 1000,
  /** Entries into callbacks. */
  executions: 10_000,
  /** Deliveries and journal records, together. */
  events: 100_000,
};

const PARTS = new Set(["history", "encoding", "status", "omitted"]);

/** @type {Reply} */
const DONE = replyOf({ text: "done" });

export class Play {
  #fault = "";
  #unsupported = "";
  #ending = new AbortController();
  /** @type {ReadonlySet<string> | undefined} */
  #facets;
  /** @type {Data[][]} */
  #requests = [];
  /** @type {Entry[]} */
  #executions = [];
  /** @type {Map<string, Data[]>} */
  #deliveries;
  /** @type {Map<string, Data>} */
  #ends = new Map();
  /** @type {Data[]} */
  #journal = [];
  /** @type {Data[]} */
  #turns = [];
  #events = 0;
  /** @type {Set<"text" | "value">} */
  #shownAs = new Set();
  #runWith = "text";
  /** @type {boolean | undefined} */
  #streaming;
  #stepStart = 0;

  /**
   * @param {Readonly<Record<string, any>>} scenario
   * @param {{seed?: number, facets?: readonly string[], deadlineMs?: number}} [options]
   */
  constructor(scenario, { seed = 0, facets, deadlineMs = 10_000 } = {}) {
    this.scenario = scenario;
    this.seed = seed;
    this.deadlineMs = deadlineMs;
    /** @type {readonly string[]} */
    this.users = scenario.users ?? ["go"];
    /** @type {boolean} */
    this.sequential = scenario.sequential ?? false;
    /** @type {ReadonlyMap<string, string>} */
    this.policy = new Map(Object.entries(scenario.policy ?? {}));
    /** @type {readonly Reply[]} */
    this.replies = scenario.model.map(replyOf);
    /** @type {readonly Tool[]} */
    this.tools = (scenario.tools ?? []).map(
      (/** @type {import("./script.mjs").ToolScript} */ one) => new Tool(this, one),
    );
    /** @type {readonly import("./index.mjs").Subscriber[]} */
    this.subscribers = (scenario.subscribers ?? [{}]).map(
      (/** @type {{name?: string, stalls_after?: number | null}} */ one) => ({
        name: one.name ?? "main",
        stallsAfter: one.stalls_after ?? undefined,
      }),
    );
    this.signal = this.#ending.signal;
    setMaxListeners(0, this.signal); // any number of tools may hang
    this.#facets = facets === undefined ? undefined : new Set(facets);
    this.#deliveries = new Map(this.subscribers.map((one) => [one.name, []]));
  }

  // --- what the scenario asks for ---

  get streamed() {
    return this.replies.some((reply) => reply.streamed);
  }

  get unsupported() {
    return this.#unsupported;
  }

  get fault() {
    return this.#fault;
  }

  /** @param {string} tool */
  denies(tool) {
    return this.policy.get(tool) === "deny";
  }

  /** @param {string} why */
  giveUp(why) {
    this.#unsupported ||= why;
    return new Unsupported(why);
  }

  /**
   * @param {Text} text
   * @param {string} what
   */
  string(text, what) {
    const found = stringOf(rawOf(text));
    if (found === undefined) {
      throw this.giveUp(`${what} is no text`);
    }
    return found;
  }

  // --- the model ---

  /**
   * @param {Iterable<Message>} messages
   * @param {{asBytes?: boolean}} [options]
   * @returns {Promise<Reply>}
   */
  async model(messages, { asBytes = false } = {}) {
    const reply = this.#nextReply(messages);
    if (reply.streamed) {
      throw this.giveUp("the reply is streamed, and the adapter asked for a whole one");
    }
    if (!asBytes && reply.calls.some((one) => stringOf(one.raw) === undefined)) {
      throw this.giveUp("arguments are no text");
    }
    this.#streaming = false;
    return reply;
  }

  /**
   * @param {Iterable<Message>} messages
   * @param {{asBytes?: boolean}} [options]
   * @returns {AsyncGenerator<Fragment, void, undefined>}
   */
  stream(messages, { asBytes = false } = {}) {
    const reply = this.#nextReply(messages);
    const fragments = this.#fragments(reply, asBytes);
    this.#streaming = true;
    return this.#flow(fragments, reply);
  }

  /**
   * @param {Fragment[]} fragments
   * @param {Reply} reply
   * @returns {AsyncGenerator<Fragment, void, undefined>}
   */
  async *#flow(fragments, reply) {
    try {
      yield* fragments;
      if (reply.stall) {
        await pause(reply.stall * TICK_MS, this.signal);
      }
      if (reply.breaks) {
        throw new StreamBroken("the stream of the model broke");
      }
    } finally {
      this.#streaming = false;
    }
  }

  /** @param {Iterable<Message>} messages */
  #nextReply(messages) {
    const plain = this.#noting(() => normalise(messages));
    const number = this.#requests.length;
    if (this.signal.aborted) {
      throw new TooMuch("the play is over");
    }
    if (number >= LIMITS.requests) {
      throw new TooMuch(`more than ${LIMITS.requests} model requests in one scenario`);
    }
    this.#requests.push(plain.messages);
    this.#stepStart = this.#first().length;
    for (const word of plain.heldAs) {
      this.#shownAs.add(word);
    }
    return number < this.replies.length ? this.replies[number] : DONE;
  }

  /**
   * @param {Reply} reply
   * @param {boolean} asBytes
   */
  #fragments(reply, asBytes) {
    const none = { text: "", index: 0, id: "", name: "", raw: new Uint8Array() };
    /** @type {Fragment[]} */
    const fragments = reply.text ? [{ ...none, kind: "text", text: reply.text }] : [];
    for (const [index, { id, name, raw, cuts }] of reply.calls.entries()) {
      fragments.push({ ...none, kind: "call", index, id, name });
      for (const piece of piecesOf(raw, cuts)) {
        const text = stringOf(piece);
        if (text === undefined && !asBytes) {
          throw this.giveUp("a fragment of arguments is no text");
        }
        fragments.push({ kind: "arguments", text: text ?? "", index, id, name, raw: piece });
      }
    }
    return fragments;
  }

  // --- what the implementation reports ---

  /** @returns {Mark} */
  mark() {
    /** @type {Mark} */
    const mark = { requests: this.#requests.length };
    if (this.#reports("deliveries")) {
      mark.deliveries = this.#first().length;
    }
    if (this.#reports("journal")) {
      mark.journal = this.#journal.length;
    }
    if (this.#streaming !== undefined) {
      mark.streaming = this.#streaming;
    }
    return mark;
  }

  /**
   * @param {string} tool
   * @param {unknown} args
   * @param {string | null} [callId]
   * @param {string} [executionId]
   * @returns {Entry}
   */
  enter(tool, args, callId, executionId = "") {
    const { text, isValue } = heldText(args);
    /** @type {Entry} */
    const entry = { tool, arguments: text, began: this.mark() };
    if (executionId) {
      entry.execution_id = printable(executionId);
    }
    if (callId !== undefined && callId !== null) {
      entry.call_id = printable(callId);
    }
    if (this.#executions.length >= LIMITS.executions) {
      throw new TooMuch(`more than ${LIMITS.executions} executions in one scenario`);
    }
    this.#executions.push(entry);
    if (isValue) {
      this.#runWith = "value";
    }
    return entry;
  }

  /** @param {Entry} entry */
  leave(entry) {
    entry.ended = this.mark();
  }

  /**
   * @param {import("./index.mjs").Event} event
   * @param {{subscriber?: string, durability?: "enduring" | "ephemeral" | "", seq?: number,
   *   inJournal?: boolean}} [how]
   */
  deliver(event, { subscriber, durability, seq, inJournal } = {}) {
    const place = this.#noting(() => this.#place(subscriber ?? this.subscribers[0].name));
    const given = { class: durability || undefined, seq, in_journal: inJournal };
    this.#keep(place, { event, ...given });
  }

  /**
   * @param {string} subscriber
   * @param {{status?: import("./index.mjs").Status, why?: string, error?: unknown}} [how]
   */
  subscriptionEnded(subscriber, { status = "complete", why = "", error } = {}) {
    this.#noting(() => {
      this.#place(subscriber);
      checkStatus(`the subscription ${subscriber}`, status);
    });
    const end = { status, why: printable(why) };
    const words = error === undefined || error === null ? {} : { error: printable(error) };
    this.#ends.set(subscriber, { ...end, ...words });
  }

  /**
   * @param {number} seq
   * @param {import("./index.mjs").Event} event
   */
  journalled(seq, event) {
    this.#keep(this.#journal, { seq, event });
  }

  /**
   * @param {number} turn
   * @param {import("./index.mjs").HowEnded} how
   * @param {unknown} [error]
   */
  ended(turn, how, error = "") {
    this.#noting(() => {
      if (!ENDINGS.includes(how)) {
        const words = ENDINGS.join(", ");
        throw new AdapterFault(`a turn ended '${printable(how)}'; the words are ${words}`);
      }
      if (!Number.isSafeInteger(turn) || turn < 0) {
        throw new AdapterFault(`the number of a turn is ${printable(turn)}; turns count from 0`);
      }
    });
    const words = typeof error === "string" ? printable(error) : errorOf(error);
    this.#turns.push({ turn, how, error: words });
  }

  /**
   * @param {string} what
   * @param {string} [executionId]
   */
  seen(what, executionId = "") {
    if (what === "request") {
      return this.#requests.length;
    }
    return this.#first()
      .slice(this.#stepStart)
      .filter(({ event }) => {
        const { type, tool_execution_id: id = "" } = /** @type {Data} */ (event);
        return type === what && (id === "" || id === executionId);
      }).length;
  }

  close() {
    this.#ending.abort();
  }

  #first() {
    return /** @type {Data[]} */ (this.#deliveries.get(this.subscribers[0].name));
  }

  /** @param {string} subscriber */
  #place(subscriber) {
    const place = this.#deliveries.get(subscriber);
    if (place === undefined) {
      throw new AdapterFault(`the scenario has no subscriber '${printable(subscriber)}'`);
    }
    return place;
  }

  /**
   * @param {Data[]} place
   * @param {Data} item
   */
  #keep(place, item) {
    if (this.#events >= LIMITS.events) {
      throw new TooMuch(`more than ${LIMITS.events} events in one scenario`);
    }
    // A copy, since the implementation may go on to change what it gave.
    place.push(this.#noting(() => JSON.parse(strictJson(item))));
    this.#events += 1;
  }

  /** @param {string} facet */
  #reports(facet) {
    if (this.#facets !== undefined) {
      return this.#facets.has(facet);
    }
    return facet === "journal"
      ? this.#journal.length > 0
      : [...this.#deliveries.values()].some((items) => items.length > 0);
  }

  /**
   * Run a step of the adapter; note its fault.
   *
   * Thrown inside the implementation's run, it would look like a failure of its own.
   * @template T
   * @param {() => T} step
   * @returns {T}
   */
  #noting(step) {
    try {
      return step();
    } catch (error) {
      this.#fault ||= printable(error);
      throw error;
    }
  }

  // --- the observation ---

  /**
   * @param {{
   *   history?: Iterable<Message>,
   *   encoding?: import("./index.mjs").Encoding,
   *   status?: {readonly [facet: string]: readonly [string, string] | undefined},
   *   omitted?: {readonly [facet: string]: string | undefined},
   * }} [parts]
   * @returns {import("./index.mjs").Observation}
   */
  observation(parts = {}) {
    return this.#noting(() => this.#observed(parts));
  }

  /** @param {NonNullable<Parameters<Play["observation"]>[0]>} parts */
  #observed(parts) {
    const { history, encoding } = parts;
    const status = present(parts.status ?? {});
    const omitted = present(parts.omitted ?? {});
    const unknown = Object.keys(parts).find((key) => !PARTS.has(key));
    if (unknown !== undefined || Array.isArray(parts)) {
      const what = Array.isArray(parts) ? "a list" : `'${printable(unknown)}'`;
      throw new AdapterFault(`observation() was given ${what}; it takes ${[...PARTS].join(", ")}`);
    }
    if (encoding !== undefined && typeof encoding.ok !== "boolean") {
      throw new AdapterFault(`the encoding is a ${kindOf(encoding)}; encodingOf() makes it`);
    }
    checkFacets(omitted, status);
    const facets = this.#made(history, encoding);
    for (const [facet, given] of Object.entries(status)) {
      if (Object.hasOwn(facets, facet)) {
        Object.assign(facets[facet], { status: given[0], why: printable(given[1]) });
      }
    }
    const wanted = this.#facets ?? new Set(Object.keys(facets));
    const shown = Object.entries(facets).filter(
      ([name]) => wanted.has(name) && !Object.hasOwn(omitted, name),
    );
    const leftOut = Object.keys(omitted).length ? { omitted } : {};
    return { ...Object.fromEntries(shown), ...leftOut };
  }

  /**
   * @param {Iterable<Message> | undefined} history
   * @param {import("./index.mjs").Encoding | undefined} encoding
   * @returns {Record<string, Data>}
   */
  #made(history, encoding) {
    const executions = this.#executions.map((entry) => ({ ...entry }));
    /** @type {Record<string, Data>} */
    const facets = {
      requests: { requests: [...this.#requests], arguments: oneWord(this.#shownAs) },
      executions: { executions, arguments: this.#runWith },
    };
    if (this.#turns.length) {
      facets.ending = { turns: [...this.#turns] };
    }
    if (this.#reports("journal")) {
      facets.journal = { records: [...this.#journal] };
    }
    if (this.#reports("deliveries")) {
      const subscriptions = [...this.#deliveries].map(([name, items]) => ({
        name,
        deliveries: [...items],
        ...this.#ends.get(name),
      }));
      facets.deliveries = { subscriptions };
    }
    if (history !== undefined && history !== null) {
      facets.history = historyOf(history, encoding);
    }
    return facets;
  }
}

/**
 * Leave out what is undefined.
 * @template T
 * @param {{readonly [key: string]: T | undefined}} given
 * @returns {Record<string, T>}
 */
function present(given) {
  const pairs = Object.entries(given).filter(([, value]) => value !== undefined);
  return /** @type {Record<string, T>} */ (Object.fromEntries(pairs));
}
