// @ts-check
/** Requests that came ahead of their turn. */

import { LINE_MAX, Splitter, WINDOW } from "./lines.mjs";

/** Lines that wait at once; the kit sends no more than the window, whoever else writes is held up. */
const LINES_MAX = 2 * WINDOW;

/** Reads lines while a request runs, so that the kit need not wait to send the next. */
export class Inbox {
  #splitter = new Splitter();
  /** @type {Buffer[]} */
  #lines = [];
  #size = 0;
  #source;
  #wake = () => {};

  /** True when nothing more comes. */
  ended = false;

  /**
   * @param {NodeJS.ReadableStream} source
   * @param {() => void} onEnd Called when nothing more comes; what came still waits.
   */
  constructor(source, onEnd) {
    this.#source = source;
    source.on("data", (chunk) => {
      const lines = this.#splitter.take(/** @type {Buffer} */ (/** @type {unknown} */ (chunk)));
      this.#lines.push(...lines);
      this.#size += lines.reduce((sum, line) => sum + line.length, 0);
      this.#holdUp();
      this.#wake();
    });
    const end = () => {
      if (!this.ended) {
        this.ended = true;
        onEnd();
        this.#wake();
      }
    };
    source.on("end", end);
    source.on("close", end);
    source.on("error", end);
  }

  /**
   * Wait for a line.
   * @returns {Promise<Buffer | undefined>} None at the end.
   */
  async next() {
    while (!this.#lines.length) {
      if (this.ended) {
        return undefined;
      }
      await new Promise((resolve) => {
        this.#wake = () => resolve(undefined);
      });
    }
    const line = /** @type {Buffer} */ (this.#lines.shift());
    this.#size -= line.length;
    this.#holdUp();
    return line;
  }

  #holdUp() {
    if (this.#lines.length > LINES_MAX || this.#size > LINE_MAX) {
      this.#source.pause();
    } else if (!this.ended) {
      this.#source.resume();
    }
  }
}
