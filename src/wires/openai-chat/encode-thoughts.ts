import { type List, listToArray } from '../../machine/list.ts'
import type { Json } from '../../protocol/json.ts'
import { isObject, isText } from '../../text/json.ts'
import type { Detail } from './reasoning.ts'

/** A stretch of thought in one part: told piece by piece as an entry of `reasoning_details` under its index. */
export interface Run {
  readonly type: 'reasoning.text' | 'reasoning.summary'
  readonly part: string
  readonly index: number
  readonly text: string
}

/** The reasoning item that is open. The words of its last run are still growing, elsewhere. */
export interface Train {
  readonly key: string
  readonly runs: List<Run>
  readonly sealed: string | null
}

/** The field of an entry that has its words. */
const FIELDS = { 'reasoning.text': 'text', 'reasoning.summary': 'summary' } as const

/** The words of a run, or a piece of them, as its entry; `more` is what else is known of it. */
export const toEntry = ({ type, index }: Run, words: string, more: Detail = {}): Detail => ({
  ...more,
  type,
  [FIELDS[type]]: words,
  index,
})

const listOf = (payload: Json | undefined): readonly Detail[] | null =>
  Array.isArray(payload) && payload.every(isObject) ? (payload as readonly Detail[]) : null

const isRun = (detail: Detail | undefined, { type, index, text }: Run): boolean =>
  detail?.type === type && detail.index === index && detail[FIELDS[type]] === text

const isReadable = (detail: Detail): boolean => isText(detail.text) || isText(detail.summary)

/**
 * The vendor's own entries without the words that have been told: with them they are again what they were. null where
 * they are not, and a signature would stand beside other words than those that it signed.
 */
function restOf(details: readonly Detail[], runs: readonly Run[]): readonly Detail[] | null {
  const others = details.slice(runs.length)
  if (!runs.every((run, i) => isRun(details[i], run)) || others.some(isReadable)) return null
  return [...runs.map((run, i) => toEntry(run, '', details[i])), ...others]
}

/**
 * What is told of a reasoning item when it ends: the vendor's own entries where they came from a vendor of this wire,
 * else the envelope in the place of encrypted data. By the id both sides know which words an envelope belongs to. The
 * format says that nobody else can read it: clients throw away unsigned words of a format that they do not know to be
 * unsigned (`@openrouter/ai-sdk-provider`).
 */
export function closing(train: Train, next: number, native: Json | undefined): readonly Detail[] {
  const { key, sealed } = train
  const runs = listToArray(train.runs)
  const list = listOf(native)
  const rest = list === null ? null : restOf(list, runs)
  if (rest !== null) return rest
  const ours: Detail = { id: key, format: 'unknown' }
  const ends = runs.map((run) => toEntry(run, '', ours))
  return sealed === null ? ends : [...ends, { ...ours, type: 'reasoning.encrypted', data: sealed, index: next }]
}
