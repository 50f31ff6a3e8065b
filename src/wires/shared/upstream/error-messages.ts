/**
 * Many vendors use one status and one code for every fault of a request (400, `invalid_request_error`), so only the
 * message names the fault. A message may also quote text of the client, which must not influence the result.
 */

/** The cause that a message names. */
export type ErrorKind = 'key' | 'model' | 'length' | 'seal'

/** UTF-16 units. Vendors name the fault first; lists, advice and quoted text of the client follow. */
const LONGEST_POINT = 400

/** A quoted name has no spaces and at most this length. */
const LONGEST_NAME = 200

const CLOSING: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['"', '"'],
  ['`', '`'],
  ['“', '”'],
  ['‘', '’'],
  ['«', '»'],
])

/**
 * Returns the part of a message that the vendor wrote: the text up to the first quotation that is longer than a name.
 * Quoted names stay. An apostrophe does not open a quotation, because a letter precedes it.
 */
export function ownText(text: string): string {
  const head = text.slice(0, LONGEST_POINT)
  for (let at = 0; at < head.length; at += 1) {
    const closing = CLOSING.get(head[at] ?? '')
    if (closing === undefined || /\w/.test(head[at - 1] ?? '')) continue
    const end = head.indexOf(closing, at + 1)
    const name = head.slice(at + 1, end)
    if (end < 0 || name.length > LONGEST_NAME || /\s/.test(name)) return head.slice(0, at)
    at = end
  }
  return head
}

/** The prefix of a server that passes on the message of another server: `Provider returned error: `. */
const LEAD = /^(?:[\w.]+ ){0,5}[\w.]*(?:errors?|request|argument|exception)(?: \d{3})?: ?/i

const MOST_LEADS = 3

export function withoutLeads(text: string): string {
  let rest = text
  for (let count = 0; count < MOST_LEADS; count += 1) rest = rest.replace(LEAD, '')
  return rest
}

/** A model's name, quoted or not. */
const NAME = String.raw`(?:\S{1,${LONGEST_NAME}} )?`

/** Patterns for the beginning of a message, after such prefixes. */
const BLAMED: readonly (readonly [fault: ErrorKind, pattern: RegExp])[] = [
  // "Incorrect API key provided: …" (xAI), "no api key supplied" (Cohere), "Invalid API Key format: …" (Bedrock)
  [
    'key',
    /^(?:incorrect|invalid|wrong|expired|missing|no|unknown) (?:api|access|x-api|auth)[ -]?(?:key|token|credential)/i,
  ],
  // "API key not valid. Please …" (Google), "The security token included in the request is expired" (AWS)
  [
    'key',
    /^(?:the |your )?(?:api[ -]key|access token|security token|bearer token|token)\b[^.]{0,60}\b(?:not valid|invalid|expired|incorrect|not found|revoked|disabled)\b/i,
  ],
  // "Authentication Fails (no such user)" (DeepSeek), "Authentication error" (Cloudflare)
  ['key', /^(?:authentication (?:error|fail)|unauthori[sz]ed\b)/i],
  // "Model Not Exist" (DeepSeek), "Model not found: …" (xAI), "The requested model 'x' does not exist" (Hugging Face)
  [
    'model',
    new RegExp(
      `^(?:the |this )?(?:requested |provided |specified |publisher )?models?(?: id| name| identifier)?[:/]? ?${NAME}(?:does |do |is |was |could )?(?:not exist|not found|not be found|not available|not a valid model|unknown|invalid)\\b`,
      'i',
    ),
  ],
  // "The requested model is not supported." (Copilot). If more text follows, the model exists and lacks a feature.
  [
    'model',
    new RegExp(`^(?:the |this )?(?:requested |provided )?model ${NAME}is not supported(?:[.,]|$| by any)`, 'i'),
  ],
  // "Unknown Model, please …" (Z.ai), "Invalid model: x" (Mistral), "No such model @cf/x or task" (Cloudflare)
  [
    'model',
    /^(?:unknown|invalid|unrecognized|no such|unable to access|not found the) model\b(?! (?:output|response|parameter|input))/i,
  ],
  // "x is not a valid model ID", "No endpoints found for x." (OpenRouter)
  ['model', /^(?:\S{1,200} is not a valid model\b|no endpoints found for )/i],
  // "The supported API model names are a or b, but you passed x." (DeepSeek)
  ['model', /^the supported api model names are /i],
  // "Invocation of model ID x with on-demand throughput isn’t supported." (Bedrock)
  ['model', /^invocation of model id \S+ with on-demand throughput isn/i],
  // "* GenerateContentRequest.model: unexpected model name format" (Google)
  ['model', /^\W{0,3}\w+\.model: unexpected model name format/i],
]

/** Patterns for any position in the vendor's part of the message. */
const TOO_LONG: readonly RegExp[] = [
  /context (?:length|size|window|limit)|maximum (?:context|prompt length)/i,
  /(?:prompt|input) is too long|too many (?:input )?tokens|exceeds the maximum number of tokens/i,
  // Amazon's own models; Vertex: "The input token count is 1200001 but model only supports up to 1048576."
  /number of input tokens exceeds|input token count .{0,40}only supports/i,
  // Moonshot, Z.ai, Alibaba, Copilot
  /exceeded model token limit|prompt exceeds max length|range of input length should be|prompt token count .{0,20}exceeds/i,
  // Text Generation Inference, SiliconFlow, GitHub
  /tokens \+ \S{1,40} must be <=|max_total_tokens .{0,60}max_seq_len|request body too large for .{0,80}tokens/i,
  /^malformed input request: expected maxlength/i,
  // vLLM, SGLang, Groq, OpenAI
  /(?:longer than|exceeds) the (?:maximum model length|max_model_len|maximum allowed (?:input )?length)/i,
  /reduce the length of the messages|input tokens exceed the configured limit/i,
]

/**
 * A refusal of sealed reasoning, as Claude's and Gemini's protocols have it, and every platform that serves them: an invalid
 * signature or invalid data of a thinking block, in either order of these words, a modified or an empty one, or a thought
 * signature.
 */
const BAD_SIGNATURE =
  /invalid\W{1,3}(?:signature|data)\W.{0,200}thinking|thought[ _]?signature|thinking.{0,200}(?:signature|cannot be modified|must contain thinking)/i

/** Returns the fault that a message names; null if it names none. */
export function errorKindIn(text: string): ErrorKind | null {
  const own = ownText(text)
  const point = withoutLeads(own)
  const blamed = BLAMED.find(([, pattern]) => pattern.test(point) || pattern.test(own))
  if (blamed !== undefined) return blamed[0]
  if (TOO_LONG.some((pattern) => pattern.test(own))) return 'length'
  return BAD_SIGNATURE.test(own) ? 'seal' : null
}
