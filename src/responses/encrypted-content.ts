import { isRouterChoice, reasoningFamily } from '../models/reasoning-family.ts'
import type { Json, JsonRecord } from '../protocol/json.ts'
import type { InputItem } from '../protocol/request.ts'
import { fromBase64Url, toBase64, toBase64Url } from '../text/base64.ts'
import { formatJson, isObject, parseJson } from '../text/json.ts'
import { toReasoningParts, toSummary } from './events.ts'
import type { ItemState } from './state.ts'

/** Version of the envelope. An envelope of another version is not opened. */
const PREFIX = 'mr1.'

/** Returns whether a text is an envelope. A client of another wire sends it in place of its own vendor's content. */
export const isEnvelope = (sealed: string): boolean => sealed.startsWith(PREFIX)

/** The first letters of all envelopes in base64. */
const WRAPPED = 'bXIxL'

/** Returns an envelope as the base64 of its bytes, for members whose type is bytes. */
export const wrapEnvelope = toBase64

/** Returns the envelope that a text is, itself or in base64 of either alphabet; undefined if it is none. */
export function unwrapEnvelope(text: string): string | undefined {
  if (isEnvelope(text)) return text
  const sealed = text.startsWith(WRAPPED) ? fromBase64Url(text) : undefined
  return sealed !== undefined && isEnvelope(sealed) ? sealed : undefined
}

/** Where reasoning came from. Only the same wire, vendor, account and family of models can read it. */
export interface Origin {
  readonly wire: string
  /** Empty if a program translates without naming the vendor: it then is the one of the other direction. */
  readonly vendor: string
  /** The upstream's own name of the model. Empty if it is known only from the answer, or not at all. */
  readonly model: string
  /** The model that the answer names, where the program names none. Left out: the answer names none either. */
  readonly reported?: string
  /** Requests have other names for it than the answer: deployments. */
  readonly hasOwnNames?: boolean
  /** Names the accounts of the vendor that can read each other's reasoning. Left out: the vendor has one account. */
  readonly boundary?: string
  /** Other accounts may answer the same conversation, so that texts in the vendor's own form need an envelope as well. */
  readonly isShared?: boolean
}

/** A keyed digest of a text, e.g. HMAC-SHA-256 as hex. It detects an envelope that was changed on its way back. */
export type Sign = (text: string) => string

/** A payload → `encrypted_content`. */
export type Seal = (payload: Json) => string

/** Seals the reasoning of an answer. An object, because functions would be additional objects of every stream. */
export interface Sealer {
  /** For reasoning that the upstream encrypted. `model`: the one that the upstream has reported so far. */
  seal(payload: Json, model: string): string
  /** For readable reasoning. */
  sealOwn(payload: Json): string
}

/**
 * Wraps what an upstream needs back on the next turn as `encrypted_content`: opaque to the client, and marked with its
 * origin, so that it is never sent to another upstream. The envelope does not hide its content; it must only come back
 * unchanged.
 */
export function sealReasoning(origin: Origin, payload: Json, sign?: Sign): string {
  const own = origin.vendor === '' ? envelopeIn(payload) : undefined
  return own ?? sealFields({ ...fieldsOf(origin), p: payload, ...reportedIn(origin) }, sign)
}

/**
 * The envelope that a payload of the Responses API already is: a program reads the answer of a translator a second time,
 * as events. A named vendor that issues envelopes is another gateway, which needs its own back.
 */
function envelopeIn(payload: Json): string | undefined {
  const own = isObject(payload) ? payload.encrypted_content : undefined
  return typeof own === 'string' && isEnvelope(own) ? own : undefined
}

function sealFields(fields: Record<string, Json>, sign?: Sign): string {
  const sealed = PREFIX + toBase64Url(formatJson(fields))
  return sign === undefined ? sealed : `${sealed}.${sign(sealed)}`
}

/** The members of an envelope before its payload, in their order. */
const fieldsOf = ({ wire, vendor, model, boundary }: Origin): Record<string, Json> => ({
  w: wire,
  v: vendor,
  ...(boundary === undefined ? {} : { b: boundary }),
  f: reasoningFamily(model),
})

/** Behind the payload: an envelope begins with the model of the program, which is any here. */
const reportedIn = ({ reported, hasOwnNames = false }: Origin): Record<string, Json> =>
  reported === undefined ? {} : { r: reasoningFamily(reported), ...(hasOwnNames ? { d: true } : {}) }

/** Returns the payload of an envelope; undefined if it is not one that may be opened. */
type Open = (sealed: string) => Json | undefined

/**
 * Returns a function that opens the envelopes of this origin. It returns undefined for an envelope of another origin,
 * for a damaged one, and for one that lacks the required signature. An envelope begins with its origin, so that those of
 * other wires are neither verified nor decoded, and those of other origins only where a vendor is not named. An envelope
 * without a boundary is of an unknown account of its vendor: the client has sent the content itself, or it is older than
 * the pool.
 */
export function createOpen(origin: Origin, sign?: Sign): Open {
  // Most requests have no envelope.
  let beginnings: readonly string[] | null = null
  return (sealed) => {
    beginnings ??= beginningsOf(origin)
    if (!beginnings.some((beginning) => sealed.startsWith(beginning))) return undefined
    const envelope = readEnvelope(sealed, sign)
    return envelope !== undefined && isFrom(origin, envelope) ? (envelope.p as Json | undefined) : undefined
  }
}

/** Returns a function that tells whether an envelope names exactly this origin, also its boundary. Verifies nothing. */
export function createIssuedBy(origin: Origin): (sealed: string) => boolean {
  const beginning = beginningOf(fieldsOf(origin))
  return (sealed) => sealed.startsWith(beginning)
}

/** A text that a vendor encrypted, in the envelope in which its client received it. */
interface SealedText {
  readonly text: string
  /** Seals another payload with the origin of the text. */
  readonly seal: Seal
}

/** Returns the text in an envelope of any origin; null if it is damaged, lacks its signature, or has another payload. */
export function readSealedText(given: string, sign?: Sign): SealedText | null {
  const sealed = unwrapEnvelope(given)
  const envelope = sealed === undefined ? undefined : readEnvelope(sealed, sign)
  if (envelope === undefined || typeof envelope.p !== 'string') return null
  return {
    text: envelope.p,
    seal: (payload) => sealFields({ ...(envelope as Record<string, Json>), p: payload }, sign),
  }
}

/** Returns the members of an envelope; undefined if it is damaged or lacks its signature. */
function readEnvelope(sealed: string, sign: Sign | undefined): JsonRecord | undefined {
  const end = sealed.indexOf('.', PREFIX.length)
  const body = end < 0 ? sealed : sealed.slice(0, end)
  if (sign !== undefined && sealed !== `${body}.${sign(body)}`) return undefined
  const text = fromBase64Url(body.slice(PREFIX.length))
  const envelope = text === undefined ? undefined : parseJson(text)
  return isObject(envelope) ? envelope : undefined
}

/** The first letters of the envelopes that an origin may open. A vendor or a model that is not named may be any. */
function beginningsOf(origin: Origin): readonly string[] {
  const { boundary, ...ofVendor } = origin
  if (origin.vendor === '') return [lettersOf(formatJson({ w: origin.wire, v: '' }).slice(0, -'"}'.length))]
  const own = boundary === undefined ? [] : [origin]
  return [...own, ofVendor, { ...ofVendor, vendor: '' }]
    .flatMap((one) => [one, { ...one, model: '' }])
    .map((one) => beginningOf(fieldsOf(one)))
}

/**
 * Returns the payload of an envelope of any origin, for the gateway's own use: what it contains decides where a client
 * receives the envelope. Undefined for any other text.
 */
export function peekEnvelope(sealed: string): Json | undefined {
  return isEnvelope(sealed) ? (readEnvelope(sealed, undefined)?.p as Json | undefined) : undefined
}

/** Returns the first letters of all envelopes of an origin, without the group that the payload continues. */
const beginningOf = (fields: Record<string, Json>): string =>
  lettersOf(formatJson({ ...fields, p: 0 }).slice(0, -'0}'.length))

function lettersOf(text: string): string {
  const fields = toBase64Url(text)
  return PREFIX + fields.slice(0, fields.length - (fields.length % LETTERS))
}

/** Letters of base64 that together are whole bytes. */
const LETTERS = 4

/** Marks a payload that does not leave the gateway: its target opens it again. */
const UNSEALED = 'unsealed.'

/**
 * Returns a payload in the form of `encrypted_content`, without an envelope: for a target that writes the payload of
 * its own vendor as that vendor does. It never reaches a client in this form.
 */
export const toUnsealed = (payload: Json): string => UNSEALED + formatJson(payload)

/** Returns the payload of `toUnsealed`; undefined for any other text. */
export const openUnsealed = (encrypted: string): Json | undefined =>
  encrypted.startsWith(UNSEALED) ? (parseJson(encrypted.slice(UNSEALED.length)) as Json | undefined) : undefined

const isFrom = ({ wire, vendor, model, boundary }: Origin, { w, v, b, f, r = f, d }: JsonRecord): boolean =>
  w === wire &&
  (v === vendor || v === '' || vendor === '') &&
  (b === undefined || b === boundary || vendor === '') &&
  (r === '' || r === reasoningFamily(model) || (f === '' && (isRouterChoice(model) || (d === true && v === vendor))))

/** The origin of reasoning that no upstream encrypted. Any upstream that accepts readable reasoning may receive it. */
export const OWN_ORIGIN: Origin = { wire: '', vendor: '', model: '' }

/** Readable reasoning, as an item of the history has it. */
interface ReadableReasoning {
  readonly summary: readonly string[]
  readonly content: readonly string[]
}

type Texts = readonly { readonly text: string }[]

/**
 * Returns `encrypted_content` for reasoning that its upstream did not encrypt: every reasoning item of `beta` has that
 * field (docs/description.md, 2.8), and a client that sends back only that field loses nothing.
 */
const toSealed = (sealer: Sealer, summary: Texts, content: Texts): string =>
  sealer.sealOwn({ summary: summary.map(({ text }) => text), content: content.map(({ text }) => text) })

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

function toReadableReasoning(payload: Json | undefined): ReadableReasoning | undefined {
  if (!isObject(payload)) return undefined
  const { summary, content } = payload
  return isTexts(summary) && isTexts(content) ? { summary, content } : undefined
}

function openItem(item: InputItem, open: Open): InputItem {
  if (item.type !== 'reasoning' || item.encrypted_content === null) return item
  const reasoning = toReadableReasoning(open(item.encrypted_content))
  return reasoning === undefined ? item : { ...item, ...reasoning, encrypted_content: null }
}

/**
 * Returns the history with the reasoning that `toSealed` wrapped readable again; the same list if it has none. `sign`:
 * the function that signed it.
 */
export function openReasoning(input: readonly InputItem[], sign?: Sign): readonly InputItem[] {
  if (!input.some(({ type }) => type === 'reasoning')) return input
  const open = createOpen(OWN_ORIGIN, sign)
  return input.map((item) => openItem(item, open))
}

/**
 * Seals a finished reasoning item that its upstream did not encrypt. `sealer`: null if the target does not require that.
 */
export function sealReasoningItem(item: ItemState, sealer: Sealer | null): ItemState {
  if (sealer === null || item.type !== 'reasoning' || item.sealed !== null) return item
  return { ...item, sealed: toSealed(sealer, toSummary(item.parts), toReasoningParts(item.parts)) }
}
