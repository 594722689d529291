// @ts-check
/**
 * What the kit may send: parameters are checked before anything is played.
 *
 * A scenario with a part that is not known here would be played as another one,
 * so it is refused; unknown parameters beside it belong to later versions.
 */

import { kindOf, printable } from "./text.mjs";

/** What is wrong with parameters: the path, and what belongs there. */
export class WrongParams extends Error {}

/** @typedef {(value: unknown, path: string) => void} Check */

const WAITS = ["ToolCallStarted", "ToolCallCompleted", "StepDone", "request"];
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** @type {Check} */
const string = (value, path) => need(typeof value === "string", value, path, "a string");

/** @type {Check} */
const boolean = (value, path) => need(typeof value === "boolean", value, path, "true or false");

/** @type {Check} */
const integer = (value, path) => need(Number.isInteger(value), value, path, "an integer");

/** @type {Check} */
const count = (value, path) =>
  need(Number.isSafeInteger(value) && Number(value) >= 0, value, path, "an integer from 0");

/** @type {Check} */
const data = (value, path) => need(kindOf(value) === "Object", value, path, "an object");

/** @type {Check} */
function text(value, path) {
  if (typeof value !== "string") {
    object({ base64: string }, ["base64"])(value, path);
    const { base64 } = /** @type {{base64: string}} */ (value);
    need(BASE64.test(base64), base64, `${path}.base64`, "base64");
  }
}

/**
 * @param {readonly string[]} words
 * @returns {Check}
 */
const word = (words) => (value, path) =>
  need(words.some((one) => one === value), value, path, `one of ${words.join(", ")}`);

/**
 * @param {Check} check
 * @returns {Check}
 */
const optional = (check) => (value, path) => {
  if (value !== null) {
    check(value, path);
  }
};

/**
 * @param {Check} check
 * @param {number} [least]
 * @returns {Check}
 */
const list = (check, least = 0) => (value, path) => {
  need(Array.isArray(value) && value.length >= least, value, path, "a list");
  for (const [at, item] of /** @type {unknown[]} */ (value).entries()) {
    check(item, `${path}[${at}]`);
  }
};

/**
 * @param {Check} check
 * @returns {Check}
 */
const mapping = (check) => (value, path) => {
  data(value, path);
  for (const [key, item] of Object.entries(/** @type {object} */ (value))) {
    check(item, `${path}[${JSON.stringify(printable(key))}]`);
  }
};

/**
 * @param {Record<string, Check>} members
 * @param {readonly string[]} [required]
 * @param {{open?: boolean}} [how] `open`: members that are not known are let through.
 * @returns {Check}
 */
function object(members, required = [], { open = false } = {}) {
  return (value, path) => {
    data(value, path);
    const given = /** @type {Record<string, unknown>} */ (value);
    for (const key of required.filter((one) => !Object.hasOwn(given, one))) {
      throw new WrongParams(`${path} has no ${key}`);
    }
    for (const [key, item] of Object.entries(given)) {
      if (Object.hasOwn(members, key)) {
        members[key](item, `${path}.${key}`);
      } else if (!open) {
        throw new WrongParams(`${path} has the unknown key '${printable(key)}'`);
      }
    }
  };
}

const behaviour = object({
  returns: optional(text),
  fails: optional(text),
  raises: optional(string),
  hangs: boolean,
  ticks: count,
  waits_for: optional(word(WAITS)),
});
const tool = object({ name: string, parameters: data, behaviour }, ["name"]);
const call = object({ id: string, name: string, arguments: text, cuts: list(count) }, ["id", "name"]);
const reply = object({
  text: string,
  calls: list(call),
  streamed: boolean,
  stall: count,
  breaks: boolean,
});
const scenario = object(
  {
    model: list(reply),
    tools: list(tool),
    policy: mapping(word(["allow", "deny"])),
    users: list(string),
    subscribers: list(object({ name: string, stalls_after: optional(count) }), 1),
    sequential: boolean,
  },
  ["model"],
);
const common = { token: string, seed: integer, deadline_ms: count };

/** What each method is given. */
const METHODS = {
  initialize: object({ protocol: integer }, ["protocol"], { open: true }),
  "turn/run": object({ ...common, scenario }, ["scenario"], { open: true }),
  "event/validate": object({ ...common, event: text }, ["event"], { open: true }),
  "arguments/sanitize": object({ ...common, arguments: text }, ["arguments"], { open: true }),
  reset: data,
  shutdown: data,
};

/** @typedef {keyof typeof METHODS} Method */

/**
 * Tell whether a method is known.
 * @param {string} method
 * @returns {method is Method}
 */
export function isMethod(method) {
  return Object.hasOwn(METHODS, method);
}

/**
 * Check the parameters of a method.
 * @param {Method} method
 * @param {unknown} params
 * @throws {WrongParams} They are not what the method takes.
 */
export function checkParams(method, params) {
  METHODS[method](params, "params");
}

/**
 * @param {boolean} holds
 * @param {unknown} value
 * @param {string} path
 * @param {string} what
 */
function need(holds, value, path, what) {
  if (!holds) {
    const shown = typeof value === "object" ? `a ${kindOf(value)}` : printable(value).slice(0, 80);
    throw new WrongParams(`${path} is ${shown}; it is ${what}`);
  }
}
