// @ts-check
/** Lines of the protocol: read ahead and bounded, written whole. */

import { writeSync } from "node:fs";

import { AdapterFault, isUnicode, kindOf, printable } from "./text.mjs";

/** Bytes of the longest line, in and out. */
export const LINE_MAX = 64 * 1024 * 1024;

/** Requests that the kit may send before the first of them is answered. */
export const WINDOW = 16;

const NEWLINE = 0x0a;

/** What stands for a line that was too long to keep. */
export const TOO_LONG = Buffer.alloc(0);

/**
 * Cut a stream of bytes into lines, without their ends.
 *
 * What follows the last newline is no line: whoever wrote it was cut off.
 */
export class Splitter {
  /** @type {Buffer[]} */
  #parts = [];
  #size = 0;

  /**
   * Take some bytes; give the lines that they complete.
   * @param {Buffer} chunk
   * @returns {Buffer[]}
   */
  take(chunk) {
    const lines = [];
    let start = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, at));
      lines.push(this.#size > LINE_MAX ? TOO_LONG : Buffer.concat(this.#parts));
      this.#parts = [];
      this.#size = 0;
      start = at + 1;
    }
    this.#keep(chunk.subarray(start));
    return lines;
  }

  /** @param {Buffer} part */
  #keep(part) {
    this.#size += part.length;
    if (this.#size > LINE_MAX) {
      this.#parts = [];
    } else if (part.length) {
      this.#parts.push(part);
    }
  }
}

/**
 * Write all of a text to a file descriptor before anything else happens.
 * @param {number} fd
 * @param {string} text
 */
export function writeAll(fd, text) {
  const data = Buffer.from(text, "utf8");
  let at = 0;
  while (at < data.length) {
    try {
      at += writeSync(fd, data, at);
    } catch (error) {
      if (/** @type {{code?: unknown}} */ (error).code !== "EAGAIN") {
        throw error;
      }
      // The reader is behind, and the pipe may not be waited for: look again in a millisecond.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

/**
 * Write a value as JSON text, and refuse what JSON would change without a word.
 * @param {unknown} value
 * @returns {string}
 * @throws {AdapterFault} It holds NaN, a function, a Map, itself, or text that is no Unicode.
 */
export function strictJson(value) {
  let text;
  try {
    text = JSON.stringify(value, refusing);
  } catch (error) {
    if (error instanceof AdapterFault) {
      throw error;
    }
    throw new AdapterFault(`what the adapter gives is no JSON: ${printable(error)}`);
  }
  if (text === undefined) {
    throw new AdapterFault(`what the adapter gives is no JSON: ${kindOf(value)}`);
  }
  return text;
}

/**
 * Let a value through that JSON can write.
 * @this {unknown}
 * @param {string} key
 * @param {unknown} value
 */
function refusing(key, value) {
  const what = unwritable(value, Array.isArray(this));
  if (what || !isUnicode(key)) {
    const where = key ? ` at '${printable(key)}'` : "";
    throw new AdapterFault(`what the adapter gives is no JSON: ${what || "a key"}${where}`);
  }
  return value;
}

/**
 * @param {unknown} value
 * @param {boolean} isItem An undefined member is none; an undefined item would be null.
 */
function unwritable(value, isItem) {
  if (typeof value === "string") {
    return isUnicode(value) ? "" : "a text that is no Unicode";
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? "" : String(value);
  }
  if (value === undefined) {
    return isItem ? "undefined" : "";
  }
  const kind = kindOf(value);
  return ["null", "boolean", "Object", "Array"].includes(kind) ? "" : `a ${kind}`;
}
