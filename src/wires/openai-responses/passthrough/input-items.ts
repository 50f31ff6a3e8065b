import type { Json, JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss, mapped, SENT_AS_USER, UNREADABLE_REASONING } from '../../../protocol/loss.ts'
import { movedEntries } from '../../../protocol/source-map.ts'
import { isEnvelope } from '../../../responses/encrypted-content.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import type { EditedBody } from '../../passthrough-contract.ts'
import { unchanged } from '../../shared/passthrough/edits.ts'
import { withMember } from '../../shared/passthrough/members.ts'

/** Items whose ids this gateway issued in an earlier answer: the upstream knows none of them, and needs none. */
const WITHOUT_ID: ReadonlySet<unknown> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
])

const isItem = (item: Json): item is JsonObject => isObject(item)

/** Maps the items of `input`. Returns the body itself if no item changes; null removes an item. */
function mapInput(
  body: JsonObject,
  map: (item: JsonObject, at: number) => Json | null,
): Pick<EditedBody, 'body' | 'toEarlier'> {
  const { input } = body
  if (!Array.isArray(input)) return { body }
  const items: readonly Json[] = input
  const mapped = items.map((item, at) => (isItem(item) ? map(item, at) : item))
  if (mapped.every((item, at) => item === items[at])) return { body }
  const kept = mapped.flatMap((item, at) => (item === null ? [] : [[item, at] as const]))
  return {
    body: withMember(
      body,
      'input',
      kept.map(([item]) => item),
    ),
    toEarlier: movedEntries({ input: kept.map(([, at]) => at) }),
  }
}

const isRule = (item: Json | undefined): item is JsonObject =>
  isObject(item) && (item.type ?? 'message') === 'message' && (item.role === 'system' || item.role === 'developer')

const textsOf = (content: Json | undefined): readonly string[] =>
  typeof content === 'string'
    ? [content]
    : toArray(content).flatMap((part) => (isObject(part) && typeof part.text === 'string' ? [part.text] : []))

/** Whether a message has parts that instructions cannot have, such as pictures. */
const hasMore = ({ content }: JsonObject): boolean => toArray(content).length > textsOf(content).length

/**
 * Makes one system message of all, for models whose template has only one: those at the beginning become part of the
 * instructions, and later ones messages of the user.
 */
export function withOneRule(body: JsonObject): EditedBody {
  const { input, instructions } = body
  if (!Array.isArray(input) || !input.some(isRule)) return { body, losses: [] }
  const items: readonly Json[] = input
  const found = items.findIndex((item) => !isRule(item))
  const first = found < 0 ? items.length : found
  const early = items.slice(0, first).map((item) => textsOf((item as JsonObject).content).join('\n\n'))
  const texts = [typeof instructions === 'string' ? instructions : '', ...early].filter((text) => text !== '')
  const late = items.slice(first).map((item) => (isRule(item) ? withMember(item, 'role', 'user') : item))
  const losses = items.flatMap((item, at) => {
    if (!isRule(item)) return []
    if (at > first) return [mapped(`input[${at}]`, SENT_AS_USER)]
    return hasMore(item)
      ? [dropped(`input[${at}].content`, `this upstream accepts only text in a ${item.role} message`)]
      : []
  })
  const edited = withMember(body, 'input', late)
  if (first === 0) return { body: edited, losses }
  const toEarlier = movedEntries({ input: late.map((_, at) => first + at) })
  return { body: withMember(edited, 'instructions', texts.join('\n\n')), losses, toEarlier }
}

/** "Invalid 'input[0].id': … Expected an ID that begins with 'rs'." */
const hasOtherId = ({ type, id }: JsonObject): boolean =>
  type === 'reasoning' && typeof id === 'string' && !id.startsWith('rs')

/** An item without a type is a message. */
export const withoutItemIds = (body: JsonObject): JsonObject =>
  mapInput(body, (item) =>
    WITHOUT_ID.has(item.type ?? 'message') || hasOtherId(item) ? withMember(item, 'id', undefined) : item,
  ).body

/** "Unknown parameter: 'input[0].name'": the API has no names of participants, which chat completions have. */
export function withoutNames(body: JsonObject): EditedBody {
  const losses: Loss[] = []
  const edited = mapInput(body, (item, at) => {
    if ((item.type ?? 'message') !== 'message' || item.name === undefined) return item
    losses.push(dropped(`input[${at}].name`, 'this upstream refuses it'))
    return withMember(item, 'name', undefined)
  })
  return edited.body === body ? unchanged(body) : { ...edited, losses }
}

/** Whether the path is that of a member that the API refuses in a message. */
export const isRefusedInItems = (path: string): boolean => /^input\[\d+\]\.name$/.test(path)

/**
 * Puts the upstream's own reasoning items in the place of envelopes that this gateway issued for it. Reasoning of
 * another upstream, and reasoning that is not encrypted, is dropped: the upstream cannot read the one and has not
 * stored the other. Encrypted content without an envelope is the client's own and stays.
 */
export function openEnvelopes(
  body: JsonObject,
  { open }: { readonly open: (encryptedContent: string) => Json | undefined },
): EditedBody {
  const losses: Loss[] = []
  const edited = mapInput(body, (item, at) => {
    if (item.type !== 'reasoning') return item
    const sealed = item.encrypted_content
    if (!isNonEmptyString(sealed)) {
      losses.push(dropped(`input[${at}]`, 'this upstream accepts only encrypted reasoning'))
      return null
    }
    if (!isEnvelope(sealed)) return item
    const payload = open(sealed)
    if (isObject(payload)) return { summary: item.summary ?? [], ...payload, type: 'reasoning' } as JsonObject
    losses.push(dropped(`input[${at}]`, UNREADABLE_REASONING))
    return null
  })
  return edited.body === body ? unchanged(body) : { ...edited, losses }
}
