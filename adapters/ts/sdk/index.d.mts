/**
 * What adapters in TypeScript and JavaScript are written with: the scripted
 * world of one scenario, and the server that answers the kit. The names and
 * their meanings are those of the SDK for Python.
 */

/** Who speaks in a message. */
export type Role = "system" | "user" | "assistant" | "tool";

/** What an observation of a play can have. */
export type Facet =
  | "history"
  | "requests"
  | "executions"
  | "deliveries"
  | "journal"
  | "ending";

/** Whether all that happened is in a facet, or why it is not. */
export type Status =
  | "complete"
  | "aborted"
  | "cut"
  | "unsubscribed"
  | "deadline";

/** How a turn can end; a run that threw is `failed`. */
export type HowEnded = "done" | "failed" | "interrupted";

/** What a scenario may ask of an implementation. */
export type Feature =
  | "policy"
  | "parallel"
  | "sequential"
  | "stream-text"
  | "stream-bytes"
  | "stream-breaks"
  | "stream-stall"
  | "subscribers"
  | "stall"
  | "next-turn"
  | "raises"
  | "hangs"
  | "waits";

/** What an adapter may offer. */
export type Operation = "turn/run" | "event/validate" | "arguments/sanitize";

/** What an implementation under test says of itself. */
export interface Description {
  /** Its name: that of the implementation, not of the adapter. */
  name: string;
  /** Its version. */
  version?: string;
  /** Operations that it offers. */
  operations: readonly Operation[];
  /** Facets that its observations have; none if not given. */
  facets?: readonly Facet[];
  /** What a scenario may ask of it. */
  features?: readonly Feature[];
  /** True if the same scenario and seed give the same observation. */
  deterministic?: boolean;
  /** How many requests may wait for an answer, 1 to 64; 16 if not given. */
  window?: number;
}

/** What `serve` serves. */
export interface Adapter {
  /** Says what the implementation is, and what can be asked of it. */
  initialize(): Description | Promise<Description>;
  /** Plays one scenario; gives what `play.observation` gives. */
  turnRun?(play: Play): Observation | Promise<Observation>;
  /** Judges one event; refuses it by throwing `Rejected`. */
  eventValidate?(event: string | Uint8Array): void | Promise<void>;
  /** Gives the stored and the executable view of raw arguments. */
  argumentsSanitize?(raw: Uint8Array): Sanitized | Promise<Sanitized>;
  /** Forgets everything; where it is there, the kit asks for it before every case. */
  reset?(): void | Promise<void>;
}

/** The two views of raw arguments. */
export interface Sanitized {
  /** What the committed message would hold. */
  stored: string | Uint8Array;
  /** What execution would be given. */
  executable: string | Uint8Array;
}

/**
 * Answers the kit on standard input and output until it asks for the end.
 *
 * From here on standard output belongs to the protocol: what the implementation
 * prints goes to standard error. Where it prints while it is loaded, import
 * `sdk/stdout.mjs` before it.
 */
export function serve(adapter: Adapter): Promise<void>;

/** One tool call of the scripted model. */
export interface Call {
  /** The model's id of the call. */
  readonly id: string;
  /** Name of the tool; the implementation may not know it. */
  readonly name: string;
  /** The raw argument text, JSON or not; empty where it is no string: see `raw`. */
  readonly arguments: string;
  /** The raw argument text as bytes. */
  readonly raw: Uint8Array;
  /** Byte offsets at which a stream cuts the arguments. */
  readonly cuts: readonly number[];
}

/** One whole reply of the scripted model. */
export interface Reply {
  /** Text that precedes the calls. */
  readonly text: string;
  /** The calls; none ends the turn. */
  readonly calls: readonly Call[];
  /** True if the scenario wants it in fragments. */
  readonly streamed: boolean;
  /** Ticks for which a stream stops before its end. */
  readonly stall: number;
  /** True if a stream fails in place of its end. */
  readonly breaks: boolean;
}

/** One fragment of a streamed reply. */
export interface Fragment {
  /** `text`, `call` (the start of one: id and name) or `arguments`. */
  readonly kind: "text" | "call" | "arguments";
  /** The fragment of text, or of arguments (empty where it is no string: see `raw`). */
  readonly text: string;
  /** Position of the call in the reply, from 0. */
  readonly index: number;
  /** The model's id of the call. */
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** The fragment of arguments as bytes. */
  readonly raw: Uint8Array;
}

/** One subscriber that the scenario wants. */
export interface Subscriber {
  /** Its name. */
  readonly name: string;
  /** Number of deliveries after which it reads no more; none if it always reads. */
  readonly stallsAfter: number | undefined;
}

/** How far the facets had come at one moment. */
export interface Mark {
  /** Model requests that were made. */
  requests: number;
  /** Events that the first subscriber had got. */
  deliveries?: number;
  /** Records that the journal held. */
  journal?: number;
  /** Whether a reply was still arriving in fragments; not there before the first reply. */
  streaming?: boolean;
}

/** One entry into a callback. */
export interface Entry {
  /** Name of the tool. */
  tool: string;
  /** What the callback was given, as JSON text where it was a value. */
  arguments: Text;
  /** The implementation's id of the execution. */
  execution_id?: string;
  /** The model's id of the call. */
  call_id?: string;
  /** How far the facets had come when it was entered. */
  began: Mark;
  /** How far they had come when it returned or threw; none if it never did. */
  ended?: Mark;
}

/** A text as it travels: a string, or base64 where it is no Unicode string. */
export type Text = string | { readonly base64: string };

/** One scripted tool; call it from the implementation's callback. */
export interface Tool {
  /** Name under which the model calls it. */
  readonly name: string;
  /** JSON Schema of its arguments. */
  readonly parameters: Record<string, unknown>;
  /** True if the policy of the scenario denies it. */
  readonly denied: boolean;
  /**
   * Enters the callback; records the execution, and behaves as scripted.
   *
   * @param args What the callback was given: a string or bytes if it sees the
   *   text, any other value if it sees parsed arguments, and `Parsed` around
   *   one that may itself be a string.
   * @param callId The model's id of the call, where the callback can know it.
   * @param executionId The implementation's id of this execution, if it has one.
   * @returns The text of the result.
   * @throws ToolFailed: the tool fails, and accepts that.
   * @throws ScriptedError: the tool throws.
   * @throws Unsupported: the result is no text.
   */
  call(
    args: unknown,
    callId?: string | null,
    executionId?: string,
  ): Promise<string>;
}

/** What a tool call of an assistant message holds; `call` makes it. */
export interface MessageCall {
  /** The id of the call, as the implementation holds it. */
  id: string | null | undefined;
  /** Name of the tool. */
  name: string;
  /** The arguments as the implementation holds them: see `call`. */
  arguments: unknown;
}

/** One message; `message` makes it. */
export interface Message {
  /** Who speaks. */
  role: Role;
  /** Its text; several blocks are joined. */
  text: string | Uint8Array | Encoded;
  /** The calls of an assistant message. */
  calls: readonly MessageCall[];
  /** On a tool message, the id of the call that it answers. */
  toolUseId: string | null | undefined;
  /** On a tool message, its error flag; none where the form has none. */
  isError: boolean | null | undefined;
}

/** What one run let us see; `play.observation` makes it. */
export type Observation = { [facet in Facet]?: object } & {
  /** Why a declared facet is left out, by its name. */
  omitted?: Record<string, string>;
};

/** What the implementation's own codec made of its history; `encodingOf` makes it. */
export interface Encoding {
  /** Whether the history could be encoded. */
  ok: boolean;
  /** The native error of encoding, or of decoding again. */
  error?: string;
  /** What was encoded. */
  text?: Text;
  /** Whether the same messages came back; not there if it was not tried. */
  round_trips?: boolean;
}

/** An event with the contract's keys. */
export type Event = { readonly [key: string]: unknown };

/** The scripted world of one scenario, and the record of what happened in it. */
export class Play {
  /**
   * @param scenario The scenario as JSON data.
   * @param options Its seed, the facets that the adapter declares (what it
   *   reports, if not given), and the deadline of the kit.
   */
  constructor(
    scenario: Readonly<Record<string, unknown>>,
    options?: {
      seed?: number;
      facets?: readonly string[];
      deadlineMs?: number;
    },
  );
  /** The scenario as plain data, for an adapter that plays it in a way of its own. */
  readonly scenario: Readonly<Record<string, unknown>>;
  /** Seed of this run, for implementations that draw ids or choose an order. */
  readonly seed: number;
  /** After this time the kit kills the process. */
  readonly deadlineMs: number;
  /** One user message per turn. */
  readonly users: readonly string[];
  /** True if the calls of one batch are to run one after the other. */
  readonly sequential: boolean;
  /** `allow` or `deny` by tool name; a tool without an entry is allowed. */
  readonly policy: ReadonlyMap<string, string>;
  /** What the model will say, one reply per request. */
  readonly replies: readonly Reply[];
  /** The tools that the implementation is to be given. */
  readonly tools: readonly Tool[];
  /** Who listens to the events; never empty. */
  readonly subscribers: readonly Subscriber[];
  /** True if any reply is to arrive in fragments. */
  readonly streamed: boolean;
  /** Why this scenario cannot be played; empty if it can. */
  readonly unsupported: string;
  /** What the adapter did wrong, even if the implementation swallowed the exception. */
  readonly fault: string;
  /** Aborted when the play is over: hanging tools give up. */
  readonly signal: AbortSignal;

  /** Tells whether the policy denies a tool. */
  denies(tool: string): boolean;
  /** Notes that this scenario cannot be played; throw what is returned. */
  giveUp(why: string): Unsupported;
  /**
   * Gives a text of the scenario as a string; lone surrogates are let through.
   *
   * @throws Unsupported: it is no string.
   */
  string(text: Text, what: string): string;

  /**
   * Answers a model request with a whole reply.
   *
   * @param messages What the model is shown, made by `message`.
   * @param options `asBytes`: true if arguments are taken from `Call.raw`, so
   *   that they need not be a string.
   * @throws Unsupported: the scenario wants this reply streamed, or its
   *   arguments are no string.
   * @throws TooMuch: there were too many requests.
   */
  model(
    messages: Iterable<Message>,
    options?: { asBytes?: boolean },
  ): Promise<Reply>;
  /**
   * Answers a model request in fragments: the text, then each call in turn.
   *
   * The request is made at once, not when the first fragment is read.
   *
   * @param messages What the model is shown, made by `message`.
   * @param options `asBytes`: true if fragments of arguments are taken from
   *   `Fragment.raw`, so that a cut may fall inside a character.
   * @throws Unsupported: a fragment of arguments is no string.
   * @throws StreamBroken: when iterated, the stream fails in place of its end.
   * @throws TooMuch: there were too many requests.
   */
  stream(
    messages: Iterable<Message>,
    options?: { asBytes?: boolean },
  ): AsyncGenerator<Fragment, void, undefined>;

  /** Says how far the facets have come. */
  mark(): Mark;
  /** Records the entry into a callback; `Tool.call` does so. */
  enter(
    tool: string,
    args: unknown,
    callId?: string | null,
    executionId?: string,
  ): Entry;
  /** Records that a callback returned or threw; `Tool.call` does so. */
  leave(entry: Entry): void;
  /**
   * Records an event as a subscriber got it.
   *
   * @param event The event with the contract's keys.
   * @param how Name of the subscriber (the first one if not given); class,
   *   journal number, and whether the journal held it at this moment, where
   *   they are known.
   */
  deliver(
    event: Event,
    how?: {
      subscriber?: string;
      durability?: "enduring" | "ephemeral" | "";
      seq?: number;
      inJournal?: boolean;
    },
  ): void;
  /** Records how a subscription ended: its status, or the error of its stream. */
  subscriptionEnded(
    subscriber: string,
    how?: { status?: Status; why?: string; error?: unknown },
  ): void;
  /** Records a durable record of the journal. */
  journalled(seq: number, event: Event): void;
  /**
   * Records the end of a turn.
   *
   * @param turn Number of the turn, from 0.
   * @param how `done`, `failed` or `interrupted`; a run that threw is `failed`.
   * @param error Native error of a turn that failed.
   */
  ended(turn: number, how: HowEnded, error?: unknown): void;
  /**
   * Counts what a tool can wait for: `request` for all model requests; else a
   * type of event, at the first subscriber since the latest model request.
   */
  seen(what: string, executionId?: string): number;
  /** Ends the play: hanging tools give up. `serve` does so. */
  close(): void;

  /**
   * Assembles what was seen.
   *
   * @param parts The committed messages made by `message`; what the codec made
   *   of them; by facet a status that is not `complete`, and why; declared
   *   facets that this run leaves out, with the reason.
   */
  observation(parts?: {
    history?: Iterable<Message>;
    encoding?: Encoding;
    status?: { readonly [facet in Facet]?: readonly [Status, string] };
    omitted?: { readonly [facet in Facet]?: string };
  }): Observation;
}

/** Arguments that an implementation holds parsed: needed where they may be a string. */
export class Parsed {
  constructor(value: unknown);
  /** The parsed value. */
  readonly value: unknown;
}

/** A text that is no Unicode string: what `textOf` makes of bytes. */
export class Encoded {
  constructor(base64: string);
  /** Its bytes as base64. */
  readonly base64: string;
}

/** The implementation refused its input, legitimately. */
export class Rejected extends Error {
  /**
   * @param code Canonical code of the refusal; empty if it has none.
   * @param parts The type of the refused event, the field in the contract's
   *   spelling, the rule that it broke, and the implementation's own error.
   */
  constructor(
    code?: string,
    parts?: { event?: string; field?: string; rule?: string; native?: unknown },
  );
  /** The parts that are set. */
  readonly parts: Readonly<Record<string, string>>;
}

/** The adapter, or the implementation, cannot be asked for this; a declared feature can. */
export class Unsupported extends Error {
  constructor(why: string);
}

/** The adapter did what no adapter may: an error of the protocol, never an observation. */
export class AdapterFault extends Error {
  constructor(message: string);
}

/** The exception that a scripted tool throws (`raises`). */
export class ScriptedError extends Error {
  constructor(message: string);
}

/**
 * A scripted tool failed and accepts it (`fails`): a result with the error flag.
 *
 * An adapter turns it into its library's own way to say so.
 */
export class ToolFailed extends Error {
  constructor(text: string);
  /** The text of the result. */
  readonly text: string;
}

/** The model's stream failed in place of its end (`breaks`). */
export class StreamBroken extends Error {
  constructor(message: string);
}

/** The implementation asked for more than any scenario needs. */
export class TooMuch extends Error {
  constructor(message: string);
}

/**
 * Describes a tool call of an assistant message.
 *
 * @param id The id of the call, as the implementation holds it; none is an empty one.
 * @param name Name of the tool.
 * @param args A string or bytes where the implementation holds them as text; any
 *   other value where it holds them parsed, and `Parsed` around one that may
 *   itself be a string.
 */
export function call(
  id: string | null | undefined,
  name: string,
  args: unknown,
): MessageCall;

/**
 * Describes one message; a tool message answers exactly one call.
 *
 * @param role `system`, `user`, `assistant` or `tool`.
 * @param text Its text; several blocks are joined.
 * @param parts The calls of an assistant message, made by `call`; on a tool
 *   message the id of the call that it answers, and its error flag (none where
 *   the form has none).
 */
export function message(
  role: Role,
  text?: string | Uint8Array | Encoded,
  parts?: {
    calls?: Iterable<MessageCall>;
    toolUseId?: string | null;
    isError?: boolean | null;
  },
): Message;

/**
 * Tries the implementation's own codec on its history.
 *
 * @param encode Encodes the history.
 * @param returnsSame Decodes it and says whether the same messages came back.
 *   Encoding them again and comparing the texts is safer than `===`, for which
 *   NaN is not the same as itself.
 */
export function encodingOf(
  encode: () => string | Uint8Array | Promise<string | Uint8Array>,
  returnsSame?: (data: string | Uint8Array) => boolean | Promise<boolean>,
): Promise<Encoding>;

/** Gives type and words of what was thrown as one bounded string. */
export function errorOf(error: unknown): string;

/** Makes JSON-safe what may be no Unicode string: lone surrogates and bytes become base64. */
export function textOf(value: string | Uint8Array): string | Encoded;
