const MiB = 1024 * 1024

/**
 * Bounds on what one answer may keep in memory until it ends. An answer that exceeds one ends as failed with
 * `upstream_too_large`.
 */
export interface AnswerLimits {
  /** Texts, arguments, citations and encrypted payloads, in UTF-16 units, with an allowance for each object. */
  readonly answerSize: number
  readonly answerItems: number
  /** Content and summary parts of all items. */
  readonly answerParts: number
  /** Annotations of all texts. */
  readonly answerCitations: number
}

/** Every bound of the engine and its server, in one place. Sizes are in bytes, or in UTF-16 units for text. */
export interface Limits extends AnswerLimits {
  /** One event, line or frame of an upstream stream. */
  readonly upstreamEvent: number
  /** Lists, objects, strings, numbers and literals of one event. */
  readonly upstreamValues: number
  /** One whole upstream stream. */
  readonly upstreamTotal: number
  /** One whole upstream body that is not a stream. It is kept in memory and parsed as a whole. */
  readonly upstreamBody: number
  readonly requestBody: number
}

export const LIMITS: Limits = {
  upstreamEvent: 16 * MiB,
  upstreamValues: 1_000_000,
  upstreamTotal: 256 * MiB,
  upstreamBody: 32 * MiB,
  answerSize: 32 * MiB,
  answerItems: 10_000,
  answerParts: 20_000,
  answerCitations: 20_000,
  requestBody: 32 * MiB,
}

/** The largest whole body, in bytes. A body may not be larger than a stream. */
export const maxBodyBytes = ({ upstreamBody, upstreamTotal }: Limits): number => Math.min(upstreamBody, upstreamTotal)
/**
 * Bounds on the contents of one request. The contents are counted while the body arrives, or before its parts are
 * validated, so that a request that exceeds a bound costs little. Coding agents send thousands of items and hundreds of
 * tools, and stay far below these bounds.
 */
export interface RequestLimits {
  /** Lists, objects, strings, numbers and literals at any depth of the body. */
  readonly values: number
  /** Items of `input`, or messages; also the entries of any other list of the body. */
  readonly items: number
  /** Content parts of all items together. */
  readonly parts: number
  /** Tools, including those in namespaces. */
  readonly tools: number
}

export const REQUEST_LIMITS: RequestLimits = {
  values: 500_000,
  items: 20_000,
  parts: 40_000,
  tools: 2000,
}

/** Members of one object that an upstream sends. */
export const UPSTREAM_MEMBERS = 100_000

/**
 * `memory` bounds the memory of all request bodies together, in bytes. `perByte` and `perValue` estimate the memory of
 * one body until its upstream request is written: its bytes, its text, the parsed value and the written body, with
 * copies that are already garbage. `perByteKept` is what remains per byte until the request is answered. `perDecoder` is the
 * memory of a decoder of a compressed body, while it arrives; its window is a part of `perByte`, whose other copies do not
 * exist yet.
 */
export const BODIES = {
  memory: 268_435_456,
  perByte: 6,
  perByteKept: 2,
  perValue: 160,
  perDecoder: 131_072,
} as const

/** Memory that the kept responses of all WebSockets share, in bytes, and that the texts of all open answers share. */
export const SHARED_MEMORY = {
  keptResponses: 134_217_728,
  answers: 67_108_864,
} as const

/**
 * The part of a refused body that is still read, because a client that sends all of it before it reads would lose the refusal in
 * the reset of its connection (RFC 9112, 9.6). The bytes are discarded.
 */
export const REFUSED_BODY = {
  ms: 3000,
  bytes: 50_331_648,
} as const

/**
 * Refusals that one connection may cause without a call of an upstream: so many at once, and one more every second. Then
 * it is closed.
 */
export const REFUSALS = { requests: 1, seconds: 1, burst: 64 } as const

/** The ranges of numbers in a request, both ends inclusive (docs/description.md, 8 and 10.1). */
export const RANGES = {
  temperature: [0, 2],
  top_p: [0, 1],
  presence_penalty: [-2, 2],
  frequency_penalty: [-2, 2],
  top_logprobs: [0, 20],
  max_output_tokens: [1, 9_007_199_254_740_991],
  max_tool_calls: [1, 9_007_199_254_740_991],
} as const satisfies Readonly<Record<string, readonly [least: number, most: number]>>

/** The largest lengths and counts in a request; text is counted in UTF-16 units. */
export const MAX_LENGTHS = {
  metadata_pairs: 16,
  metadata_key: 64,
  metadata_value: 512,
  user: 256,
  safety_identifier: 128,
  prompt_cache_key: 64,
  /** Lists and objects inside each other. Writing JSON is recursive and would overflow the stack. */
  nesting: 256,
  /** Members of one object: metadata, schemas, and any other object that a client may extend. */
  members: 10_000,
  /** The name of a model, including its vendor. */
  model: 512,
  /** Names of tools, namespaces and schemas. */
  tool_name: 1024,
  namespace_description: 16_384,
  /** Ids of items and calls. Some vendors store signed state in them. */
  id: 65_536,
  phase: 64,
  /** The path of a request. Node.js accepts 16 KiB. */
  path: 8192,
  /** The fields of one request that may each ask for a web search. All are checked, and one of them counts. */
  searches: 4,
  /** Domains in one list of a search: more than any engine accepts. */
  domains: 1200,
  /** Entries of `allowed_tools`. */
  allowed_tools: 10_000,
  /** The part of a request that an error message may repeat, including its path. */
  error: 1000,
  /** Losses of one request that are reported one by one. */
  losses: 100,
} as const

/** The same bounds for an answer. */
export const ANSWER_BOUNDS = {
  /**
   * The cited text that a citation repeats for clients. Of a longer span, the citation repeats only the beginning, or
   * none of it.
   */
  cited_text: 2000,
  /** Citations of one text. Further citations are dropped as a recorded loss. */
  citations: 10_000,
  /** Frames of one stream that are not JSON objects. If a stream has more, the answer fails. */
  unreadable_frames: 10_000,
} as const

/** How long an upstream may stay open after the end of its answer. Times are in milliseconds. */
export const ANSWER_ENDING = {
  /** After a failure that is no terminal event, a second report of it may follow. */
  failure_ms: 300,
  /** After the terminal event. An upstream that ends its answer in this time keeps its connection. */
  release_ms: 500,
  /** Bytes that it may send meanwhile. */
  release_bytes: 4096,
} as const
