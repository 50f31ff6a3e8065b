import { mapGet, mapSet, mapValues, type SortedMap } from '../../../collections/sorted-map.ts'
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

/** Whether a delta or a message has more than a role. */
export const hasContent = (record: unknown): record is JsonRecord =>
  isObject(record) && Object.entries(record).some(([field, value]) => field !== 'role' && !isNothing(value))

/** Some servers write the text alone in the place of a delta or a message. */
export const toRecord = (given: unknown): unknown => (isNonEmptyString(given) ? { content: given } : given)

/** The members of content that were read from a choice, and whether a delta had them, not only a message. */
export type ReadMembers = SortedMap<string, boolean>

/** The content that was read of a choice so far. */
export interface ReadSoFar {
  readonly members: ReadMembers
  readonly finished: boolean
}

/** Adds the members of content that are read from a choice: those of its delta, and of a message that is read. */
export function withMembers(read: ReadSoFar, choice: JsonRecord): ReadMembers {
  const members = withDelta(read.members, choice)
  const message = messageBeside(choice, read)
  return isObject(message) ? withFilled(members, message, false) : members
}

/** Whether a choice has a delta, which is read in place of its message. An empty one is, behind the first content. */
export const hasDelta = ({ members }: ReadSoFar, { delta }: JsonRecord): boolean =>
  isNonEmptyString(delta) || (isObject(delta) && (members !== null || hasContent(delta)))

const isEnd = ({ finished }: ReadSoFar, choice: JsonRecord): boolean =>
  finished || isNonEmptyString(choice.finish_reason)

/** The message of a choice, which counts beside a delta only at the end. It is not read before, as the fields below. */
const messageBeside = (choice: JsonRecord, read: ReadSoFar): unknown =>
  hasDelta(read, choice) && !isEnd(read, choice) ? null : toRecord(choice.message)

// Completion servers write `text`. Other fields are not read: the fast path accepts only chunks whose others decide nothing.
function withDelta(known: ReadMembers, choice: JsonRecord): ReadMembers {
  const { delta } = choice
  return withFilled(known, isObject(delta) ? delta : { content: isNonEmptyString(delta) ? delta : choice.text }, true)
}

function withFilled(known: ReadMembers, found: JsonRecord, isDelta: boolean): ReadMembers {
  let now = known
  for (const name of CONTENT_MEMBERS) {
    if (!found[name] || mapGet(now, name) === true || isNothing(found[name])) continue
    if (isDelta || mapGet(now, name) === undefined) now = mapSet(now, name, isDelta)
  }
  return now
}

/** A message that repeats the pieces of its choice. */
export interface Repeated {
  readonly message: JsonRecord
  /** The content that they lack. Members other than those of content count only if the pieces have no content. */
  readonly beside: JsonRecord
}

/**
 * The message of a choice if it repeats pieces: at the end or behind it, and without a delta behind those of deltas.
 * Servers that send no delta at all have their pieces in messages.
 */
export function repeatedIn(choice: JsonRecord, read: ReadSoFar): Repeated | null {
  const message = messageBeside(choice, read)
  if (!isObject(message)) return null
  const members = withDelta(read.members, choice)
  const repeats = hasDelta(read, choice) || mapValues(members).some((ofDelta) => ofDelta || isEnd(read, choice))
  return repeats ? { message, beside: contentBeside(message, members) } : null
}

function contentBeside(message: JsonRecord, members: ReadMembers): JsonRecord {
  const isKnown = (name: string) =>
    CONTENT_MEMBERS.includes(name)
      ? (SAME_CONTENT.find((names) => names.includes(name)) ?? [name]).some((one) => mapGet(members, one) !== undefined)
      : members !== null
  const isNew = ([name, value]: [string, unknown]) => name !== 'role' && !isNothing(value) && !isKnown(name)
  return Object.fromEntries(Object.entries(message).filter(isNew))
}
