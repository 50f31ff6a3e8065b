import type { ContentKind } from '../../protocol/delta.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject, isText, toArray } from '../../text/json.ts'

/**
 * One entry of `reasoning_details` (OpenRouter and its kin): fragments with the same index and type are one entry. Text
 * and summary grow; signature and data come in a fragment of their own.
 */
export type Detail = JsonObject

const GROWING = ['text', 'summary'] as const

export const hasReasoning = (delta: Readonly<Record<string, unknown>>): boolean =>
  Boolean(delta.reasoning_content || delta.reasoning || delta.reasoning_details)

/** What a delta says of its thoughts in readable words: one of three names, `reasoning_details` repeats the others. */
export function readableReasoning(delta: Readonly<Record<string, unknown>>): { kind: ContentKind; text: string } {
  const details = delta.reasoning_details ? toArray(delta.reasoning_details).filter(isObject) : NO_DETAILS
  const kind: ContentKind = details.some(({ type }) => type === 'reasoning.summary') ? 'summary' : 'reasoning'
  if (isText(delta.reasoning_content)) return { kind, text: delta.reasoning_content }
  if (isText(delta.reasoning)) return { kind, text: delta.reasoning }
  return { kind, text: details.map(({ text, summary }) => wordsOf(text) || wordsOf(summary)).join('') }
}

const NO_DETAILS: readonly Readonly<Record<string, unknown>>[] = []

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Fragments gathered so far, and these. */
export function mergeDetails(known: readonly Detail[], found: readonly unknown[]): readonly Detail[] {
  const details = [...known]
  for (const fragment of found.filter(isObject) as Detail[]) {
    const at = details.findIndex(({ index, type }) => index === fragment.index && type === fragment.type)
    const old = details[at]
    // Encrypted entries are whole, and each belongs to its own tool call.
    if (old === undefined || (isText(old.data) && isText(fragment.data))) details.push(fragment)
    else details[at] = mergeFragment(old, fragment)
  }
  return details
}

export function mergeFragment(old: Detail, fragment: Detail): Detail {
  const said = Object.entries(fragment).filter(([, value]) => value !== null && value !== '')
  const grown = GROWING.filter((field) => isText(fragment[field])).map((field) => [
    field,
    wordsOf(old[field]) + wordsOf(fragment[field]),
  ])
  return { ...old, ...Object.fromEntries(said), ...Object.fromEntries(grown) }
}

/** Readable words alone need no way back: the item shows them. */
export const isWorthSealing = (details: readonly Detail[]): boolean =>
  details.some(({ signature, data }) => isText(signature) || isText(data))
