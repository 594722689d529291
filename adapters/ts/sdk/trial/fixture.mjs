/** An adapter that misbehaves as the first user message says, for the tests of `serve`. */

import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";

import { encodingOf, message, Rejected, serve, textOf, Unsupported } from "../index.mjs";

/** A promise, and what settles it. */
function deferred() {
  let resolve;
  const promise = new Promise((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

const never = () => new Promise(() => {});
const soon = (step) => setImmediate(() => setImmediate(step));
const leaked = deferred();
let resets = 0;

// Started outside of every request: nobody can say where it belongs.
process.on("SIGUSR2", () => {
  throw new Error("stray");
});

const DEEDS = {
  go: () => {},
  raise: () => {
    throw new RangeError("of the adapter");
  },
  "raise later": async () => {
    await null;
    throw "a string";
  },
  refuse: () => {
    throw new Rejected("too-many", { field: "Tools", native: new Error("full") });
  },
  limit: () => {
    throw new Unsupported("no such thing");
  },
  "swallow the whole": async (play) => {
    await play.model([]).catch(() => {});
  },
  "show nonsense": async (play) => {
    await play.model([{ role: "wizard" }]).catch(() => {});
  },
  "give nothing": () => ({ answer: undefined }),
  "give a text": () => ({ answer: "text" }),
  "give an unknown facet": (play) => ({ answer: { ...play.observation(), exections: {} } }),
  "give NaN": (play) => ({ answer: { ...play.observation(), history: { messages: NaN } } }),
  "give a circle": (play) => {
    const answer = play.observation();
    answer.history = { answer };
    return { answer };
  },
  "give much": (play) => ({
    answer: play.observation({ history: [message("user", "ä".repeat(1_500_000))] }),
  }),
  "forget a rejection": () => {
    void Promise.reject(new TypeError("forgotten"));
  },
  "forget a rejection and wait": () => {
    void Promise.reject(new TypeError("forgotten"));
    return never();
  },
  "throw in a timer": () => {
    soon(() => {
      throw new SyntaxError("in a timer");
    });
    return never();
  },
  leak: () => {
    soon(() => {
      leaked.resolve();
      throw new Error("late");
    });
    // And one that fails when the play is over.
    soon(() => void Promise.reject(new Error("later")));
  },
  "wait for the leak": () => leaked.promise,
  stray: () => {
    process.kill(process.pid, "SIGUSR2");
    return never();
  },
  hang: never,
  exit: () => process.exit(7),
  print: () => {
    console.log("printed by console");
    process.stdout.write("printed by stdout\n");
    if (process.argv[2] === "pipes") {
      writeSync(1, "printed by descriptor\n");
      spawnSync("echo", ["printed by a child"], { stdio: "inherit" });
    }
  },
  "read input": () => {
    // Standard input is empty for the implementation and for its children.
    const { stdout } = spawnSync("cat", [], { stdio: ["inherit", "pipe", "inherit"] });
    return { history: [message("user", `read ${stdout.length} bytes`)] };
  },
  resets: () => ({ history: [message("user", `${resets} resets`)] }),
};

await serve({
  initialize: async () => ({
    name: "fixture",
    version: "1.0",
    deterministic: true,
    operations: ["turn/run", "event/validate", "arguments/sanitize"],
    facets: ["history", "requests", "executions", "ending"],
    features: ["parallel", "stream-text"],
  }),

  async turnRun(play) {
    const given = await DEEDS[play.users[0]](play);
    if (given !== undefined && "answer" in given) {
      return given.answer;
    }
    const encoding = await encodingOf(() => "[]");
    return play.observation({ history: [message("user", play.users[0])], encoding, ...given });
  },

  eventValidate(event) {
    if (typeof event !== "string") {
      throw new Rejected("encoding", { rule: "utf-8" });
    }
    JSON.parse(event);
  },

  argumentsSanitize: (raw) =>
    raw.length ? { stored: "{}", executable: raw } : { stored: textOf("") },

  reset() {
    resets += 1;
  },
});
