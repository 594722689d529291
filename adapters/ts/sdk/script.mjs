// @ts-check
/**
 * What is scripted in a scenario: the model's replies and the tools.
 *
 * Users import these names from `index.mjs`.
 */

import { rawOf, stringOf } from "./text.mjs";

/** @typedef {import("./index.mjs").Reply} Reply */
/** @typedef {import("./index.mjs").Call} Call */
/** @typedef {import("./index.mjs").Fragment} Fragment */
/** @typedef {import("./index.mjs").Text} Text */

/**
 * @typedef {object} Behaviour What a scripted tool does.
 * @property {Text | null} [returns]
 * @property {Text | null} [fails]
 * @property {string | null} [raises]
 * @property {boolean} [hangs]
 * @property {number} [ticks]
 * @property {string | null} [waits_for]
 */

/**
 * @typedef {object} ToolScript
 * @property {string} name
 * @property {Record<string, unknown>} [parameters]
 * @property {Behaviour} [behaviour]
 */

/**
 * @typedef {object} ReplyScript
 * @property {string} [text]
 * @property {{id: string, name: string, arguments?: Text, cuts?: number[]}[]} [calls]
 * @property {boolean} [streamed]
 * @property {number} [stall]
 * @property {boolean} [breaks]
 */

/** Milliseconds of one tick. */
export const TICK_MS = 1;

/** Longest wait of a tool with `waits_for` that names no `ticks`. */
const WAIT_TICKS = 50;

/** Longest time for which a hanging tool really hangs; the kit kills it long before. */
const HANG_MS = 3_600_000;

export class ScriptedError extends Error {
  /** @param {string} message What the scenario says. */
  constructor(message) {
    super(message);
    this.name = "ScriptedError";
  }
}

export class ToolFailed extends Error {
  /** @param {string} text The text of the result. */
  constructor(text) {
    super(text);
    this.name = "ToolFailed";
    this.text = text;
  }
}

export class StreamBroken extends Error {
  /** @param {string} message What broke. */
  constructor(message) {
    super(message);
    this.name = "StreamBroken";
  }
}

export class TooMuch extends Error {
  /** @param {string} message What there was too much of. */
  constructor(message) {
    super(message);
    this.name = "TooMuch";
  }
}

/** One scripted tool; call it from the implementation's callback. */
export class Tool {
  /** @type {import("./play.mjs").Play} */
  #play;
  /** @type {Behaviour} */
  #behaviour;

  /**
   * @param {import("./play.mjs").Play} play
   * @param {ToolScript} script
   */
  constructor(play, script) {
    this.name = script.name;
    this.parameters = script.parameters ?? { type: "object" };
    this.denied = play.denies(this.name);
    this.#play = play;
    this.#behaviour = script.behaviour ?? {};
  }

  /**
   * @param {unknown} args
   * @param {string | null} [callId]
   * @param {string} [executionId]
   * @returns {Promise<string>}
   */
  async call(args, callId, executionId = "") {
    const entry = this.#play.enter(this.name, args, callId, executionId);
    try {
      await this.#pauses(executionId);
      return this.#result();
    } finally {
      this.#play.leave(entry);
    }
  }

  /**
   * Sleep until the time is up, or what is awaited was seen.
   * @param {string} executionId
   */
  async #pauses(executionId) {
    const { hangs, waits_for: awaited, ticks = 0 } = this.#behaviour;
    const { signal } = this.#play;
    if (awaited) {
      await this.#wait(awaited, ticks || WAIT_TICKS, executionId);
    } else if (hangs) {
      await pause(HANG_MS, signal);
    } else if (ticks) {
      await pause(ticks * TICK_MS, signal);
    }
  }

  /**
   * @param {string} awaited
   * @param {number} ticks
   * @param {string} executionId
   */
  async #wait(awaited, ticks, executionId) {
    const play = this.#play;
    const before = awaited === "request" ? play.seen(awaited) : 0;
    const end = performance.now() + ticks * TICK_MS;
    while (!play.signal.aborted && performance.now() < end) {
      if (play.seen(awaited, executionId) > before) {
        return;
      }
      await pause(TICK_MS, play.signal);
    }
  }

  #result() {
    const { hangs, raises, fails, returns } = this.#behaviour;
    if (hangs) {
      throw new ScriptedError("the hanging tool was given up");
    }
    if (raises !== undefined && raises !== null) {
      throw new ScriptedError(raises);
    }
    if (fails !== undefined && fails !== null) {
      throw new ToolFailed(this.#play.string(fails, "a result"));
    }
    return returns === undefined || returns === null ? "ok" : this.#play.string(returns, "a result");
  }
}

/**
 * Sleep, but no longer than the play goes on.
 * @param {number} ms
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(ms, signal) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, signal.aborted ? 0 : ms);
    signal.addEventListener("abort", done, { once: true });
  });
}

/**
 * Read one reply of a scenario.
 * @param {ReplyScript} script
 * @returns {Reply}
 */
export function replyOf(script) {
  const calls = (script.calls ?? []).map((one) => {
    const raw = rawOf(one.arguments ?? "{}");
    const { id, name, cuts = [] } = one;
    return Object.freeze({ id, name, arguments: stringOf(raw) ?? "", raw, cuts });
  });
  const { text = "", streamed = false, stall = 0, breaks = false } = script;
  return Object.freeze({ text, calls, streamed, stall, breaks });
}

/**
 * Cut a text at byte offsets; an empty text is one empty fragment.
 * @param {Uint8Array} raw
 * @param {readonly number[]} cuts
 * @returns {Uint8Array[]}
 */
export function piecesOf(raw, cuts) {
  const pieces = [];
  let start = 0;
  for (const cut of [...cuts].sort((one, other) => one - other)) {
    const place = Math.min(Math.max(cut, start), raw.length);
    pieces.push(raw.subarray(start, place));
    start = place;
  }
  pieces.push(raw.subarray(start));
  return pieces;
}
