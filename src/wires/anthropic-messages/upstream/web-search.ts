import type { JsonObject } from '../../../protocol/json.ts'
import { dropped, type Loss } from '../../../protocol/loss.ts'
import { isNonEmptyString, isObject, toArray } from '../../../text/json.ts'
import { valueAt } from '../../../text/json-path.ts'
import { pathIn } from '../../../validation/messages.ts'
import { isIdleField } from '../../../validation/search/search-tool.ts'
import type { MessagesTool } from '../json.ts'

interface WebSearchTool {
  readonly tool: MessagesTool
  readonly losses: readonly Loss[]
}

const LOCATION_FIELDS = ['city', 'region', 'country', 'timezone'] as const

function locationOf(value: unknown): JsonObject | null {
  if (!isObject(value)) return null
  // Some clients send the fields beside the type, others in an object of their own.
  const fields = isObject(value.approximate) ? value.approximate : value
  const known = LOCATION_FIELDS.flatMap((field) => (isNonEmptyString(fields[field]) ? [[field, fields[field]]] : []))
  return known.length === 0 ? null : { type: 'approximate', ...Object.fromEntries(known) }
}

const ALLOWED = ['filters.allowed_domains', 'allowed_domains', 'include_domains', 'parameters.allowed_domains']
const BLOCKED = [
  'filters.blocked_domains',
  'filters.excluded_domains',
  'blocked_domains',
  'excluded_domains',
  'exclude_domains',
  'parameters.excluded_domains',
]

interface Domains {
  readonly list: readonly string[]
  /** The path inside the tool. */
  readonly path: string
}

/** Returns the first of these lists that is not empty, and its path. */
const domainsIn = (fields: JsonObject, paths: readonly string[]): Domains =>
  paths
    .map((path) => ({ path, list: toArray(valueAt(fields, path)).filter(isNonEmptyString) }))
    .find(({ list }) => list.length > 0) ?? { path: '', list: [] }

const CARRIED: ReadonlySet<string> = new Set([
  'filters',
  'parameters',
  'user_location',
  'allowed_domains',
  'blocked_domains',
  'excluded_domains',
  'include_domains',
  'exclude_domains',
  'max_uses',
])

/** Fields that are read inside `filters` and `parameters`. */
const NESTED: ReadonlySet<string> = new Set([
  'user_location',
  'allowed_domains',
  'blocked_domains',
  'excluded_domains',
  'max_uses',
])

const LOCATION: ReadonlySet<string> = new Set(['type', 'approximate', ...LOCATION_FIELDS])

const unknownIn = (record: unknown, known: ReadonlySet<string>, path: string): readonly string[] =>
  Object.entries(isObject(record) ? record : {})
    .filter(([name, value]) => !known.has(name) && !isIdleField(name, value))
    .map(([name]) => pathIn(path, name))

/**
 * Encodes a web search. OpenAI and xAI have domains in `filters`, OpenRouter in `parameters`, others at the top level.
 */
export function encodeWebSearch(fields: JsonObject, at: number): WebSearchTool {
  const path = `tools[${at}]`
  const filters = isObject(fields.filters) ? fields.filters : {}
  const more = isObject(fields.parameters) ? fields.parameters : {}
  const { list: allowed } = domainsIn(fields, ALLOWED)
  const { list: blocked, path: blockedAt } = domainsIn(fields, BLOCKED)
  const location = locationOf(fields.user_location ?? more.user_location)
  const uses = [fields.max_uses, more.max_uses].find((value) => Number.isSafeInteger(value) && (value as number) > 0)
  const both = allowed.length > 0 && blocked.length > 0
  const unknown = [
    ...unknownIn(fields, CARRIED, path),
    ...unknownIn(more, NESTED, `${path}.parameters`),
    ...unknownIn(filters, NESTED, `${path}.filters`),
    ...unknownIn(fields.user_location, LOCATION, `${path}.user_location`),
    ...unknownIn(more.user_location, LOCATION, `${path}.parameters.user_location`),
  ]
  return {
    tool: {
      type: 'web_search_20250305',
      name: 'web_search',
      ...(uses === undefined ? {} : { max_uses: uses as number }),
      ...(allowed.length > 0 ? { allowed_domains: allowed } : {}),
      ...(blocked.length > 0 && !both ? { blocked_domains: blocked } : {}),
      ...(location === null ? {} : { user_location: location }),
    },
    losses: [
      ...(both
        ? [dropped(`${path}.${blockedAt}`, 'this upstream accepts either allowed or blocked domains, not both')]
        : []),
      ...unknown.map((path) => dropped(path, 'the search of this upstream has no equivalent')),
    ],
  }
}
