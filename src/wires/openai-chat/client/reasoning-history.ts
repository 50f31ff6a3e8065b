import type { JsonObject } from '../../../protocol/json.ts'
import { ISSUED_ELSEWHERE } from '../../../protocol/loss.ts'
import { isEnvelope } from '../../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { fieldSet, pickKnown } from '../../../validation/known-fields.ts'
import { dropField, type RequestReader } from '../../shared/client/request-reader.ts'
import { type LocatedItem, locateAll } from '../../shared/client/source-map.ts'
import { type Detail, isWorthSealing, mergeFragment } from '../sealed-reasoning.ts'

/** Fields such as `id` and `format` may be dropped without a loss: the envelope names the issuer. */
const DETAIL = fieldSet(['type', 'id', 'index', 'format', 'text', 'summary', 'signature', 'data'])

/** The fields of an assistant message that may hold reasoning. */
interface AssistantWithReasoning {
  readonly content?: unknown
  readonly reasoning_details?: unknown
  readonly reasoning_content?: unknown
  readonly reasoning?: unknown
}

const WHOLE = ['signature', 'data'] as const

const isWhole = (detail: Detail): boolean => WHOLE.some((field) => isNonEmptyString(detail[field]))

/**
 * Clients that collected a stream may return its fragments one by one. An entry with a signature or data is complete.
 */
function joinFragments(found: readonly unknown[]): readonly Detail[] {
  const details: Detail[] = []
  for (const fragment of found.filter(isObject) as Detail[]) {
    const last = details.at(-1)
    const continues =
      last !== undefined &&
      last.type === fragment.type &&
      last.index === fragment.index &&
      !isWhole(last) &&
      !isNonEmptyString(fragment.data)
    if (continues) details[details.length - 1] = mergeFragment(last, fragment)
    else details.push(fragment)
  }
  return details
}

const words = (details: readonly Detail[], field: 'text' | 'summary', type: string): readonly JsonObject[] =>
  details.map((detail) => detail[field]).flatMap((text) => (isNonEmptyString(text) ? [{ type, text }] : []))

const toItem = (details: readonly Detail[], encrypted_content: string | null): JsonObject => ({
  type: 'reasoning',
  summary: words(details, 'summary', 'summary_text'),
  content: words(details, 'text', 'reasoning_text'),
  encrypted_content,
})

export const hasReadableText = ({ summary, content }: JsonObject): boolean =>
  toArray(summary).length > 0 || toArray(content).length > 0

const envelopeOf = ({ data }: Detail): string | null => (isNonEmptyString(data) && isEnvelope(data) ? data : null)

/** Counts the last entries in `held` that are the readable text of the item whose envelope this is. */
function belonging(held: readonly Detail[], envelope: Detail): number {
  const foreign = held.findLastIndex(
    (detail) =>
      isWhole(detail) || (isNonEmptyString(detail.id) && isNonEmptyString(envelope.id) && detail.id !== envelope.id),
  )
  return held.length - 1 - foreign
}

/**
 * Decodes entries without an envelope: entries of the vendor itself, which are sealed and go back to it unchanged, or
 * plain text.
 */
function decodeRun(run: readonly Detail[], path: string, notes: RequestReader): readonly JsonObject[] {
  if (!isWorthSealing(run)) return [toItem(run, null)].filter(hasReadableText)
  if (notes.seal !== null) return [toItem(run, notes.seal(run))]
  dropField(notes, path, ISSUED_ELSEWHERE)
  return [toItem(run, null)].filter(hasReadableText)
}

function decodeDetails(found: readonly unknown[], path: string, notes: RequestReader): readonly JsonObject[] {
  const items: JsonObject[] = []
  const held: Detail[] = []
  for (const detail of joinFragments(found)) {
    const envelope = envelopeOf(detail)
    if (envelope === null) held.push(detail)
    else {
      const own = held.splice(held.length - belonging(held, detail))
      items.push(...decodeRun(held.splice(0), path, notes), toItem(own, envelope))
    }
  }
  return [...items, ...decodeRun(held, path, notes)]
}

/** Returns the joined text of Mistral's `thinking` parts in a content list, and the path of the first. */
function reasoningIn(content: unknown): { readonly text: string; readonly at: string } {
  const isReasoning = (part: unknown): part is Detail => isObject(part) && part.type === 'thinking'
  const list = toArray(content)
  const fragments = list.filter(isReasoning).flatMap((part) => [part.thinking].flat())
  const text = fragments
    .map((it) => (isObject(it) ? it.text : it))
    .map((it) => (isNonEmptyString(it) ? it : ''))
    .join('')
  return { text, at: `content[${list.findIndex(isReasoning)}]` }
}

/**
 * Decodes the reasoning of an assistant message into items that precede the message. `reasoning_details` takes
 * precedence: it contains all that the other fields repeat, and a client may have kept only these entries complete.
 */
export function decodeReasoningHistory(
  message: AssistantWithReasoning,
  path: string,
  notes: RequestReader,
): readonly LocatedItem[] {
  const details = toArray(message.reasoning_details).filter(isObject)
  details.forEach((detail, i) => {
    if (notes.seal === null) pickKnown(detail, DETAIL, `${path}.reasoning_details[${i}]`, notes)
  })
  const at = `${path}.reasoning_details`
  if (details.length > 0) return locateAll(decodeDetails(details, at, notes), at)
  const parts = reasoningIn(message.content)
  const found = [
    { text: message.reasoning_content, at: 'reasoning_content' },
    { text: message.reasoning, at: 'reasoning' },
    parts,
  ]
  return found
    .flatMap(({ text, at: field }) =>
      isNonEmptyString(text) ? [{ item: toItem([{ type: 'reasoning.text', text }], null), field }] : [],
    )
    .slice(0, 1)
    .map(({ item, field }) => ({ item, path: `${path}.${field}` }))
}
