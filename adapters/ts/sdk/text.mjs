// @ts-check
/**
 * Texts, messages and refusals as plain JSON data.
 *
 * Users import these names from `index.mjs`.
 */

import { written } from "./written.mjs";

/** @typedef {import("./index.mjs").Message} Message */
/** @typedef {import("./index.mjs").MessageCall} MessageCall */
/** @typedef {import("./index.mjs").Text} Text */

/** Who speaks in a message. */
export const ROLES = ["system", "user", "assistant", "tool"];

/** What an observation of a play can have. */
export const FACETS = ["history", "requests", "executions", "deliveries", "journal", "ending"];

/** Whether all that happened is in a facet, or why it is not. */
export const STATUSES = ["complete", "aborted", "cut", "unsubscribed", "deadline"];

/** How a turn can end. */
export const ENDINGS = ["done", "failed", "interrupted"];

/** Characters of an error that are kept. */
const SHOWN_MAX = 2000;

const MESSAGE_KEYS = new Set(["role", "text", "calls", "toolUseId", "isError"]);
const CALL_KEYS = new Set(["id", "name", "arguments"]);

// In this mode of regular expressions the two halves of a character are one.
const LONE_SURROGATES = /[\ud800-\udfff]/gu;

// A byte order mark is a character like any other.
const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export class Encoded {
  /** @param {string} base64 Its bytes. */
  constructor(base64) {
    this.base64 = base64;
  }
}

export class Parsed {
  /** @param {unknown} value The parsed value. */
  constructor(value) {
    this.value = value;
  }
}

export class Unsupported extends Error {
  /** @param {string} why What cannot be asked for. */
  constructor(why) {
    super(why);
    this.name = "Unsupported";
  }
}

export class AdapterFault extends Error {
  /** @param {string} message What the adapter did. */
  constructor(message) {
    super(message);
    this.name = "AdapterFault";
  }
}

export class Rejected extends Error {
  /**
   * @param {string} [code] Canonical code.
   * @param {{event?: string, field?: string, rule?: string, native?: unknown}} [parts] The rest.
   */
  constructor(code = "", { event = "", field = "", rule = "", native = "" } = {}) {
    super(code);
    this.name = "Rejected";
    const parts = { code, event, field, rule, native: printable(native) };
    /** @type {Record<string, string>} */
    this.parts = Object.fromEntries(Object.entries(parts).filter(([, words]) => words));
  }
}

// --- texts ---

/**
 * Tell whether a string has no lone surrogates.
 * @param {string} text
 */
export function isUnicode(text) {
  return text.search(LONE_SURROGATES) < 0;
}

/**
 * @param {string | Uint8Array} value
 * @returns {string | Encoded}
 */
export function textOf(value) {
  if (typeof value === "string") {
    return isUnicode(value) ? value : encoded(bytesOf(value));
  }
  try {
    return STRICT.decode(value);
  } catch {
    return encoded(value);
  }
}

/**
 * Give the bytes of a text that came from the kit.
 * @param {Text} text
 * @returns {Uint8Array}
 */
export function rawOf(text) {
  return typeof text === "string" ? bytesOf(text) : Buffer.from(text.base64, "base64");
}

/**
 * Give bytes as a string, lone surrogates included; none if they are no string at all.
 *
 * Two surrogates that would become one character are no string either: its
 * bytes would be others.
 * @param {Uint8Array} data
 * @returns {string | undefined}
 */
export function stringOf(data) {
  try {
    return STRICT.decode(data);
  } catch {
    const found = withSurrogates(data);
    return found !== undefined && bytesOf(found).equals(data) ? found : undefined;
  }
}

/**
 * Encode a string; a lone surrogate becomes the three bytes that UTF-8 forbids.
 * @param {string} text
 */
function bytesOf(text) {
  if (isUnicode(text)) {
    return Buffer.from(text, "utf8");
  }
  const parts = [];
  let start = 0;
  for (const found of text.matchAll(LONE_SURROGATES)) {
    const unit = text.charCodeAt(found.index);
    parts.push(Buffer.from(text.slice(start, found.index), "utf8"));
    parts.push(Buffer.from([0xe0 | (unit >> 12), 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]));
    start = found.index + 1;
  }
  parts.push(Buffer.from(text.slice(start), "utf8"));
  return Buffer.concat(parts);
}

/**
 * Decode UTF-8 in which surrogates may stand.
 * @param {Uint8Array} data
 */
function withSurrogates(data) {
  const parts = [];
  let start = 0;
  try {
    for (let at = 0; at + 2 < data.length; at += 1) {
      // Only the first byte of a character is ED, so this never looks inside one.
      if (data[at] === 0xed && data[at + 1] >= 0xa0) {
        const unit = 0xd000 | ((data[at + 1] & 0x3f) << 6) | (data[at + 2] & 0x3f);
        parts.push(STRICT.decode(data.subarray(start, at)), String.fromCharCode(unit));
        start = at + 3;
        at += 2;
      }
    }
    parts.push(STRICT.decode(data.subarray(start)));
  } catch {
    return undefined;
  }
  return parts.join("");
}

/** @param {Uint8Array} data */
function encoded(data) {
  return new Encoded(Buffer.from(data).toString("base64"));
}

// --- errors ---

/**
 * Give the words of an error as a bounded string that JSON can carry.
 * @param {unknown} value
 */
export function printable(value) {
  const words = wordsOf(value);
  const bounded = words.length > SHOWN_MAX ? [...words.slice(0, 2 * SHOWN_MAX)] : undefined;
  return safe(bounded === undefined ? words : bounded.slice(0, SHOWN_MAX).join(""));
}

/**
 * @param {unknown} error
 * @returns {string}
 */
export function errorOf(error) {
  const words = printable(error);
  return printable(words ? `${typeOf(error)}: ${words}` : typeOf(error));
}

/**
 * Name the type of what was thrown.
 * @param {unknown} error
 * @returns {string}
 */
export function typeOf(error) {
  try {
    if (!isA(error, Error)) {
      return kindOf(error);
    }
    const named = typeof error.name === "string" ? error.name : "";
    // A class that sets no name of its own has that of `Error`.
    return printable((named === "Error" ? error.constructor.name : named) || "Error");
  } catch {
    return "Error"; // the error of a stranger may throw by itself
  }
}

/**
 * Write lone surrogates as their escapes.
 * @param {string} text
 */
export function safe(text) {
  return text.replace(LONE_SURROGATES, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}

/**
 * Tell whether a value is of a class; even asking may throw, of what a stranger gives.
 * @template T
 * @param {unknown} value
 * @param {new (...args: any[]) => T} kind
 * @returns {value is T}
 */
export function isA(value, kind) {
  try {
    return value instanceof kind;
  } catch {
    return false;
  }
}

/** @param {unknown} value */
function wordsOf(value) {
  try {
    return String(isA(value, Error) ? value.message : value);
  } catch {
    return kindOf(value);
  }
}

/**
 * Name the kind of a value.
 * @param {unknown} value
 * @returns {string}
 */
export function kindOf(value) {
  if (value === null || typeof value !== "object") {
    return value === null ? "null" : typeof value;
  }
  try {
    return Object.prototype.toString.call(value).slice("[object ".length, -1);
  } catch {
    return "object";
  }
}

// --- messages ---

/**
 * @param {string | null | undefined} id
 * @param {string} name
 * @param {unknown} args
 * @returns {MessageCall}
 */
export function call(id, name, args) {
  return { id, name, arguments: args };
}

/**
 * @param {import("./index.mjs").Role} role
 * @param {string | Uint8Array | Encoded} [text]
 * @param {{calls?: Iterable<MessageCall>, toolUseId?: string | null, isError?: boolean | null}} [parts]
 * @returns {Message}
 */
export function message(role, text = "", { calls = [], toolUseId, isError, ...unknown } = {}) {
  // An unknown part stays where `normalise` refuses it, whoever swallows an exception here.
  return { role, text, calls: [...calls], toolUseId, isError, ...unknown };
}

/**
 * @typedef {object} Normalised
 * @property {Record<string, unknown>[]} messages The messages, with defaults left out.
 * @property {Set<"text" | "value">} heldAs How the arguments of calls are held.
 */

/**
 * Turn messages of an adapter into the JSON data of an observation.
 * @param {Iterable<Message>} messages
 * @returns {Normalised}
 * @throws {AdapterFault} A message or a call was not made by `message` or `call`.
 */
export function normalise(messages) {
  if (messages === null || typeof messages !== "object" || !(Symbol.iterator in messages)) {
    throw new AdapterFault(`the messages of the adapter are a ${kindOf(messages)}, not a list`);
  }
  /** @type {Set<"text" | "value">} */
  const heldAs = new Set();
  return { messages: Array.from(messages, (one) => normalised(one, heldAs)), heldAs };
}

/**
 * @param {Message} given
 * @param {Set<"text" | "value">} heldAs
 */
function normalised(given, heldAs) {
  checkMessage(given);
  /** @type {Record<string, unknown>} */
  const plain = { role: given.role };
  const text = textOfMessage(given.text);
  if (text !== "") {
    plain.text = text;
  }
  if (given.calls?.length) {
    plain.calls = given.calls.map((one) => plainCall(one, heldAs));
  }
  if (given.toolUseId !== null && given.toolUseId !== undefined) {
    plain.tool_use_id = printable(given.toolUseId);
  }
  if (given.isError !== null && given.isError !== undefined) {
    plain.is_error = Boolean(given.isError);
  }
  return plain;
}

/** @param {Message} given */
function checkMessage(given) {
  if (given === null || typeof given !== "object") {
    throw new AdapterFault(`a message of the adapter is a ${kindOf(given)}; make it with message()`);
  }
  const unknown = Object.keys(given).filter((key) => !MESSAGE_KEYS.has(key));
  if (unknown.length || !ROLES.includes(given.role)) {
    const what = unknown.length
      ? `unknown keys ${unknown.map(printable).join(", ")}`
      : `role '${printable(given.role)}'`;
    throw new AdapterFault(`a message of the adapter has ${what}; make it with message()`);
  }
  if (given.calls !== undefined && !Array.isArray(given.calls)) {
    throw new AdapterFault("the calls of a message are no list; make it with message()");
  }
}

/**
 * @param {MessageCall} given
 * @param {Set<"text" | "value">} heldAs
 */
function plainCall(given, heldAs) {
  const keys = given !== null && typeof given === "object" ? Object.keys(given) : [];
  if (keys.length !== CALL_KEYS.size || !keys.every((key) => CALL_KEYS.has(key))) {
    throw new AdapterFault(`a call of the adapter is a ${kindOf(given)}; make it with call()`);
  }
  const held = heldText(given.arguments);
  heldAs.add(held.isValue ? "value" : "text");
  const id = given.id === null || given.id === undefined ? "" : printable(given.id);
  return { id, name: printable(given.name), arguments: held.text };
}

/**
 * Say in one word how a facet holds arguments.
 *
 * Where some are texts and some values, as where a library keeps the text of
 * what it could not parse, nothing is demanded that a text cannot give.
 * @param {Set<"text" | "value">} heldAs
 */
export function oneWord(heldAs) {
  return heldAs.has("value") && heldAs.size === 1 ? "value" : "text";
}

/**
 * Give arguments as JSON text, and whether they were held as a value.
 * @param {unknown} given
 * @returns {{text: string | Encoded, isValue: boolean}}
 */
export function heldText(given) {
  if (typeof given === "string" || isA(given, Uint8Array) || isA(given, Encoded)) {
    return { text: anyText(given), isValue: false };
  }
  const value = isA(given, Parsed) ? given.value : given;
  try {
    return { text: written(value), isValue: true };
  } catch {
    // Thrown inside a callback, it would look like a failure of the implementation.
    return { text: JSON.stringify(`(${kindOf(value)}, which JSON cannot write)`), isValue: true };
  }
}

/** @param {unknown} value */
function textOfMessage(value) {
  if (value === undefined || value === null) {
    return "";
  }
  if (typeof value === "string" || isA(value, Uint8Array) || isA(value, Encoded)) {
    return anyText(value);
  }
  const kind = kindOf(value);
  throw new AdapterFault(`the text of a message is a ${kind}; it is a string, several blocks joined`);
}

/** @param {string | Uint8Array | Encoded} value */
function anyText(value) {
  return value instanceof Encoded ? value : textOf(value);
}

// --- facets ---

/**
 * Refuse what would be lost without a word.
 * @param {Readonly<Record<string, unknown>>} omitted
 * @param {Readonly<Record<string, unknown>>} status
 * @throws {AdapterFault} A name is no facet's, or a status is not a pair of a word and why.
 */
export function checkFacets(omitted, status) {
  for (const facet of [...Object.keys(omitted), ...Object.keys(status)]) {
    if (!FACETS.includes(facet)) {
      const names = FACETS.join(", ");
      throw new AdapterFault(`there is no facet '${printable(facet)}'; there are ${names}`);
    }
  }
  for (const [facet, why] of Object.entries(omitted)) {
    if (typeof why !== "string") {
      throw new AdapterFault(`${facet} is left out without a reason; give it in words`);
    }
  }
  for (const [facet, given] of Object.entries(status)) {
    if (!Array.isArray(given) || given.length !== 2 || typeof given[1] !== "string") {
      throw new AdapterFault(`the status of ${facet} is no pair: a word, and why`);
    }
    checkStatus(facet, given[0]);
  }
}

/**
 * @param {string} what Whose status it is.
 * @param {unknown} word
 */
export function checkStatus(what, word) {
  if (typeof word !== "string" || !STATUSES.includes(word)) {
    const words = STATUSES.join(", ");
    throw new AdapterFault(`the status of ${what} is '${printable(word)}'; the words are ${words}`);
  }
}

/**
 * @param {() => string | Uint8Array | Promise<string | Uint8Array>} encode
 * @param {(data: string | Uint8Array) => boolean | Promise<boolean>} [returnsSame]
 * @returns {Promise<import("./index.mjs").Encoding>}
 */
export async function encodingOf(encode, returnsSame) {
  let data;
  try {
    data = await encode();
  } catch (error) {
    return { ok: false, error: errorOf(error) }; // whatever it is, it is the observation
  }
  if (typeof data !== "string" && !(data instanceof Uint8Array)) {
    throw new AdapterFault(`what encodes the history gave a ${kindOf(data)}; it gives a text`);
  }
  /** @type {import("./index.mjs").Encoding} */
  const result = { ok: true, text: textOf(data) };
  if (returnsSame !== undefined) {
    try {
      result.round_trips = Boolean(await returnsSame(data));
    } catch (error) {
      result.round_trips = false;
      result.error = errorOf(error);
    }
  }
  return result;
}

/**
 * Give the facet of the committed messages.
 * @param {Iterable<Message>} history
 * @param {import("./index.mjs").Encoding | undefined} encoding
 */
export function historyOf(history, encoding) {
  const plain = normalise(history);
  /** @type {Record<string, unknown>} */
  const facet = { messages: plain.messages, arguments: oneWord(plain.heldAs) };
  if (encoding !== undefined) {
    facet.encoding = { ...encoding };
  }
  return facet;
}
