// @ts-check
/**
 * Importing this module takes standard input and output for the protocol.
 *
 * What is printed from then on goes to standard error. `serve` does so too; import
 * it first where the implementation prints while it is loaded:
 *
 *     import "./sdk/stdout.mjs";
 *     import { Agent } from "my-agent";
 */

import { closeSync, constants, createReadStream, fstatSync, openSync } from "node:fs";
import { Socket } from "node:net";

const { O_APPEND, O_RDONLY, O_WRONLY } = constants;

/** Where requests come from. */
export const source = readable(moved(0, O_RDONLY, "/dev/null"));

/** The file descriptor that answers are written to. */
export const sink = moved(1, O_WRONLY | O_APPEND, "/dev/fd/2");

// Where the descriptors could not be moved, this still catches what JavaScript prints.
process.stdout.write = process.stderr.write.bind(process.stderr);

/**
 * Open a descriptor once more under another number, and put a stand-in in its place.
 *
 * So child processes and native code, which know the old number, do not meet the
 * protocol either. A socket cannot be opened again: then it stays where it is.
 * @param {number} fd
 * @param {number} flags
 * @param {string} standIn
 * @returns {number} Where it is now.
 */
function moved(fd, flags, standIn) {
  let copy;
  try {
    copy = openSync(`/dev/fd/${fd}`, flags);
  } catch {
    return fd;
  }
  closeSync(fd);
  try {
    openSync(standIn, flags); // the lowest free number is the one that was closed
  } catch {
    openSync("/dev/null", flags);
  }
  return copy;
}

/**
 * @param {number} fd
 * @returns {NodeJS.ReadableStream}
 */
function readable(fd) {
  if (fd === 0) {
    return process.stdin;
  }
  return fstatSync(fd).isFIFO()
    ? new Socket({ fd, readable: true, writable: false })
    : createReadStream("", { fd });
}
