/** The server behind sockets, as a parent in Node gives them to its children. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { LINE_MAX, Splitter, strictJson, TOO_LONG } from "../lines.mjs";

const FIXTURE = fileURLToPath(new URL("../trial/fixture.mjs", import.meta.url));

const asked = (id, method, params = {}) => `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
const turn = (id, user) => asked(id, "turn/run", { scenario: { model: [], users: [user] } });

test("answers go through sockets whole and in order, and what is printed does not", async () => {
  const child = spawn(process.execPath, [FIXTURE], { stdio: ["pipe", "pipe", "pipe"] });
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => (out += chunk));
  child.stderr.on("data", (chunk) => (err += chunk));
  const much = Array.from({ length: 6 }, (_, index) => turn(index + 3, "give much"));
  child.stdin.end(asked(1, "initialize", { protocol: 1 }) + turn(2, "print") + much.join(""));
  const [code] = await once(child, "close");

  const answers = out.trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(
    answers.map(({ id }) => id),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.ok(answers.slice(1).every(({ result }) => result.status === "ok"));
  assert.equal(err, "printed by console\nprinted by stdout\n");
  assert.equal(code, 0);
});

test("lines are cut at newlines, wherever the chunks end", () => {
  const splitter = new Splitter();
  const found = ["a", "b\n", "\nc\nd", "", "e\nf"].flatMap((chunk) => splitter.take(Buffer.from(chunk)));
  assert.deepEqual(found.map(String), ["ab", "", "c", "de"]);
});

test("a line that is too long is not kept, and the next one is read", () => {
  const splitter = new Splitter();
  const chunk = Buffer.alloc(LINE_MAX / 4 + 1, "x");
  for (let at = 0; at < 4; at += 1) {
    assert.deepEqual(splitter.take(chunk), []);
  }
  const [long, next] = splitter.take(Buffer.from("\nnext\n"));
  assert.equal(long, TOO_LONG);
  assert.equal(String(next), "next");
});

test("JSON that would say something else is refused", () => {
  for (const value of [NaN, [Infinity], { a: 1n }, [undefined], undefined, () => 1, new Map(), "\ud800", { "\udc00": 1 }]) {
    assert.throws(() => strictJson(value), /no JSON/);
  }
  assert.equal(strictJson({ a: undefined, b: "ü\u2028" }), '{"b":"ü\u2028"}');
});
