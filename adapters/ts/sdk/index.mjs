// @ts-check
/**
 * The SDK for adapters in JavaScript and TypeScript: plain Node, nothing to
 * build and nothing to install. `index.d.mts` says what each name is.
 */

export { Play } from "./play.mjs";
export { ScriptedError, StreamBroken, ToolFailed, TooMuch } from "./script.mjs";
export { serve } from "./serve.mjs";
export {
  AdapterFault,
  call,
  Encoded,
  encodingOf,
  errorOf,
  message,
  Parsed,
  Rejected,
  textOf,
  Unsupported,
} from "./text.mjs";
