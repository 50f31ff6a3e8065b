import { mapGet, mapSet, type SortedSet } from '../../../collections/sorted-map.ts'
import type { JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'

/** The members of a delta, and of a message, that hold content. */

/**
 * The fields of readable reasoning, in the order in which one of them is read if a delta has several: vendors repeat
 * the same text under more than one name.
 */
export const READABLE_REASONING: readonly string[] = [
  'reasoning_content',
  'reasoning',
  'reasoning_text', // Copilot
  'thinking',
  'thinking_content',
]

/** The other fields of reasoning, and those that hold signatures. */
export const OTHER_REASONING = [
  'reasoning_details', // OpenRouter
  'reasoning_opaque', // Copilot
  'reasoning_signature', // agentgateway
  'thinking_blocks', // LiteLLM
  'content_blocks', // Portkey
  'reasoning_steps', // Perplexity
  'extra_content', // Google
  'provider_specific_fields', // LiteLLM
] as const

export const REASONING_FIELDS: readonly string[] = [...READABLE_REASONING, ...OTHER_REASONING]

const CONTENT_MEMBERS: readonly string[] = [
  'content',
  'refusal',
  'tool_calls',
  'function_call',
  'annotations',
  'images',
  'audio',
  ...REASONING_FIELDS,
]

/** Members with the same content. */
const SAME_CONTENT: readonly (readonly string[])[] = [
  ['content', 'content_blocks'],
  ['tool_calls', 'function_call'],
  READABLE_REASONING,
]

export const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Adds the members of content that are read from a choice: those of its delta, else of the first message. */
export function withMembers(known: SortedSet<string>, choice: JsonRecord): SortedSet<string> {
  const { delta } = choice
  // Completion servers write `text`. Other fields are not read: the fast path accepts only chunks whose others decide nothing.
  const found = isObject(delta) ? delta : { content: isNonEmptyString(delta) ? delta : choice.text }
  const now = withFilled(known, found)
  return now === null && isObject(choice.message) ? withFilled(null, choice.message) : now
}

function withFilled(known: SortedSet<string>, found: JsonRecord): SortedSet<string> {
  let now = known
  for (const name of CONTENT_MEMBERS)
    if (found[name] && mapGet(now, name) === undefined && !isNothing(found[name]))
      now = mapSet<string, true>(now, name, true)
  return now
}

/**
 * The content of a whole message that no delta had. Its other members count only if no delta had any content.
 * `members`: those of the deltas.
 */
export function contentBeside(message: JsonRecord, members: SortedSet<string>): JsonRecord {
  const isKnown = (name: string) =>
    CONTENT_MEMBERS.includes(name)
      ? (SAME_CONTENT.find((names) => names.includes(name)) ?? [name]).some((one) => mapGet(members, one) === true)
      : members !== null
  const isNew = ([name, value]: [string, unknown]) => name !== 'role' && !isNothing(value) && !isKnown(name)
  return Object.fromEntries(Object.entries(message).filter(isNew))
}
