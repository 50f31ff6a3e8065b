import * as z from 'zod'
import type { ErrorCode } from '../protocol/error-codes.ts'
import { MAX_LENGTHS, RANGES } from '../protocol/limits.ts'
import { EFFORT_LEVELS } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import { byWord, jsonObject, optional, optionalList, text, toolName } from './fields.ts'
import { describeAs } from './json-schema.ts'
import { exceptWhen } from './known-fields.ts'
import { describeValue } from './messages.ts'
import { xSearchFilter } from './search/search.ts'
import { ignoring } from './unknown-fields.ts'

type Range = readonly [least: number, most: number]

const within = ([least, most]: Range) => optional(z.number().min(least).max(most))
const countWithin = ([least, most]: Range) => optional(z.number().int().min(least).max(most))
const upTo = (most: number) => optional(z.string().max(most))

export const sampling = {
  temperature: within(RANGES.temperature),
  top_p: within(RANGES.top_p),
  presence_penalty: within(RANGES.presence_penalty),
  frequency_penalty: within(RANGES.frequency_penalty),
  top_logprobs: countWithin(RANGES.top_logprobs),
}

/** Limits of the answer. */
export const bounds = {
  max_output_tokens: countWithin(RANGES.max_output_tokens),
  max_tool_calls: countWithin(RANGES.max_tool_calls),
  truncation: optional(z.enum(['auto', 'disabled'])),
}

const summary = optional(z.enum(['auto', 'concise', 'detailed']))

/** `generate_summary` is the older name of `summary` (openai 7.57, `Reasoning`). */
export const reasoning = optional(
  z
    .object({ effort: optional(z.enum(EFFORT_LEVELS)), summary, generate_summary: summary })
    .transform((it) => ({ effort: it.effort, summary: it.summary ?? it.generate_summary })),
)

export const textFormat = byWord(
  'type',
  ['text', 'json_object', 'json_schema'],
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      name: toolName,
      description: optional(text),
      schema: jsonObject,
      strict: optional(z.boolean()),
    }),
  ],
)

export const textOptions = optional(
  z.object({
    format: optional(textFormat),
    verbosity: optional(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
  }),
)

/** The number of pairs is checked first, because zod reads every pair before it reports a mistake. */
const pairs = z
  .unknown()
  .refine((value) => !isObject(value) || Object.keys(value).length <= MAX_LENGTHS.metadata_pairs, {
    error: ({ input }) =>
      `expected at most ${MAX_LENGTHS.metadata_pairs} pairs, got ${isObject(input) ? Object.keys(input).length : 0}`,
    abort: true,
  })
  .pipe(z.record(z.string().max(MAX_LENGTHS.metadata_key), z.string().max(MAX_LENGTHS.metadata_value)))

const metadata = optional(describeAs(pairs, (own) => ({ ...own, maxProperties: MAX_LENGTHS.metadata_pairs })))

/** The user, and how the answer is accounted for. */
export const account = {
  metadata,
  service_tier: optional(z.enum(['auto', 'default', 'flex', 'priority', 'scale', 'fast', 'ultrafast', 'reserved'])),
  user: upTo(MAX_LENGTHS.user),
  safety_identifier: upTo(MAX_LENGTHS.safety_identifier),
  prompt_cache_key: upTo(MAX_LENGTHS.prompt_cache_key),
}

export const stream_options = optional(
  ignoring(z.object({ include_obfuscation: optional(z.boolean()) }), {
    include_obfuscation: { why: 'this service does not pad events', idle: exceptWhen(false) },
  }),
)

/** `web` is the only plugin (docs/description.md, 2.7). `search/options.ts` reads its other fields. */
const plugin = describeAs(
  jsonObject.superRefine(({ id }, context) => {
    if (id !== 'web') {
      context.addIssue({ code: 'custom', path: ['id'], message: `expected "web", got ${describeValue(id)}` })
    }
  }),
  () => ({ type: 'object', properties: { id: { const: 'web' } }, required: ['id'] }),
)

export const search = {
  plugins: optionalList(plugin),
  x_search_filter: optional(xSearchFilter),
}

const refusedUnless = (fits: (value: unknown) => boolean, reason: string, code?: ErrorCode) =>
  describeAs(z.unknown().refine(fits, { error: reason, params: { code } }), () => ({
    enum: [null, false].filter(fits),
    description: reason,
  })).optional()

const isAbsent = (value: unknown): boolean => value === undefined || value === null
const isOff = (value: unknown): boolean => isAbsent(value) || value === false

/** Features that need stored data. They are refused by name, because dropping them would silently change the answer. */
export const refused = {
  store: refusedUnless(isOff, 'this service stores no responses; send false, or leave it out'),
  background: refusedUnless(
    isOff,
    'this service stores no responses, so that none can be fetched later; send false, or leave it out',
  ),
  previous_response_id: refusedUnless(
    isAbsent,
    'this service stores no responses; send the whole conversation as input',
    // Clients recognise by this code that they must send everything again.
    'previous_response_not_found',
  ),
  conversation: refusedUnless(isAbsent, 'this service stores no conversations; send the whole conversation as input'),
  prompt: refusedUnless(isAbsent, 'this service stores no prompts; send the text as instructions or input'),
}
