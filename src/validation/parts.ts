import * as z from 'zod'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import type { AssistantPart, InputPart } from '../protocol/request.ts'
import { isObject } from '../text/json.ts'
import { byWord, expectedType, name, optional, text } from './fields.ts'
import { describeAs, type JsonSchema, orString } from './json-schema.ts'
import { promptCacheBreakpoint as prompt_cache_breakpoint } from './prompt-cache.ts'
import { discriminatedBy, ignoring } from './unknown-fields.ts'

/** Lists both types that `renamed` accepts, in the JSON Schema. */
const either =
  (...words: readonly string[]) =>
  (own: JsonSchema): JsonSchema => ({ ...own, properties: { ...own.properties, type: { enum: [...words] } } })

/** `reference` is not part of the Responses API. Requests that were decoded from another protocol have it. */
const inputText = describeAs(
  z.object({ type: z.literal('input_text'), text, prompt_cache_breakpoint, reference: z.string().optional() }),
  ({ properties: { reference: _, ...properties } = {}, ...own }) =>
    either('input_text', 'output_text')({ ...own, properties }),
)

const IMAGE_URL = expectedType('the URL of an image, or a data: URL of it')

const inputImage = z
  .object({
    type: z.literal('input_image'),
    image_url: z.string(IMAGE_URL).min(1).nullish(),
    file_id: name.max(MAX_LENGTHS.id).nullish(),
    detail: optional(z.enum(['auto', 'low', 'high', 'original'])),
    prompt_cache_breakpoint,
  })
  .superRefine(({ image_url: url, file_id }, context) => {
    if ((url ?? file_id ?? null) !== null) return
    context.addIssue({ code: 'custom', path: ['image_url'], message: IMAGE_URL.error({ input: url }) })
  })
  .transform(({ type, image_url, file_id, detail, prompt_cache_breakpoint: end }) => ({
    type,
    image_url: image_url ?? null,
    ...(file_id ? { file_id } : {}),
    detail,
    ...(end ? { prompt_cache_breakpoint: end } : {}),
  }))

/** `cited` is not part of the Responses API, as `reference` above. */
const inputFile = describeAs(
  z.object({
    type: z.literal('input_file'),
    filename: optional(text),
    file_data: optional(text),
    file_url: optional(text),
    file_id: optional(text),
    detail: z.enum(['auto', 'low', 'high']).nullish(),
    prompt_cache_breakpoint,
    cited: z.literal(true).optional(),
  }),
  ({ properties: { cited: _, ...properties } = {}, ...own }) => ({ ...own, properties }),
)
  .refine(({ file_data, file_url, file_id }) => (file_data ?? file_url ?? file_id) !== null, {
    error: 'expected one of file_data, file_url and file_id, got none',
  })
  .transform(({ detail, ...file }) => (detail ? { ...file, detail } : file))

const inputAudio = z
  .object({
    type: z.literal('input_audio'),
    input_audio: z.object({ data: name, format: name }),
    prompt_cache_breakpoint,
  })
  .transform(({ input_audio, ...part }) => ({ ...part, ...input_audio }))

/** The output text of one turn may be input text of the next: it is the same text under either type. */
const renamed = (from: string, to: string) => (part: unknown) =>
  isObject(part) && part.type === from ? { ...part, type: to } : part

const typeFor =
  (from: string, to: string) =>
  ({ type }: Readonly<Record<string, unknown>>): unknown =>
    type === from ? to : type

const inputPart: z.ZodType<InputPart> = discriminatedBy(
  z.preprocess(
    renamed('output_text', 'input_text'),
    byWord(
      'type',
      ['input_text', 'input_image', 'input_file', 'input_audio'],
      [inputText, inputImage, inputFile, inputAudio],
    ),
  ),
  typeFor('output_text', 'input_text'),
)

const NOT_AGAIN = { why: 'earlier answers are sent without it' }

const outputText = ignoring(
  describeAs(
    z.object({ type: z.literal('output_text'), text, prompt_cache_breakpoint }),
    either('output_text', 'input_text'),
  ),
  { annotations: NOT_AGAIN, logprobs: NOT_AGAIN },
)
const refusal = z.object({ type: z.literal('refusal'), refusal: text, prompt_cache_breakpoint })

const assistantPart: z.ZodType<AssistantPart> = discriminatedBy(
  z.preprocess(renamed('input_text', 'output_text'), byWord('type', ['output_text', 'refusal'], [outputText, refusal])),
  typeFor('input_text', 'output_text'),
)

/** Content as clients send it: a string, a list of parts, or null if there is none. */
const content = <Part>(part: z.ZodType<Part>, type: string): z.ZodType<readonly Part[]> =>
  describeAs(
    z.preprocess(
      (value) => (typeof value === 'string' ? [{ type, text: value }] : value),
      z.array(part, expectedType('a string or a list of content parts')).nullable(),
    ),
    orString,
  )
    .optional()
    .transform((parts) => parts ?? [])

export const inputContent = content(inputPart, 'input_text')
export const assistantContent = content(assistantPart, 'output_text')

/** As `content`, but required: a call without a result is answered with an empty string. */
export const toolOutput: z.ZodType<readonly InputPart[]> = describeAs(
  z.preprocess(
    (value) => (typeof value === 'string' ? [{ type: 'input_text', text: value }] : value),
    z.array(inputPart, expectedType('a string or a list of content parts')),
  ),
  orString,
)
