import type { Json, JsonObject } from '../protocol/json.ts'
import type { Response } from '../protocol/response.ts'
import { cacheWrites, type Usage } from '../protocol/usage.ts'
import { lookup } from '../text/lookup.ts'
import type { Dialect } from './dialect.ts'

/**
 * A protocol object as a dialect shows it. `name` is the view to use: for objects that carry a `type` the row of that
 * type is used where the named one is missing.
 */
export function view(dialect: Dialect, value: object, name: string): JsonObject {
  const own = value as JsonObject
  const source = flatten(own)
  const fields = lookup(dialect.views, name) ?? rowOfType(dialect, source) ?? Object.keys(source)
  const shown: Record<string, Json> = {}
  for (const field of fields) {
    const optional = field.endsWith('?')
    const key = optional ? field.slice(0, -1) : field
    const inner = source[key] ?? null
    if (optional && isNothing(inner)) continue
    // What an upstream's own kind of item holds is its own: it only looks like our fields.
    shown[key] = source === own || Object.hasOwn(own, key) ? viewField(dialect, key, inner) : inner
  }
  return shown
}

/** The whole response object, as a request without `stream` gets it. */
export const viewResponse = (dialect: Dialect, response: Response): JsonObject => view(dialect, response, 'response')

const rowOfType = (dialect: Dialect, { type }: JsonObject): readonly string[] | undefined =>
  typeof type === 'string' ? lookup(dialect.views, type) : undefined

const isNothing = (value: Json): boolean => value === null || (Array.isArray(value) && value.length === 0)

/** Items of the upstream's own kinds carry their fields in a bag; on the wire these stand beside id and status. */
function flatten(value: JsonObject): JsonObject {
  if (value.fields === undefined || typeof value.type !== 'string') return value
  const { fields, ...rest } = value
  return { ...rest, ...(fields as JsonObject), ...rest }
}

function viewField(dialect: Dialect, key: string, value: Json): Json {
  switch (key) {
    case 'output':
    case 'content':
    case 'annotations':
      return Array.isArray(value) ? value.map((inner) => view(dialect, inner as object, '')) : value
    case 'summary':
      return Array.isArray(value) ? value.map((part) => viewSummary(dialect, part as JsonObject)) : value
    case 'usage':
      return value === null ? null : view(dialect, toWireUsage(value as unknown as Usage), 'usage')
    case 'title':
      return value ?? ''
    default:
      return value
  }
}

const viewSummary = (dialect: Dialect, part: JsonObject): Json =>
  dialect.summary === 'strings' ? (part.text ?? '') : part

/** Usage in the field's shape; what the upstream does not report counts as 0, as clients require numbers. */
const toWireUsage = (usage: Usage): JsonObject => ({
  input_tokens: usage.input_tokens ?? 0,
  input_tokens_details: { cached_tokens: usage.cached_tokens ?? 0, ...cacheWrites(usage.cache_write_tokens) },
  output_tokens: usage.output_tokens ?? 0,
  output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
  total_tokens: usage.total_tokens ?? (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0),
})
