import { z } from 'zod'
import type { JsonObject } from '../protocol/json.ts'
import type { InputItem } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import { openSummary } from './compaction.ts'
import { byWord, expected, jsonObject, name, optional, text } from './fields.ts'
import { flatName } from './namespaces.ts'
import { assistantContent, inputContent, toolOutput } from './parts.ts'
import { anyOfThem, type JsonSchema, openVariant, orString, shown } from './shown.ts'

// Where an item came from is not needed again, but must not be nonsense.
const origin = { id: text.nullish(), status: text.nullish() }

/** `strict`: the assistant's messages have the id and the status they were given (description, section 2.5). */
export type History = 'lenient' | 'strict'

const ORIGINS = {
  lenient: origin,
  strict: { id: name, status: z.enum(['in_progress', 'completed', 'incomplete']) },
} satisfies Record<History, object>

/** A message is known by its role. */
const withoutType = (own: JsonSchema): JsonSchema => ({
  ...own,
  required: (own.required ?? []).filter((field) => field !== 'type'),
})

const messageOf = (history: History) =>
  byWord(
    'role',
    ['user', 'assistant', 'system', 'developer'],
    [
      shown(
        z.object({
          ...origin,
          type: z.literal('message'),
          role: z.enum(['user', 'system', 'developer']),
          content: inputContent,
        }),
        withoutType,
      ).transform(({ type, role, content }) => ({ type, role, content })),
      shown(
        z.object({
          ...ORIGINS[history],
          type: z.literal('message'),
          role: z.literal('assistant'),
          content: assistantContent,
        }),
        withoutType,
      ).transform(({ type, role, content }) => ({ type, role, content })),
    ],
  )

// A call of the history is named as its tool is now.
const called = { call_id: name, name, namespace: text.nullish() }
const calledName = (own: string, namespace: string | null | undefined): string =>
  namespace ? flatName(namespace, own) : own

const functionCall = z
  .object({ ...origin, type: z.literal('function_call'), ...called, arguments: text })
  .transform(({ type, call_id, name, namespace, arguments: json }) => ({
    type,
    call_id,
    name: calledName(name, namespace),
    arguments: json,
  }))

const functionCallOutput = z
  .object({ ...origin, type: z.literal('function_call_output'), call_id: name, output: toolOutput })
  .transform(({ type, call_id, output }) => ({ type, call_id, output }))

const customToolCall = z
  .object({ ...origin, type: z.literal('custom_tool_call'), ...called, input: text })
  .transform(({ type, call_id, name, namespace, input }) => ({
    type,
    call_id,
    name: calledName(name, namespace),
    input,
  }))

const customToolCallOutput = z
  .object({ ...origin, type: z.literal('custom_tool_call_output'), call_id: name, output: toolOutput })
  .transform(({ type, call_id, output }) => ({ type, call_id, output }))

/** Thoughts as strings (the service description) or as parts (everybody else). */
const thoughts = z
  .array(
    shown(
      z.preprocess((part) => (isObject(part) ? part.text : part), text),
      (own) => ({ anyOf: [own, { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }] }),
    ),
  )
  .nullish()
  .transform((list) => list ?? [])

const reasoning = z
  .object({
    ...origin,
    type: z.literal('reasoning'),
    summary: thoughts,
    content: thoughts,
    encrypted_content: optional(text),
  })
  .transform(({ type, summary, content, encrypted_content }) => ({ type, summary, content, encrypted_content }))

/** A summary of ours is what the user tells of the conversation so far; another one passes as it is. */
const compaction = z
  .looseObject({ type: z.literal('compaction'), encrypted_content: text })
  .transform((item): InputItem => {
    const summary = openSummary(item.encrypted_content)
    if (summary === undefined) return { type: 'other', item: item as JsonObject }
    const told = `This is a summary of the conversation so far:\n\n${summary}`
    return { type: 'message', role: 'user', content: [{ type: 'input_text', text: told }] }
  })

const other = shown(
  z.object({ type: z.literal('other'), item: jsonObject }),
  openVariant('An item of another type: an upstream that has no word for it goes without it.'),
)

const reference = shown(z.object({ type: z.literal('item_reference') }), () => ({
  not: {},
  description: 'item_reference: refused, since nothing is stored.',
}))
  .refine(() => false, {
    error: 'an item_reference names a stored item, and this service stores none; send the item itself',
  })
  .transform(() => z.NEVER)

const KNOWN: ReadonlySet<unknown> = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'compaction',
  'item_reference',
])

/** The type that an item without one must have: a message has a role, a reference nothing but an id. */
function typeOf(item: Readonly<Record<string, unknown>>): unknown {
  const { type, role, id } = item
  if (type !== undefined && type !== null) return type
  if (role !== undefined) return 'message'
  return typeof id === 'string' && Object.keys(item).every((key) => key === 'id' || key === 'type')
    ? 'item_reference'
    : type
}

function normalise(item: unknown): unknown {
  if (!isObject(item)) return item
  const type = typeOf(item)
  if (KNOWN.has(type)) return item.type === type ? item : { ...item, type }
  return typeof type === 'string' && type !== '' ? { type: 'other', item } : { ...item, type }
}

const itemOf = (history: History): z.ZodType<InputItem> =>
  z.preprocess(
    normalise,
    shown(
      byWord(
        'type',
        ['message', 'function_call', 'function_call_output', 'reasoning', 'or another type of item'],
        [
          messageOf(history),
          functionCall,
          functionCallOutput,
          customToolCall,
          customToolCallOutput,
          reasoning,
          compaction,
          other,
          reference,
        ],
      ),
      anyOfThem,
    ),
  )

/** A string is a single user text. */
export const inputOf = (history: History): z.ZodType<readonly InputItem[]> =>
  shown(
    z.preprocess(
      (value) => (typeof value === 'string' ? [{ role: 'user', content: value }] : value),
      z.array(itemOf(history), expected('a string or a list of input items')),
    ),
    orString,
  )
