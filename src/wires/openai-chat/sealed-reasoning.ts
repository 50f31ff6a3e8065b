import { EMPTY_LIST, type List, listAppend, listAt, listLast, listToArray, listWith } from '../../collections/list.ts'
import { mapGet, mapSet, type SortedMap } from '../../collections/sorted-map.ts'
import type { Json, JsonObject, JsonRecord } from '../../protocol/json.ts'
import { appendFlat } from '../../text/flat-string.ts'
import { formatJson, isNonEmptyString, isObject, toArray } from '../../text/json.ts'
import { MISSING_SIGNATURE } from '../shared/upstream/answers/missing-signature.ts'
import type { ChatAssistantMessage, ChatPart, ChatSignature } from './json.ts'

/** The members that hold the signature of a call or of a message, by the names of the envelope. */
const SIGNATURES = {
  google: ['extra_content', 'google', 'thought_signature'],
  vertex: ['extra_content', 'vertex', 'thought_signature'],
  litellm: ['provider_specific_fields', 'thought_signature'],
} as const

type SignaturePlace = keyof typeof SIGNATURES

export interface PlacedSignature {
  readonly place: SignaturePlace
  readonly signature: string
}

const PLACES = /* @__PURE__ */ Object.entries(SIGNATURES) as readonly (readonly [SignaturePlace, readonly string[]])[]

/** Returns the signature of a call or a message; null if it has none. */
export function readSignature(record: JsonRecord): PlacedSignature | null {
  if (!record.extra_content && !record.provider_specific_fields) return readOtherSignature(record)
  for (const [place, path] of PLACES) {
    const signature = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), record)
    if (isNonEmptyString(signature)) return { place, signature }
  }
  return readOtherSignature(record)
}

/** LiteLLM's mark in the id of a call, for programs that keep no members beside it. */
const IN_ID = '__thought__'

/** LiteLLM has the signature of a call also in its function and in its id. */
function readOtherSignature({ function: called, id }: JsonRecord): PlacedSignature | null {
  const fields = isObject(called) ? called.provider_specific_fields : undefined
  const signature = isObject(fields) ? fields.thought_signature : undefined
  if (isNonEmptyString(signature)) return { place: 'litellm', signature }
  const at = typeof id === 'string' ? id.indexOf(IN_ID) : -1
  const inId = at < 0 ? '' : (id as string).slice(at + IN_ID.length)
  return inId === '' ? null : { place: 'litellm', signature: inId }
}

/** Returns the members that hold a signature, for the call or the message that goes back. */
export const signatureMembers = ({ place, signature }: PlacedSignature): ChatSignature =>
  SIGNATURES[place].reduceRight<Json>((value, name) => ({ [name]: value }), signature) as ChatSignature

/** The same signature where Google reads it, which ignores the place of LiteLLM. */
export const whereGoogleReads = (signature: PlacedSignature): PlacedSignature =>
  signature.place === 'litellm' ? { ...signature, place: 'google' } : signature

/** Changes the signatures of a call or a message; returns the object itself if it has none. */
export const mapSignature = (record: JsonObject, change: (signature: string) => string): JsonObject =>
  PLACES.reduce((now, [, path]) => mapAt(now, path, change), record)

function mapAt(
  object: JsonObject,
  [name = '', ...rest]: readonly string[],
  change: (text: string) => string,
): JsonObject {
  const value = object[name]
  if (rest.length === 0) return isNonEmptyString(value) ? { ...object, [name]: change(value) } : object
  if (!isObject(value)) return object
  const inner = mapAt(value as JsonObject, rest, change)
  return inner === value ? object : { ...object, [name]: inner }
}

/**
 * Returns the members that hold an envelope, for the call of a client: both places that programs keep, Google's own and
 * LiteLLM's.
 */
export const envelopeMembers = (envelope: string): ChatSignature => ({
  ...signatureMembers({ place: 'google', signature: envelope }),
  ...signatureMembers({ place: 'litellm', signature: envelope }),
})

/** Google's marker in place of a missing signature. */
export const UNSIGNED_CALL: PlacedSignature = { place: 'google', signature: MISSING_SIGNATURE }

/** A block of reasoning that goes back with its signature, or one that only its issuer can read. */
type SealedBlock = { readonly text: string; readonly signature: string } | { readonly data: string }

/**
 * The places of sealed blocks.
 * - `thinking_blocks`, `content_blocks`: Anthropic's blocks (LiteLLM, Portkey)
 * - `reasoning`, `thinking`: parts of the content (Databricks, Mistral)
 * - `reasoning_opaque`: a member beside `reasoning_text` (Copilot)
 * - `reasoning_signature`: a member beside `reasoning_content` (agentgateway)
 */
const BLOCK_PLACES = [
  'thinking_blocks',
  'content_blocks',
  'reasoning',
  'thinking',
  'reasoning_opaque',
  'reasoning_signature',
] as const

type BlockPlace = (typeof BLOCK_PLACES)[number]

/**
 * The content of an envelope, beside the entries of `reasoning_details`, which are a list.
 * - `call`: the call of that id, or else the next call after the reasoning item
 * - `message`: the message
 * - any other word: blocks of reasoning, for their own place
 */
export type Sealed =
  | { readonly on: 'call'; readonly id: string; readonly place: SignaturePlace; readonly signature: string }
  | { readonly on: 'message'; readonly place: SignaturePlace; readonly signature: string }
  | { readonly on: BlockPlace; readonly blocks: readonly SealedBlock[] }

const isPlace = (place: unknown): place is SignaturePlace => PLACES.some(([name]) => name === place)

const isBlockPlace = (place: unknown): place is BlockPlace => BLOCK_PLACES.some((name) => name === place)

const toBlock = (block: unknown): SealedBlock[] => {
  if (!isObject(block)) return []
  const { text, signature, data } = block
  if (isNonEmptyString(data)) return [{ data }]
  return typeof text === 'string' && isNonEmptyString(signature) ? [{ text, signature }] : []
}

/** Validates an opened payload: clients may have changed an envelope that has no HMAC. */
export function readSealed(payload: Json | undefined): Sealed | null {
  if (!isObject(payload)) return null
  const { on, place, signature, id } = payload
  if (isBlockPlace(on)) {
    const blocks = toArray(payload.blocks).flatMap(toBlock)
    return blocks.length === 0 ? null : { on, blocks }
  }
  if (!isPlace(place) || !isNonEmptyString(signature)) return null
  if (on === 'call') return { on, id: isNonEmptyString(id) ? id : '', place, signature }
  return on === 'message' ? { on, place, signature } : null
}

/** Blocks of reasoning that are not sealed yet. A block ends with its signature. */
export interface SignedBlocks {
  readonly place: BlockPlace | ''
  readonly ended: List<SealedBlock>
  /** The text of the block that has no signature yet. */
  readonly text: string
}

export const NO_BLOCKS: SignedBlocks = { place: '', ended: EMPTY_LIST, text: '' }

/** A piece of a block. `text` is empty if the piece has none. */
export interface BlockPiece {
  readonly place: BlockPlace
  readonly text: string
  readonly signature: unknown
  readonly data: unknown
}

interface Appended {
  readonly blocks: SignedBlocks
  /** The text that is new: the last piece of a block may repeat all of it beside the signature (LiteLLM). */
  readonly text: string
}

/** Appends a piece to the open block. O(k) for a piece of k characters, and for a repeated text its length. */
export function appendPiece(known: SignedBlocks, { place, text, signature, data }: BlockPiece): Appended {
  const old = known.place === place ? known : { place, ended: known.ended, text: '' }
  if (isNonEmptyString(data)) return { blocks: withBlock(old, { data }), text: '' }
  if (!isNonEmptyString(signature)) {
    return text === '' ? { blocks: known, text } : { blocks: { ...old, text: appendFlat(old.text, text) }, text }
  }
  const repeats = old.text !== '' && text.startsWith(old.text)
  const last = listLast(old.ended)
  const isAgain = old.text === '' && last !== undefined && 'text' in last && last.signature === signature
  if (isAgain && (text === '' || text === last.text)) return { blocks: known, text: '' }
  const whole = repeats ? text : appendFlat(old.text, text)
  return {
    blocks: withBlock(old, { text: whole, signature }),
    text: repeats ? text.slice(old.text.length) : text,
  }
}

const withBlock = ({ place, ended }: SignedBlocks, block: SealedBlock): SignedBlocks => {
  const last = listLast(ended)
  const isAgain = last !== undefined && 'data' in last && 'data' in block && last.data === block.data
  return { place, ended: isAgain ? ended : listAppend(ended, block), text: '' }
}

/** Returns the payload of the blocks that have ended; null if there are none. */
export const toPayload = ({ place, ended }: SignedBlocks): Json | null =>
  ended.length === 0 ? null : { on: place, blocks: listToArray(ended).map((block): Json => ({ ...block })) }

/** The sealed blocks of an assistant message: members of the message, and parts before its text. */
interface EncodedBlocks {
  readonly fields: Pick<
    ChatAssistantMessage,
    | 'reasoning_text'
    | 'reasoning_opaque'
    | 'reasoning_content'
    | 'reasoning_signature'
    | 'thinking_blocks'
    | 'content_blocks'
  >
  readonly parts: readonly ChatPart[]
}

const toAnthropic = (block: SealedBlock): JsonObject =>
  'data' in block
    ? { type: 'redacted_thinking', data: block.data }
    : { type: 'thinking', thinking: block.text, signature: block.signature }

const toSummary = (block: SealedBlock): JsonObject =>
  'data' in block
    ? { type: 'summary_encrypted_text', data: block.data }
    : { type: 'summary_text', text: block.text, signature: block.signature }

const toThinking = (block: SealedBlock): readonly ChatPart[] =>
  'data' in block
    ? []
    : [{ type: 'thinking', thinking: [{ type: 'text', text: block.text }], signature: block.signature }]

/** Encodes the blocks of one place. `text`: the readable reasoning beside them. */
export function encodeBlocks(on: BlockPlace, blocks: readonly SealedBlock[], text: string): EncodedBlocks {
  switch (on) {
    case 'thinking_blocks':
    case 'content_blocks':
      return { fields: { [on]: blocks.map(toAnthropic) }, parts: [] }
    case 'reasoning':
      return { fields: {}, parts: blocks.map((block) => ({ type: 'reasoning', summary: [toSummary(block)] })) }
    case 'thinking':
      return { fields: {}, parts: blocks.flatMap(toThinking) }
    case 'reasoning_signature': {
      const last = blocks.at(-1)
      const sealed = last === undefined || !('signature' in last) ? {} : { reasoning_signature: last.signature }
      return { fields: { ...(text === '' ? {} : { reasoning_content: text }), ...sealed }, parts: [] }
    }
    case 'reasoning_opaque': {
      const last = blocks.at(-1)
      const sealed = last === undefined || !('data' in last) ? {} : { reasoning_opaque: last.data }
      return { fields: { ...(text === '' ? {} : { reasoning_text: text }), ...sealed }, parts: [] }
    }
  }
}

// ---------------------------------------------------------------- entries of `reasoning_details`

/**
 * One entry of `reasoning_details` (OpenRouter and vendors that adopted it). Fragments with the same index and type
 * form one entry. Text and summary grow; signature and data come in fragments of their own.
 */
export type Detail = JsonObject

const GROWING = ['text', 'summary'] as const

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The entries received so far, in order, with an index of them by `index` and `type`. */
export interface Details {
  readonly entries: List<Detail>
  readonly positions: SortedMap<string, number>
  /** An entry had more members than are kept. */
  readonly cut: boolean
}

export const NO_ENTRIES: Details = { entries: EMPTY_LIST, positions: null, cut: false }

/** Lists and objects are never equal to another value. */
const isWord = (value: unknown): boolean => typeof value !== 'object' || value === null

/** Merges fragments into the entries received so far. O(log n) for a fragment after n entries. */
export function mergeDetails(known: Details, found: readonly unknown[]): Details {
  let { entries, positions, cut } = known
  for (const fragment of found.filter(isObject) as Detail[]) {
    const { index, type } = fragment
    const name = isWord(index) && isWord(type) ? formatJson([index === undefined ? [] : index, type]) : ''
    const at = name === '' ? undefined : mapGet(positions, name)
    const old = at === undefined ? undefined : listAt(entries, at)
    // Encrypted entries are complete, and each belongs to its own tool call.
    if (at !== undefined && old !== undefined && !(isNonEmptyString(old.data) && isNonEmptyString(fragment.data))) {
      const merged = mergeFragment(old, fragment)
      cut ||= Object.keys(fragment).some((field) => isPresent(fragment[field]) && !Object.hasOwn(merged, field))
      entries = listWith(entries, at, merged)
      continue
    }
    if (name !== '' && at === undefined) positions = mapSet(positions, name, entries.length)
    entries = listAppend(entries, fragment)
  }
  return { entries, positions, cut }
}

const isPresent = (value: unknown): boolean => value !== null && value !== ''

/**
 * The most members of one entry. Further members of fragments are dropped, so that merging a fragment costs no more
 * than its length.
 */
const MOST_MEMBERS = 64

export function mergeFragment(old: Detail, fragment: Detail): Detail {
  const room = MOST_MEMBERS - Object.keys(old).length
  const present = Object.entries(fragment).filter(([, value]) => isPresent(value))
  const more = present.filter(([name]) => !Object.hasOwn(old, name)).slice(0, Math.max(0, room))
  const again = present.filter(([name]) => Object.hasOwn(old, name))
  const grown = GROWING.filter((field) => isNonEmptyString(fragment[field])).map((field) => [
    field,
    appendFlat(wordsOf(old[field]), wordsOf(fragment[field])),
  ])
  return { ...old, ...Object.fromEntries([...again, ...more]), ...Object.fromEntries(grown) }
}

/** Readable text alone needs no encrypted copy: the item already contains it. */
export const isWorthSealing = (details: readonly Detail[]): boolean =>
  details.some(({ signature, data }) => isNonEmptyString(signature) || isNonEmptyString(data))
