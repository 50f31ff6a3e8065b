import type { Json } from '../protocol/json.ts'
import type { InputItem } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import { type Origin, openReasoning, type Seal, type Sign } from './envelope.ts'

/** Reasoning that no upstream has sealed is nobody's secret: any upstream that takes words may have it. */
export const OWN_ORIGIN: Origin = { wire: '', vendor: '', model: '' }

/** What was thought, as an item of the history has it. */
export interface Thoughts {
  readonly summary: readonly string[]
  readonly content: readonly string[]
}

type Texts = readonly { readonly text: string }[]

/**
 * `encrypted_content` for reasoning that its upstream has not sealed, so that every reasoning item of a dialect may have
 * one (description, section 2.8) and a client that sends back nothing else loses nothing.
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

/** The same history, in which reasoning that this service has sealed itself is words again. `sign`: as it was sealed. */
export const openThoughts = (input: readonly InputItem[], sign?: Sign): readonly InputItem[] =>
  input.map((item) => openItem(item, sign))
