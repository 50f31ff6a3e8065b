import * as z from 'zod'
import { MAX_LENGTHS } from '../protocol/limits.ts'
import { expectedType, optional, text } from '../validation/fields.ts'
import { ignoring } from '../validation/unknown-fields.ts'
import { parseDomain } from './domains.ts'
import { ENGINES } from './registry.ts'

/** Bounds of the description (docs/description.md, 8). */
const MOST_RESULTS = 25
const MOST_CHARACTERS = 100_000

const count = (most = Number.MAX_SAFE_INTEGER) => optional(z.number().int().min(1).max(most))

const domain = z.string().transform((pattern, context) => {
  const parsed = parseDomain(pattern)
  if (parsed !== null) return parsed
  context.addIssue({ code: 'custom', message: 'expected a domain like example.com, *.example.com or example.com/blog' })
  return z.NEVER
})

const domains = z
  .array(domain)
  .max(MAX_LENGTHS.domains)
  .nullish()
  .transform((list) => list ?? [])

/** `auto`, or no value: the server chooses. */
const engine = optional(z.enum(['auto', 'native', ...(Object.keys(ENGINES) as (keyof typeof ENGINES)[])]))

const SILENT = { idle: () => true }

const location = optional(
  ignoring(
    z.object({
      country: optional(z.string().regex(/^[A-Za-z]{2}$/, expectedType('a country in two letters'))),
      city: optional(text),
      region: optional(text),
      timezone: optional(text),
    }),
    // `approximate` is the only type.
    { type: SILENT },
  ),
)

const shared = {
  engine,
  mode: optional(text),
  max_results: count(MOST_RESULTS),
  max_uses: count(),
  user_location: location,
}

const lists = { allowed_domains: domains, excluded_domains: domains, blocked_domains: domains }

/** The fields of a server tool, in each of their places: in `parameters`, beside the type, or in `filters`. */
export const toolFields = z.object({
  ...shared,
  ...lists,
  // The plugin's names of the lists: the plugin of a chat request is decoded as a tool.
  include_domains: domains,
  exclude_domains: domains,
  external_web_access: optional(z.boolean()),
  filters: optional(z.object(lists)),
  max_total_results: count(),
  max_characters: count(MOST_CHARACTERS),
  search_context_size: optional(z.enum(['low', 'medium', 'high'])),
})

/** The plugin `web` (docs/description.md, 2.7). */
export const pluginFields = ignoring(
  z.object({
    ...shared,
    enabled: optional(z.boolean()),
    include_domains: domains,
    exclude_domains: domains,
    search_prompt: optional(text),
  }),
  { id: SILENT },
)

/** Beside a `parameters` object, a tool has no other fields that are read. */
export const nestedFields = z.object({ parameters: z.unknown() })

export type ToolFields = z.output<typeof toolFields>
export type PluginFields = z.output<typeof pluginFields>
export type Location = NonNullable<ToolFields['user_location']>
