import { z } from 'zod'
import type { Json } from '../protocol/json.ts'
import type { Tool, ToolChoice } from '../protocol/request.ts'
import { isObject, isText } from '../text/json.ts'
import { byWord, jsonObject, name, optional, text } from './fields.ts'
import { said } from './issue.ts'

const functionTool = z.object({
  type: z.literal('function'),
  name,
  description: optional(text),
  parameters: optional(jsonObject),
  strict: optional(z.boolean()),
})

const customTool = z.object({
  type: z.literal('custom'),
  name,
  description: optional(text),
  format: z
    .unknown()
    .optional()
    .transform((format) => (format ?? null) as Json),
})

const hostedTool = z.object({ type: z.literal('hosted'), name, fields: jsonObject })

/** Every other type of tool is one that the client leaves to the service. */
function normalise(tool: unknown): unknown {
  if (!isObject(tool) || tool.type === 'function' || tool.type === 'custom') return tool
  const { type, ...fields } = tool
  return isText(type) ? { type: 'hosted', name: type, fields } : { ...fields, type: undefined }
}

export const tool: z.ZodType<Tool> = z.preprocess(
  normalise,
  byWord('type', ['function', 'custom', 'or the type of a server tool'], [functionTool, customTool, hostedTool]),
)

const MODES: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

/** Which tools may be called, and whether one must. `allowed` is null where all of `tools` may be. */
export interface Choice {
  readonly choice: ToolChoice
  readonly allowed: readonly string[] | null
}

const mode = z
  .object({ type: z.literal('mode'), mode: z.enum(['auto', 'none', 'required']) })
  .transform((it): Choice => ({ choice: it.mode, allowed: null }))

const named = z
  .object({ type: z.enum(['function', 'custom']), name })
  .transform(({ type, name }): Choice => ({ choice: { type, name }, allowed: null }))

const hosted = z
  .object({ type: z.literal('hosted'), name })
  .transform(({ type, name }): Choice => ({ choice: { type, name }, allowed: null }))

const allowedTools = z
  .object({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']).default('auto'),
    tools: z.array(z.object({ type: name, name: text.nullish() })),
  })
  .transform(({ mode, tools }): Choice => ({ choice: mode, allowed: tools.map(({ type, name }) => name ?? type) }))

const NAMED: ReadonlySet<unknown> = new Set(['function', 'custom', 'allowed_tools'])

function normaliseChoice(choice: unknown, context: z.core.$RefinementCtx): unknown {
  if (MODES.has(choice)) return { type: 'mode', mode: choice }
  if (!isObject(choice)) {
    context.issues.push({
      code: 'custom',
      message: `expected auto, none, required or an object, got ${said(choice)}`,
      input: choice,
    })
    return z.NEVER
  }
  if (NAMED.has(choice.type)) return choice
  return isText(choice.type) ? { type: 'hosted', name: choice.type } : { ...choice, type: undefined }
}

export const toolChoice: z.ZodType<Choice> = z.preprocess(
  normaliseChoice,
  byWord(
    'type',
    ['function', 'custom', 'allowed_tools', 'or the type of a server tool'],
    [mode, named, hosted, allowedTools],
  ),
)
