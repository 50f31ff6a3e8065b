import { z } from 'zod'
import { byWord, jsonObject, name, optional, optionalList, text } from './fields.ts'

const from = (least: number, most: number) => optional(z.number().min(least).max(most))
const count = (least: number, most = Number.MAX_SAFE_INTEGER) => optional(z.number().int().min(least).max(most))

/** How the model picks its words. */
export const sampling = {
  temperature: from(0, 2),
  top_p: from(0, 1),
  presence_penalty: from(-2, 2),
  frequency_penalty: from(-2, 2),
  top_logprobs: count(0, 20),
}

/** How much it may say and do. */
export const bounds = {
  max_output_tokens: count(1),
  max_tool_calls: count(1),
  truncation: optional(z.enum(['auto', 'disabled'])),
}

export const reasoning = optional(
  z.object({
    effort: optional(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])),
    summary: optional(z.enum(['auto', 'concise', 'detailed'])),
  }),
)

const format = byWord(
  'type',
  ['text', 'json_object', 'json_schema'],
  [
    z.object({ type: z.literal('text') }),
    z.object({ type: z.literal('json_object') }),
    z.object({
      type: z.literal('json_schema'),
      name,
      description: optional(text),
      schema: jsonObject,
      strict: optional(z.boolean()),
    }),
  ],
)

export const textOptions = optional(
  z.object({
    format: optional(format),
    verbosity: optional(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
  }),
)

const MOST_PAIRS = 16

const metadata = optional(
  z
    .record(z.string().max(64), z.string().max(512))
    .refine((pairs) => Object.keys(pairs).length <= MOST_PAIRS, { error: `expected at most ${MOST_PAIRS} pairs` }),
)

/** Who asks, and how the answer is to be accounted for. */
export const account = {
  metadata,
  service_tier: optional(name),
  user: optional(text),
  safety_identifier: optional(text),
  prompt_cache_key: optional(text),
}

/** Of searching only the shape is checked here. */
export const search = {
  plugins: optionalList(jsonObject),
  x_search_filter: optional(jsonObject),
}

const refusedUnless = (fits: (value: unknown) => boolean, reason: string) =>
  z.unknown().refine(fits, { error: reason }).optional()

const isAbsent = (value: unknown): boolean => value === undefined || value === null
const isOff = (value: unknown): boolean => isAbsent(value) || value === false

/** What a service without a memory cannot do. Refused by name: to leave it out quietly would change the answer. */
export const refused = {
  store: refusedUnless(isOff, 'this service stores nothing; send false, or leave it out'),
  background: refusedUnless(
    isOff,
    'this service stores nothing that could be fetched later; send false, or leave it out',
  ),
  previous_response_id: refusedUnless(
    isAbsent,
    'this service stores no responses; send the whole conversation as input',
  ),
  conversation: refusedUnless(isAbsent, 'this service stores no conversations; send the whole conversation as input'),
  prompt: refusedUnless(isAbsent, 'this service stores no prompts; send the text as instructions or input'),
}
