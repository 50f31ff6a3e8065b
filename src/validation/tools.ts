import * as z from 'zod'
import type { JsonObject } from '../protocol/json.ts'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import type { GivenChoice, GivenTool, NamedTool } from '../protocol/request.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import { byWord, jsonObject, jsonValue, optional, text, toolName } from './fields.ts'
import { anyOfThem, describeAs, type JsonSchema, openVariant } from './json-schema.ts'
import { describeValue } from './messages.ts'
import { promptCacheBreakpoint } from './prompt-cache.ts'
import { discriminatedBy } from './unknown-fields.ts'

const toolSettings = {
  defer_loading: z.boolean().nullish(),
  async: z.boolean().nullish(),
  allowed_callers: z.array(text).nullish(),
}

interface GivenSettings {
  readonly defer_loading?: boolean | null | undefined
  readonly deferred?: boolean | undefined
  readonly async?: boolean | null | undefined
  readonly allowed_callers?: readonly string[] | null | undefined
  readonly output_schema?: JsonObject | null | undefined
}

/** The settings that request anything. */
function settingsOf(given: GivenSettings): Pick<NamedTool, 'deferred' | 'settings'> {
  const { async: isAsync, allowed_callers, output_schema } = given
  const settings = {
    ...(isAsync === true ? { async: true } : {}),
    ...(allowed_callers ? { allowed_callers } : {}),
    ...(output_schema ? { output_schema } : {}),
  }
  return {
    ...(given.defer_loading === true || given.deferred === true ? { deferred: true } : {}),
    ...(Object.keys(settings).length === 0 ? {} : { settings }),
  }
}

/** Not part of the Responses API. Requests that were decoded from another protocol have them. */
const internal = { deferred: z.boolean().optional(), prompt_cache_breakpoint: promptCacheBreakpoint }

const withoutInternal = ({ properties = {}, ...own }: JsonSchema): JsonSchema => ({
  ...own,
  properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !Object.hasOwn(internal, name))),
})

const functionTool = describeAs(
  z.object({
    type: z.literal('function'),
    name: toolName,
    description: optional(text),
    parameters: optional(jsonObject),
    strict: optional(z.boolean()),
    ...internal,
    ...toolSettings,
    output_schema: jsonObject.nullish(),
  }),
  withoutInternal,
).transform(({ type, name, description, parameters, strict, prompt_cache_breakpoint: end, ...given }) => ({
  type,
  name,
  description,
  parameters,
  strict,
  ...settingsOf(given),
  ...(end ? { prompt_cache_breakpoint: end } : {}),
}))

const customTool = describeAs(
  z.object({
    type: z.literal('custom'),
    name: toolName,
    description: optional(text),
    format: jsonValue,
    ...toolSettings,
    prompt_cache_breakpoint: promptCacheBreakpoint,
  }),
  withoutInternal,
).transform(({ type, name, description, format, prompt_cache_breakpoint: end, ...given }) => ({
  type,
  name,
  description,
  format,
  ...settingsOf(given),
  ...(end ? { prompt_cache_breakpoint: end } : {}),
}))

/** Functions in one namespace, as Codex sends those of each MCP server. */
const namespace = z.object({
  type: z.literal('namespace'),
  name: toolName,
  // Limited, because each of its tools repeats it.
  description: optional(text.max(MAX_LENGTHS.namespace_description)),
  tools: z.array(byWord('type', ['function', 'custom'], [functionTool, customTool])),
})

const hostedTool = describeAs(
  z.object({
    type: z.literal('hosted'),
    name: toolName,
    fields: jsonObject,
    prompt_cache_breakpoint: promptCacheBreakpoint,
  }),
  openVariant('A tool that the service or the upstream runs, by its type.'),
)

const OFFERED: ReadonlySet<unknown> = new Set(['function', 'custom', 'namespace'])

/** A server tool is kept whole. */
const wordOf = ({ type }: Readonly<Record<string, unknown>>): unknown => (OFFERED.has(type) ? type : null)

/** Every other type of tool is one that the service or the upstream runs. */
function normalise(tool: unknown): unknown {
  if (!isObject(tool) || OFFERED.has(tool.type)) return tool
  const { type, prompt_cache_breakpoint, ...fields } = tool
  return isNonEmptyString(type)
    ? { type: 'hosted', name: type, fields, prompt_cache_breakpoint }
    : { ...fields, type: undefined }
}

export const tool: z.ZodType<GivenTool> = discriminatedBy(
  z.preprocess(
    normalise,
    describeAs(
      byWord(
        'type',
        ['function', 'custom', 'namespace', 'or the type of a server tool'],
        [functionTool, customTool, namespace, hostedTool],
      ),
      anyOfThem,
    ),
  ),
  wordOf,
)

const MODES: ReadonlySet<unknown> = new Set(['auto', 'none', 'required'])

const mode = describeAs(z.object({ type: z.literal('mode'), mode: z.enum(['auto', 'none', 'required']) }), () => ({
  enum: ['auto', 'none', 'required'],
})).transform((it): GivenChoice => it.mode)

const named = z.object({
  type: z.enum(['function', 'custom']),
  name: toolName,
  namespace: optional(text.max(MAX_LENGTHS.tool_name)),
})

const hosted = describeAs(
  z.object({
    type: z.literal('hosted'),
    hosted: toolName,
    server_label: text.max(MAX_LENGTHS.tool_name).nullish(),
    name: text.max(MAX_LENGTHS.tool_name).nullish(),
  }),
  openVariant('A server tool, by its type.'),
).transform(({ hosted: kind, server_label, name }): GivenChoice => {
  const fields = { ...(server_label ? { server_label } : {}), ...(name ? { name } : {}) }
  return { type: 'hosted', name: kind, ...(Object.keys(fields).length === 0 ? {} : { fields }) }
})

const allowedTools = z.object({
  type: z.literal('allowed_tools'),
  mode: z.enum(['auto', 'required']).default('auto'),
  tools: z
    .array(
      z
        .object({
          type: toolName,
          name: text.max(MAX_LENGTHS.tool_name).nullish(),
          server_label: text.max(MAX_LENGTHS.tool_name).nullish(),
        })
        .transform((entry) => entry as JsonObject),
    )
    .max(MAX_LENGTHS.allowed_tools),
})

const NAMED: ReadonlySet<unknown> = new Set(['function', 'custom', 'allowed_tools'])

function normaliseChoice(choice: unknown, context: z.core.$RefinementCtx): unknown {
  if (MODES.has(choice)) return { type: 'mode', mode: choice }
  if (!isObject(choice)) {
    context.issues.push({
      code: 'custom',
      message: `expected auto, none, required or an object, got ${describeValue(choice)}`,
      input: choice,
    })
    return z.NEVER
  }
  if (NAMED.has(choice.type)) return choice
  return isNonEmptyString(choice.type)
    ? { ...choice, type: 'hosted', hosted: choice.type }
    : { ...choice, type: undefined }
}

export const toolChoice: z.ZodType<GivenChoice> = z.preprocess(
  normaliseChoice,
  describeAs(
    byWord(
      'type',
      ['function', 'custom', 'allowed_tools', 'or the type of a server tool'],
      [mode, named, hosted, allowedTools],
    ),
    anyOfThem,
  ),
)
