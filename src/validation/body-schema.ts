import * as z from 'zod'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import { optional, optionalList, text } from './fields.ts'
import { type History, inputOf } from './items.ts'
import { account, bounds, reasoning, refused, sampling, search, stream_options, textOptions } from './parameters.ts'
import { promptCache } from './prompt-cache.ts'
import { tool, toolChoice } from './tools.ts'

/** The body of a request as clients send it, field by field. */
export const bodyOf = (history: History) =>
  z.object({
    model: z.string().trim().min(1).max(MAX_LENGTHS.model),
    ...refused,
    input: inputOf(history),
    stream: optional(z.boolean()),
    stream_options,
    instructions: optional(text),
    ...sampling,
    ...bounds,
    reasoning,
    tools: optionalList(tool),
    tool_choice: optional(toolChoice),
    parallel_tool_calls: optional(z.boolean()),
    text: textOptions,
    ...account,
    ...promptCache,
    include: optionalList(text),
    ...search,
  })

/** The body that most clients send, whose history may be incomplete. */
export const LENIENT_BODY = bodyOf('lenient')

/** The names of all members that a request may have. */
export const REQUEST_MEMBERS: readonly string[] = Object.keys(LENIENT_BODY.shape)

/** Fields without a use after validation: their valid values request nothing, or only the default. */
export const CHECKED = [...(Object.keys(refused) as (keyof typeof refused)[]), 'stream_options'] as const

export type BodyFields = Omit<z.output<ReturnType<typeof bodyOf>>, (typeof CHECKED)[number]>
