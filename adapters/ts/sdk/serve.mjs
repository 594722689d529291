// @ts-check
/**
 * Serves one adapter to the kit, one JSON-RPC 2.0 object per line.
 *
 * What the implementation throws past everyone (an unhandled rejection, an
 * exception in a timer) ends the request in whose course it was started, with
 * `raised`. If that request was answered already, it is told on standard error
 * alone. If nobody can say where it belongs, the process ends with exit code 1,
 * as Node would end it: what runs afterwards could not be trusted.
 */

import { Inbox } from "./inbox.mjs";
import { writeAll } from "./lines.mjs";
import { currentTicket, Session, stackOf } from "./session.mjs";
import { errorOf } from "./text.mjs";

/**
 * @param {import("./index.mjs").Adapter} adapter
 * @returns {Promise<void>}
 */
export async function serve(adapter) {
  // Only now: whoever imports the SDK for something else keeps standard output.
  const { source, sink } = await import("./stdout.mjs");
  const session = new Session(adapter);
  process.on("uncaughtException", escaped);
  process.on("unhandledRejection", escaped);
  /** @type {NodeJS.Timeout | undefined} */
  let orphaned;
  const watch = () => {
    clearTimeout(orphaned);
    // The kit is gone: what still runs has no more time than it was given.
    orphaned = inbox.ended ? setTimeout(() => process.exit(1), session.deadlineMs) : undefined;
  };
  const inbox = new Inbox(source, watch);
  // A request that waits for what never comes must time out, not end the process.
  setInterval(() => {}, 2 ** 30);
  while (!session.isOver) {
    const line = await inbox.next();
    if (line === undefined) {
      break;
    }
    writeAll(sink, await session.answer(line));
    watch();
  }
  // Timers and sockets that the implementation left open would keep the process.
  process.exit(0);
}

/** @param {unknown} error */
function escaped(error) {
  const ticket = currentTicket();
  if (ticket?.open) {
    ticket.escaped(error);
    return;
  }
  const when = ticket === undefined ? "nobody caught" : "after the scenario had ended, nobody caught";
  try {
    writeAll(2, `${stackOf(error)}\n${when}: ${errorOf(error)}\n`);
  } finally {
    if (ticket === undefined) {
      process.exit(1);
    }
  }
}
