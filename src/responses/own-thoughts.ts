import type { Json } from '../protocol/json.ts'
import type { InputItem } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import { type Origin, openReasoning, type Seal, type Sign } from './envelope.ts'

/** The origin of reasoning that no upstream encrypted. Any upstream that accepts readable reasoning may receive it. */
export const OWN_ORIGIN: Origin = { wire: '', vendor: '', model: '' }

/** Readable reasoning, as an item of the history has it. */
export interface Thoughts {
  readonly summary: readonly string[]
  readonly content: readonly string[]
}

type Texts = readonly { readonly text: string }[]

/**
 * Returns `encrypted_content` for reasoning that its upstream did not encrypt: every reasoning item of `beta` has that
 * field (docs/description.md, 2.8), and a client that sends back only that field loses nothing.
 */
export const toSealed = (seal: Seal, summary: Texts, content: Texts): string =>
  seal({ summary: summary.map(({ text }) => text), content: content.map(({ text }) => text) })

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((text) => typeof text === 'string')

function toThoughts(payload: Json | undefined): Thoughts | undefined {
  if (!isObject(payload)) return undefined
  const { summary, content } = payload
  return isTexts(summary) && isTexts(content) ? { summary, content } : undefined
}

function openItem(item: InputItem, sign: Sign | undefined): InputItem {
  if (item.type !== 'reasoning' || item.encrypted_content === null) return item
  const thoughts = toThoughts(openReasoning(OWN_ORIGIN, item.encrypted_content, sign))
  return thoughts === undefined ? item : { ...item, ...thoughts, encrypted_content: null }
}

/**
 * Returns the history with the reasoning that `toSealed` wrapped readable again. `sign`: the function that signed it.
 */
export const openThoughts = (input: readonly InputItem[], sign?: Sign): readonly InputItem[] =>
  input.map((item) => openItem(item, sign))
