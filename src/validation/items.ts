import * as z from 'zod'
import { type CallOrigin, toOrigin } from '../protocol/item.ts'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import {
  type Cacheable,
  type CacheBreakpoint,
  type InputItem,
  isUnaddressed,
  type Qualified,
} from '../protocol/request.ts'
import { openSummary } from '../responses/compaction/compaction.ts'
import { isObject } from '../text/json.ts'
import { byWord, callIdSchema, expectedType, jsonObject, optional, text, toolName } from './fields.ts'
import { additionalTools, CHANGING_ITEMS, configurationUpdate, toolSearchOutput } from './input/changing-items.ts'
import { anyOfThem, describeAs, type JsonSchema, openVariant, orString } from './json-schema.ts'
import { flatName } from './namespaces.ts'
import { assistantContent, inputContent, toolOutput } from './parts.ts'
import { promptCacheBreakpoint } from './prompt-cache.ts'
import { discriminatedBy } from './unknown-fields.ts'

// The origin of an item has no further use, but must be valid.
const origin = { id: text.max(MAX_LENGTHS.id).nullish(), status: text.nullish() }

/**
 * `strict`: messages of the assistant must have the id and the status that they were given (docs/description.md, 2.5).
 */
export type History = 'lenient' | 'strict'

const ORIGINS = {
  lenient: origin,
  strict: { id: callIdSchema, status: z.enum(['in_progress', 'completed', 'incomplete']) },
} satisfies Record<History, object>

/** A message may omit its type, because its role identifies it. */
const withoutType = (own: JsonSchema): JsonSchema => ({
  ...own,
  required: (own.required ?? []).filter((field) => field !== 'type'),
})

const messageOf = (history: History) =>
  byWord(
    'role',
    ['user', 'assistant', 'system', 'developer'],
    [
      describeAs(
        z.object({
          ...origin,
          type: z.literal('message'),
          role: z.enum(['user', 'system', 'developer']),
          content: inputContent,
        }),
        withoutType,
      ).transform(({ type, role, content }) => ({ type, role, content })),
      describeAs(
        z.object({
          ...ORIGINS[history],
          type: z.literal('message'),
          role: z.literal('assistant'),
          content: assistantContent,
          phase: text.max(MAX_LENGTHS.phase).nullish(),
        }),
        withoutType,
      ).transform(({ type, role, content, phase }) =>
        phase ? { type, role, content, phase } : { type, role, content },
      ),
    ],
  )

const caller = jsonObject.nullish()

const namespace = text.max(MAX_LENGTHS.tool_name).nullish()
// Not fields of the Responses API, which has breakpoints only on parts. Requests of other protocols have them.
const cacheable = { prompt_cache_breakpoint: promptCacheBreakpoint }
const cached = (end: CacheBreakpoint | null | undefined): Cacheable => (end ? { prompt_cache_breakpoint: end } : {})

// A call of the history gets the name that its tool has now.
const called = {
  call_id: callIdSchema,
  name: toolName,
  namespace,
  caller,
  async: z.boolean().nullish(),
}

/** An output repeats the name of its tool, which the call has already. */
const answered = { call_id: callIdSchema, output: toolOutput, name: text.nullish(), namespace, caller }

/** The origin of a call, if anything is known about it. */
function originOf(given: Parameters<typeof toOrigin>[0]): { readonly origin?: CallOrigin } {
  const origin = toOrigin(given)
  return Object.keys(origin).length === 0 ? {} : { origin }
}

const calledName = (name: string, space: string | null | undefined): { name: string; qualified?: Qualified } =>
  space ? { name: flatName(space, name), qualified: { namespace: space, name } } : { name }

const functionCall = z
  .object({ ...origin, type: z.literal('function_call'), ...called, arguments: text, ...cacheable })
  .transform(({ type, call_id, name, namespace, arguments: json, prompt_cache_breakpoint: end, ...more }) => ({
    type,
    call_id,
    ...calledName(name, namespace),
    arguments: json,
    ...originOf(more),
    ...cached(end),
  }))

/** `failed` is not part of the Responses API. Requests that were decoded from another protocol have it. */
export const functionCallOutput = describeAs(
  z.object({
    ...origin,
    type: z.literal('function_call_output'),
    ...answered,
    failed: z.literal(true).optional(),
    ...cacheable,
  }),
  ({ properties: { failed: _, ...properties } = {}, ...own }) => ({ ...own, properties }),
).transform(({ type, call_id, output, failed, prompt_cache_breakpoint: end, ...more }) => ({
  type,
  call_id,
  output,
  ...(failed === undefined ? {} : { failed }),
  ...originOf(more),
  ...cached(end),
}))

const customToolCall = z
  .object({ ...origin, type: z.literal('custom_tool_call'), ...called, input: text, ...cacheable })
  .transform(({ type, call_id, name, namespace, input, prompt_cache_breakpoint: end, ...more }) => ({
    type,
    call_id,
    ...calledName(name, namespace),
    input,
    ...originOf(more),
    ...cached(end),
  }))

const customToolCallOutput = z
  .object({ ...origin, type: z.literal('custom_tool_call_output'), ...answered, ...cacheable })
  .transform(({ type, call_id, output, prompt_cache_breakpoint: end, ...more }) => ({
    type,
    call_id,
    output,
    ...originOf(more),
    ...cached(end),
  }))

/** Reasoning as strings (docs/description.md, 2.8) or as parts (the standard). */
const reasoningTexts = z
  .array(
    describeAs(
      z
        .preprocess(
          (part) => (typeof part === 'string' ? { text: part } : part),
          z.object({ type: z.unknown().optional(), text }, expectedType('a string or an object with the field text')),
        )
        .transform((part) => part.text),
      () => ({
        anyOf: [{ type: 'string' }, { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }],
      }),
    ),
  )
  .nullish()
  .transform((list) => list ?? [])

const reasoning = z
  .object({
    ...origin,
    type: z.literal('reasoning'),
    summary: reasoningTexts,
    content: reasoningTexts,
    encrypted_content: optional(text),
  })
  .transform(({ type, summary, content, encrypted_content }) => ({ type, summary, content, encrypted_content }))

/** A summary that this service issued becomes a message of the user. */
const compaction = z
  .object({ ...origin, type: z.literal('compaction'), encrypted_content: text })
  .transform(({ encrypted_content }): InputItem => {
    const summary = `This is a summary of the conversation so far:\n\n${openSummary(encrypted_content) ?? ''}`
    return { type: 'message', role: 'user', content: [{ type: 'input_text', text: summary }] }
  })

/** A compaction item of another service is passed on unchanged. */
const isForeign = ({ type, encrypted_content: sealed }: Readonly<Record<string, unknown>>): boolean =>
  type === 'compaction' && typeof sealed === 'string' && openSummary(sealed) === undefined

const other = describeAs(
  z.object({ type: z.literal('other'), item: jsonObject }),
  openVariant('An item of another type. It is dropped for an upstream that does not support it.'),
)

const CHANGING: ReadonlySet<unknown> = new Set(CHANGING_ITEMS)

const KNOWN: ReadonlySet<unknown> = new Set([
  ...CHANGING_ITEMS,
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
  'reasoning',
  'compaction',
])

/** Returns the type of an item, also if it is omitted: a message has a role, a reference has an id only. */
export function typeOf(item: Readonly<Record<string, unknown>>): unknown {
  const { type, role, id } = item
  if (type !== undefined && type !== null) return type
  if (role !== undefined) return 'message'
  return typeof id === 'string' && Object.keys(item).every((key) => key === 'id' || key === 'type')
    ? 'item_reference'
    : type
}

const isRead = (item: Readonly<Record<string, unknown>>): boolean =>
  KNOWN.has(typeOf(item)) && !isForeign(item) && !isUnaddressed(item)

/** An item of an unknown type is kept whole. */
const wordOf = (item: Readonly<Record<string, unknown>>): unknown => (isRead(item) ? typeOf(item) : null)

function normalise(item: unknown): unknown {
  if (!isObject(item)) return item
  const type = typeOf(item)
  const typed = item.type === type ? item : { ...item, type }
  if (CHANGING.has(type)) return { ...item, item }
  if (isRead(item)) return typed
  return typeof type === 'string' && type !== '' ? { type: 'other', item: typed } : typed
}

export const itemOf = (history: History): z.ZodType<InputItem> =>
  discriminatedBy(
    z.preprocess(
      normalise,
      describeAs(
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
            additionalTools,
            toolSearchOutput,
            configurationUpdate,
            other,
          ],
        ),
        anyOfThem,
      ),
    ),
    wordOf,
  )

/** A string is a single text of the user. */
export const inputOf = (history: History): z.ZodType<readonly InputItem[]> =>
  describeAs(
    z.preprocess(
      (value) => (typeof value === 'string' ? [{ role: 'user', content: value }] : value),
      z.array(itemOf(history), expectedType('a string or a list of input items')),
    ),
    orString,
  )
