import { EMPTY_LIST, type List, listAppend, listToArray } from '../../../collections/list.ts'
import { mapEntries, mapGet, mapSet, type SortedMap } from '../../../collections/sorted-map.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject, scalarToString } from '../../../text/json.ts'
import { readObjects, readText } from '../../shared/upstream/answers/answer-values.ts'
import type { Deltas } from '../../shared/upstream/deltas.ts'

/** A choice beside the first one: its chunks, until the answer ends and shows what the first choice lacks. */
export interface OtherChoice {
  /** The upstream numbers its choices. */
  readonly numbered: boolean
  readonly hasText: boolean
  readonly hasCalls: boolean
  readonly chunks: List<JsonRecord>
}

export interface OtherChoices {
  readonly byIndex: SortedMap<number, OtherChoice>
  /** A choice with the index 0, or without one, has arrived. */
  readonly hasFirst: boolean
}

export const NO_OTHERS: OtherChoices = { byIndex: null, hasFirst: false }

const NO_CHUNKS: OtherChoice = { numbered: false, hasText: false, hasCalls: false, chunks: EMPTY_LIST }

/** The index of a choice; its position if it has none. One vendor sends the index as a string. */
const indexOf = ({ index }: JsonRecord, position: number): number => {
  const text = scalarToString(index)
  return /^\d{1,9}$/.test(text) ? Number(text) : position
}

const isFirst = (index: unknown): boolean => index === undefined || index === null || index === 0 || index === '0'

export interface SplitChoices {
  /** The pieces of the first choice. */
  readonly first: readonly JsonRecord[]
  readonly others: OtherChoices
}

/**
 * Takes the first choice out of a chunk, and keeps the others. O(1) for a chunk of the first choice alone, O(log n) for
 * each chunk of another one. `hasText`: the first choice has text already.
 */
export function splitChoices(known: OtherChoices, choices: unknown, hasText: boolean, deltas: Deltas): SplitChoices {
  const found = readObjects(choices, 'choices', deltas)
  const [only] = found
  if (only === undefined) return { first: found, others: known }
  if (found.length === 1 && isFirst(only.index))
    return { first: found, others: known.hasFirst ? known : { ...known, hasFirst: true } }
  const first = found.filter((choice, position) => indexOf(choice, position) === 0)
  const byIndex = found.reduce((now, choice, position) => {
    const index = indexOf(choice, position)
    return index === 0 ? now : mapSet(now, index, withChunk(mapGet(now, index) ?? NO_CHUNKS, choice, hasText))
  }, known.byIndex)
  return { first, others: { byIndex, hasFirst: known.hasFirst || first.length > 0 } }
}

function withChunk(other: OtherChoice, choice: JsonRecord, firstHasText: boolean): OtherChoice {
  const { delta, message } = choice
  const records = [delta, message].filter(isObject)
  const hasText =
    other.hasText ||
    isNonEmptyString(choice.text) ||
    records.some(({ content, refusal }) => readText(content) !== '' || isNonEmptyString(refusal))
  return {
    numbered: other.numbered || (choice.index !== undefined && choice.index !== null),
    hasText,
    hasCalls: other.hasCalls || records.some((record) => Boolean(record.tool_calls || record.function_call)),
    // An alternative is not kept.
    chunks: hasText && firstHasText ? EMPTY_LIST : listAppend(other.chunks, choice),
  }
}

export type IndexedChoice = readonly [index: number, other: OtherChoice]

export const otherChoices = ({ byIndex }: OtherChoices): readonly IndexedChoice[] => mapEntries(byIndex)

export const chunksOf = ({ chunks }: OtherChoice): readonly JsonRecord[] => listToArray(chunks)

/** The content of the answer so far. `called`: the first choice has calls. */
export interface AnswerSoFar {
  readonly hasText: boolean
  readonly called: boolean
}

/**
 * Whether a choice is an alternative to the answer (`n`), in contrast to a further part of one answer: Copilot sends the
 * text in one choice and each call in another. An alternative repeats what the answer has already. `splits`: the vendor
 * is known to split its answers.
 */
export const isAlternative = (
  { numbered, hasText, hasCalls }: OtherChoice,
  answer: AnswerSoFar,
  splits: boolean,
): boolean => (hasText && answer.hasText) || (hasCalls && answer.called && numbered && !splits)
