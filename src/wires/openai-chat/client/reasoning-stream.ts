import { type List, listToArray } from '../../../collections/list.ts'
import type { Json } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { EncryptedContentCodec } from '../../client-contract.ts'
import type { Detail } from '../sealed-reasoning.ts'

/**
 * Consecutive reasoning text of one part. It is emitted piece by piece as one entry of `reasoning_details`, under its
 * index.
 */
export interface ReasoningRun {
  readonly type: 'reasoning.text' | 'reasoning.summary'
  readonly part: string
  readonly index: number
  readonly text: string
}

/** The open reasoning item. The text of its last run is not in `runs` yet: it grows in `EncoderState.reasoning`. */
export interface ReasoningRuns {
  readonly key: string
  readonly runs: List<ReasoningRun>
  readonly sealed: string | null
}

/** The field of an entry that holds its text. */
const FIELDS = { 'reasoning.text': 'text', 'reasoning.summary': 'summary' } as const

/** Creates the entry for the text of a run, or a piece of it; `more` holds further fields of the entry. */
export const toEntry = ({ type, index }: ReasoningRun, words: string, more: Detail = {}): Detail => ({
  ...more,
  type,
  [FIELDS[type]]: words,
  index,
})

const listOf = (payload: Json | undefined): readonly Detail[] | null =>
  Array.isArray(payload) && payload.every(isObject) ? (payload as readonly Detail[]) : null

const isRun = (detail: Detail | undefined, { type, index, text }: ReasoningRun): boolean =>
  detail?.type === type && detail.index === index && detail[FIELDS[type]] === text

const isReadable = (detail: Detail): boolean => isNonEmptyString(detail.text) || isNonEmptyString(detail.summary)

/**
 * Removes the text that was already emitted from the vendor's own entries: joined with that text by the client, they
 * are the original entries again. Returns null if the entries and the emitted text differ, because a signature would
 * then accompany text that it does not sign.
 */
function restOf(details: readonly Detail[], runs: readonly ReasoningRun[]): readonly Detail[] | null {
  const others = details.slice(runs.length)
  if (!runs.every((run, i) => isRun(details[i], run)) || others.some(isReadable)) return null
  return [...runs.map((run, i) => toEntry(run, '', details[i])), ...others]
}

/**
 * Returns the entries that end a reasoning item: the vendor's own entries if a vendor of this wire issued them,
 * otherwise the envelope as encrypted data. The common `id` links an envelope to its text, for the client and for this
 * gateway. The format is `unknown`, since only this gateway can read it: clients such as `@openrouter/ai-sdk-provider`
 * drop unsigned text unless they know that its format has no signatures.
 */
export function closingEntries(train: ReasoningRuns, next: number, codec: EncryptedContentCodec): readonly Detail[] {
  const { key, sealed } = train
  const runs = listToArray(train.runs)
  const list = sealed === null ? null : listOf(codec.open(sealed))
  const rest = list === null ? null : restOf(list, runs)
  if (rest !== null) return rest
  const ours: Detail = { id: key, format: 'unknown' }
  const ends = runs.map((run) => toEntry(run, '', ours))
  return sealed === null
    ? ends
    : [...ends, { ...ours, type: 'reasoning.encrypted', data: codec.seal(sealed), index: next }]
}
