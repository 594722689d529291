// @ts-check
/**
 * Parsed values as JSON text, in which nothing is lost without a word.
 *
 * `JSON.stringify` writes NaN as null, -0 as 0, a Map as {}, and leaves out
 * what is undefined: an observation would say what no implementation held.
 */

/** Values within one value that are written; what makes itself anew in getters ends here. */
const VALUES_MAX = 1_000_000;

/** Characters of one value that are written: no line is longer. */
const WRITTEN_MAX = 64 * 1024 * 1024;

/**
 * @typedef {object} Open A list or an object that is being written.
 * @property {object} value
 * @property {string[] | undefined} keys Those of an object; none of a list.
 * @property {number} length
 * @property {number} at
 */

/**
 * Write a value as JSON text, with the words NaN, Infinity and -Infinity.
 *
 * What JSON has no form for is a string that says so. It is written without
 * recursion, since a parser may nest deeper than the stack.
 * @param {unknown} value
 * @returns {string}
 * @throws {RangeError} It holds itself, or is too large.
 */
export function written(value) {
  /** @type {string[]} */
  const out = [];
  /** @type {Open[]} */
  const open = [];
  const within = new Set();
  let size = 0;
  let values = 0;
  let next = opened(value, "");
  for (;;) {
    if (typeof next === "string") {
      out.push(next);
      size += next.length;
    } else {
      if (within.has(next.value)) {
        throw new RangeError("the value holds itself");
      }
      within.add(next.value);
      open.push(next);
      out.push(next.keys === undefined ? "[" : "{");
      size += 1;
    }
    while (open.length && open[open.length - 1].at === open[open.length - 1].length) {
      const closed = /** @type {Open} */ (open.pop());
      within.delete(closed.value);
      out.push(closed.keys === undefined ? "]" : "}");
      size += 1;
    }
    values += 1;
    if (values > VALUES_MAX || size > WRITTEN_MAX) {
      throw new RangeError("the value is too large");
    }
    const inner = open[open.length - 1];
    if (inner === undefined) {
      return out.join("");
    }
    const key = inner.keys === undefined ? String(inner.at) : inner.keys[inner.at];
    out.push(inner.at > 0 ? "," : "", inner.keys === undefined ? "" : `${JSON.stringify(key)}:`);
    size += key.length + 3;
    inner.at += 1;
    next = opened(/** @type {Record<string, unknown>} */ (inner.value)[key], key);
  }
}

/**
 * Give a value as text, or as what has values inside.
 * @param {unknown} given
 * @param {string} key Where it stands, which `toJSON` is told.
 * @returns {string | Open}
 */
function opened(given, key) {
  const value = plain(given, key);
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value)) {
      return { value, keys: undefined, length: value.length, at: 0 };
    }
    const tag = tagOf(value);
    if (tag !== "Object") {
      return unwritable(tag); // a Map or an Error would be written as {}
    }
    const keys = Object.keys(value);
    return { value, keys, length: keys.length, at: 0 };
  }
  return scalar(value);
}

/**
 * Give what `JSON.stringify` would write in place of an object.
 * @param {unknown} given
 * @param {string} key
 */
function plain(given, key) {
  if (typeof given !== "object" || given === null) {
    return given;
  }
  if (given instanceof Date && Number.isNaN(given.getTime())) {
    return given; // it would say null
  }
  const toJSON = /** @type {{toJSON?: unknown}} */ (given).toJSON;
  const value = typeof toJSON === "function" ? toJSON.call(given, key) : given;
  const isBoxed = ["Number", "String", "Boolean", "BigInt"].includes(tagOf(value));
  return isBoxed && typeof value === "object" ? value.valueOf() : value;
}

/** @param {unknown} value */
function scalar(value) {
  if (typeof value === "number") {
    return Object.is(value, -0) ? "-0" : String(value);
  }
  if (typeof value === "bigint") {
    return String(value);
  }
  if (value === null || typeof value === "string" || typeof value === "boolean") {
    return JSON.stringify(value);
  }
  return unwritable(typeof value);
}

/** @param {unknown} value */
function tagOf(value) {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** @param {string} kind */
function unwritable(kind) {
  return JSON.stringify(`(${kind}, which JSON cannot write)`);
}
