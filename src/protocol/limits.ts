const MiB = 1024 * 1024

/** What one answer may make the core keep until it ends. Past one of them it ends as failed, `upstream_too_large`. */
export interface AnswerLimits {
  /** Texts, arguments, citations and encrypted payloads, in UTF-16 units, with an allowance for each object. */
  readonly answerSize: number
  readonly answerItems: number
  /** Content and summary parts of all items. */
  readonly answerParts: number
  /** Annotations of all texts. */
  readonly answerCitations: number
}

/** Every bound of the engine and its server, in one place. Sizes are in bytes, or UTF-16 units where text is counted. */
export interface Limits extends AnswerLimits {
  /** One event, line or frame of an upstream stream. */
  readonly upstreamEvent: number
  /** Lists, objects, strings, numbers and literals of one event. */
  readonly upstreamValues: number
  /** One whole upstream stream. */
  readonly upstreamTotal: number
  /** One whole upstream body that is no stream: it is parsed at once. */
  readonly upstreamBody: number
  /** The body of one request. */
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

/** Bytes of a whole body: no more than of a stream. */
export const mostBody = ({ upstreamBody, upstreamTotal }: Limits): number => Math.min(upstreamBody, upstreamTotal)
/**
 * How much one request may hold. It is counted while the body arrives, or before its parts are looked at, so that what breaks
 * a limit costs little: coding agents send thousands of items and hundreds of tools, and stay far below.
 */
export interface RequestLimits {
  /** Lists, objects, strings, numbers and literals of the body, wherever they stand. */
  readonly values: number
  /** Items of `input`, or messages; entries of any other list of the body. */
  readonly items: number
  /** Content parts of all items together. */
  readonly parts: number
  /** Tools, those in namespaces included. */
  readonly tools: number
}

export const REQUEST_LIMITS: RequestLimits = {
  values: 500_000,
  items: 20_000,
  parts: 40_000,
  tools: 2000,
}

/** Members of one object of an upstream. */
export const UPSTREAM_MEMBERS = 100_000

/**
 * What all bodies of requests may cost together, in bytes of memory, and what one costs: as bytes, as text, parsed, and
 * written again for its upstream, with copies that are garbage already; then what is kept of it until it is answered.
 */
export const BODIES = {
  memory: 256 * MiB,
  perByte: 6,
  perByteKept: 2,
  perValue: 160,
} as const

/** The numbers of a request, both ends included (description, section 8; responses standard, (b)). */
export const RANGES = {
  temperature: [0, 2],
  top_p: [0, 1],
  presence_penalty: [-2, 2],
  frequency_penalty: [-2, 2],
  top_logprobs: [0, 20],
  max_output_tokens: [1, Number.MAX_SAFE_INTEGER],
  max_tool_calls: [1, Number.MAX_SAFE_INTEGER],
} as const satisfies Readonly<Record<string, readonly [least: number, most: number]>>

/** How long or how many in a request, in UTF-16 units where text is counted. */
export const LONGEST = {
  metadata_pairs: 16,
  metadata_key: 64,
  metadata_value: 512,
  user: 256,
  safety_identifier: 64,
  prompt_cache_key: 64,
  /** Lists and objects inside each other: what writes JSON again recurses, and would run out of stack. */
  nesting: 256,
  /** Members of one object: metadata, schemas, and whatever else a client may add. */
  members: 10_000,
  /** The name of a model, its vendor included. */
  model: 512,
  /** Names of tools, namespaces and schemas. */
  tool_name: 1024,
  /** Of a namespace of tools. */
  namespace_description: 16_384,
  /** Ids of items and calls: some vendors put signed state into them. */
  id: 65_536,
  /** The path of a request: node takes 16 KiB of it. */
  path: 8192,
  /** Places where a request asks for web search; one of them counts, and all are checked. */
  searches: 4,
  /** Domains that one search may name in a list: more than any engine takes. */
  domains: 1200,
  /** Entries of `allowed_tools`. */
  allowed_tools: 10_000,
  /** What an error repeats of a request, its place included. */
  error: 1000,
  /** Losses of one request that are told one by one. */
  losses: 100,
} as const

/** The same of an answer. */
export const ANSWER_BOUNDS = {
  /** Words of an answer that a citation repeats for clients: those of a longer run are its first, or are left out. */
  cited_text: 2000,
  /** Citations of one text: the rest is left out, as a recorded loss. */
  citations: 10_000,
  /** Frames of one stream that are no JSON objects: with one more the answer fails. */
  unreadable_frames: 10_000,
} as const
