import type { Json } from '../protocol/json.ts'
import { fromBase64Url, toBase64Url } from '../text/base64.ts'
import { formatJson, isObject, parseJson } from '../text/json.ts'

/** Version of the envelope: what bears another one is not opened. */
const PREFIX = 'mr1.'

/** Does it bear our mark? A client of another wire sends such a text where its own vendor's would stand. */
export const isEnvelope = (sealed: string): boolean => sealed.startsWith(PREFIX)

/** Where reasoning came from. Only the same wire, vendor and family of models can read it. */
export interface Origin {
  readonly wire: string
  readonly vendor: string
  /** The upstream's own name of the model. */
  readonly model: string
}

/** A keyed digest of a text, e.g. HMAC-SHA-256 as hex: with one, what comes back was not tampered with. */
export type Sign = (text: string) => string

/** A payload → `encrypted_content`. */
export type Seal = (payload: Json) => string

/** Names that tell whose model it is; o3 and its kin are OpenAI's as well. */
const FAMILIES =
  /claude|gemini|gemma|gpt|grok|deepseek|kimi|glm|qwen|magistral|mistral|nova|command|llama|(?<=^|[/.])o\d/

/** What models can read each other's reasoning: `us.anthropic.claude-sonnet-4` and `claude-opus-4` are one family. */
function familyOf(model: string): string {
  const name = model.toLowerCase()
  const found = FAMILIES.exec(name)?.[0] ?? /^[a-z]*/.exec(name.slice(name.lastIndexOf('/') + 1))?.[0] ?? ''
  return /^o\d$/.test(found) ? 'gpt' : found
}

/**
 * What an upstream wants back on the next turn, as `encrypted_content`: opaque to the client, and marked with its origin,
 * so that it is never sent to anybody else. It hides nothing: it only must come back unchanged.
 */
export function sealReasoning({ wire, vendor, model }: Origin, payload: Json, sign?: Sign): string {
  const sealed = PREFIX + toBase64Url(formatJson({ w: wire, v: vendor, f: familyOf(model), p: payload }))
  return sign === undefined ? sealed : `${sealed}.${sign(sealed)}`
}

/** The payload that came from this very origin; undefined where it is another's, damaged, or not signed as it must be. */
export function openReasoning(origin: Origin, sealed: string, sign?: Sign): Json | undefined {
  if (!isEnvelope(sealed)) return undefined
  const end = sealed.indexOf('.', PREFIX.length)
  const body = end < 0 ? sealed : sealed.slice(0, end)
  if (sign !== undefined && sealed !== `${body}.${sign(body)}`) return undefined
  const text = fromBase64Url(body.slice(PREFIX.length))
  const envelope = text === undefined ? undefined : parseJson(text)
  if (!isObject(envelope) || !isFrom(origin, envelope)) return undefined
  return envelope.p as Json | undefined
}

const isFrom = ({ wire, vendor, model }: Origin, { w, v, f }: Readonly<Record<string, unknown>>): boolean =>
  w === wire && v === vendor && f === familyOf(model)
