import * as z from 'zod'
import {
  FILTER_FIELDS,
  FILTER_OPERATORS,
  type FilterRules,
  REGIONS,
  type Region,
} from '../../observability/destination.ts'
import {
  DESTINATION_FIELDS,
  DESTINATION_TYPES,
  type DestinationField,
  type DestinationFields,
  type DestinationType,
} from '../../observability/destination-types.ts'
import { isUuid } from '../../observability/list.ts'
import { faultOfPattern } from '../../observability/pattern.ts'
import { isObject } from '../../text/json.ts'
import { hasNoPassword } from '../../validation/arguments.ts'
import { expectedWord } from './config-problems.ts'

/** A secret itself, or the environment variable that contains it. */
export type SecretEntry = string | { readonly env: string }

/** A destination in the configuration file. */
export interface DestinationEntry {
  readonly id?: string | undefined
  readonly workspace?: string | undefined
  readonly name: string | null
  readonly enabled: boolean
  readonly privacy_mode: boolean
  readonly sampling_rate: number
  readonly api_key_hashes: readonly string[] | null
  readonly filter_rules: FilterRules | null
  readonly created_at: string
  readonly updated_at?: string | undefined
  readonly broadcast_generation_cost: boolean
  readonly broadcast_generation_identity: boolean
  readonly broadcast_generation_request_context: boolean
  readonly regions: readonly Region[]
  readonly release: 'stable' | 'beta' | 'alpha'
  readonly type: DestinationType
  readonly config: Readonly<Record<string, SecretEntry | Readonly<Record<string, SecretEntry>> | undefined>>
}

const text = z.string().min(1)
// With an id, the JSON Schema contains the definition once instead of seventeen times.
const variable = z
  .strictObject({ env: text.describe('Name of the environment variable that contains the value') })
  .meta({ id: 'variable' })
const headerName = z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header')
const headerValue = z.string().regex(/^[\t\x20-\x7e\x80-\xff]*$/, 'expected the value of a header')
const secretOr = (plain: z.ZodType<string>): z.ZodType<SecretEntry> =>
  z.union([plain, variable], 'expected a valid string, or {"env": NAME}')

const headers = z.record(headerName, secretOr(headerValue)).meta({
  id: 'destination_headers',
  description: 'Headers sent with every delivery. Masked in the list of destinations',
})

const isPlainUrl = (value: string): boolean =>
  URL.canParse(value) && hasNoPassword(value) && /^https?:$/.test(new URL(value).protocol)

const plainUrl = z.string().refine(isPlainUrl, 'expected an http or https URL without a user name and a password')
const optionalUrl = z
  .string()
  .refine((value) => value === '' || isPlainUrl(value), 'expected an http or https URL, or ""')

function plainSchema({
  type,
  minLength = 0,
  maxLength,
  pattern,
  enum: words,
  default: defaultValue,
  required,
}: DestinationField) {
  if (words !== undefined) return z.enum(words)
  if (type === 'url') return required || defaultValue !== undefined ? plainUrl : optionalUrl
  const checked = z.string().min(minLength)
  const bounded = maxLength === undefined ? checked : checked.max(maxLength)
  return pattern === undefined
    ? bounded
    : bounded.regex(new RegExp(pattern), `expected a string that matches ${pattern}`)
}

function fieldSchema(field: DestinationField): z.ZodType<SecretEntry | undefined> {
  const value: z.ZodType<SecretEntry> = field.secret === undefined ? plainSchema(field) : secretOr(plainSchema(field))
  if (field.default !== undefined) return value.default(field.default)
  return field.required ? value : value.optional()
}

function configSchema(type: DestinationType) {
  const fields: DestinationFields = DESTINATION_FIELDS[type]
  return z.strictObject({
    ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])),
    headers: headers.optional(),
  })
}

const NUMERIC: readonly string[] = ['gt', 'lt', 'gte', 'lte']

const rule = z
  .strictObject({
    field: z.enum(FILTER_FIELDS).describe('Field of the trace'),
    operator: z.enum(FILTER_OPERATORS).describe('Comparison of the field with `value`'),
    value: z
      .union([z.string(), z.number()])
      .optional()
      .describe('Text or number; left out for `exists` and `not_exists`. `regex`: a pattern of RE2'),
  })
  .superRefine(({ operator, value }, context) => {
    const refuse = (message: string): void => context.addIssue({ code: 'custom', path: ['value'], message })
    if (!/exists$/.test(operator) && value === undefined) refuse(`the operator "${operator}" requires a value`)
    else if (operator === 'regex') {
      const fault = faultOfPattern(String(value))
      if (fault !== null) refuse(fault)
    } else if (NUMERIC.includes(operator) && !Number.isFinite(Number(value)))
      refuse(`the operator "${operator}" requires a number`)
  })

const filterRules = z
  .strictObject({
    enabled: z.boolean().default(true).describe('`false`: every trace is forwarded'),
    groups: z
      .array(
        z.strictObject({
          logic: z.enum(['and', 'or']).default('and').describe('Whether all rules of the group must hold, or one'),
          rules: z.array(rule).describe('Rules of the group. A group without rules passes'),
        }),
      )
      .describe('Groups of rules. A trace must pass all groups'),
  })
  .meta({ id: 'filter_rules' })

const region = z
  .enum([...REGIONS, 'eu'])
  .transform((name): Region => (name === 'eu' ? 'europe' : name))
  .describe('`eu`: `europe`')

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const time = z
  .string()
  .refine((text) => TIME.test(text) && !Number.isNaN(Date.parse(text)), 'expected a time like 2026-01-31T12:00:00Z')

const base = {
  id: z.string().refine(isUuid, 'expected a UUID').optional(),
  workspace: text.optional(),
  name: z.string().nullable().default(null),
  enabled: z.boolean().default(true),
  privacy_mode: z.boolean().default(false),
  sampling_rate: z.number().min(0.0001).max(1).default(1),
  api_key_hashes: z
    .array(z.string().regex(/^[0-9a-f]{64}$/, 'expected the SHA-256 of a key, 64 lower-case hexadecimal digits'))
    .min(1)
    .nullable()
    .default(null),
  filter_rules: filterRules.nullable().default(null),
  created_at: time.default('1970-01-01T00:00:00.000Z'),
  updated_at: time.optional(),
  broadcast_generation_cost: z.boolean().default(false),
  broadcast_generation_identity: z.boolean().default(false),
  broadcast_generation_request_context: z.boolean().default(false),
  regions: z.array(region).min(1).default(['global']),
  release: z.enum(['stable', 'beta', 'alpha']).default('stable'),
}

const variantSchema = (type: DestinationType) =>
  z.strictObject({
    ...base,
    type: z.literal(type),
    config: configSchema(type),
  })

const [first, ...others] = DESTINATION_TYPES.map(variantSchema) as [
  ReturnType<typeof variantSchema>,
  ...ReturnType<typeof variantSchema>[],
]

/** The schema of all 17 types of destination. Secrets and headers may name environment variables. */
export const destination: z.ZodType<DestinationEntry> = z.discriminatedUnion('type', [first, ...others], {
  error: ({ code, input }) =>
    code === 'invalid_union' && isObject(input) ? expectedWord(DESTINATION_TYPES, input.type) : undefined,
})
