import * as z from 'zod'
import type { DialectName } from '../../dialects/dialect.ts'
import { DIALECTS } from '../../dialects/registry.ts'
import { FACTS } from '../../models/facts.ts'
import { BODIES, LIMITS, REQUEST_LIMITS, SHARED_MEMORY } from '../../protocol/limits.ts'
import type { EngineName } from '../../search/engine.ts'
import { ENGINES } from '../../search/registry.ts'
import { EXPECTED_NO_PASSWORD, hasNoPassword } from '../../validation/arguments.ts'
import type { WireName } from '../../wires/contract.ts'
import { CLIENT_WIRES } from '../../wires/find-wire.ts'
import { QUIRKS } from '../../wires/quirk-table.ts'
import { WIRES } from '../../wires/registry.ts'
import { checkConfig } from './checks.ts'
import { expectedWord } from './config-problems.ts'
import { destination } from './destinations.ts'
import { HEADER_VALUE, headerProblems } from './header-values.ts'
import { cors, listen } from './listening.ts'

type Row = (typeof QUIRKS)[keyof typeof QUIRKS] | (typeof FACTS)[keyof typeof FACTS]

/** The values of a row that the configuration accepts. */
function schemaOf(row: Row): z.ZodType {
  if ('one' in row) return z.enum(row.one)
  if ('some' in row) return z.array(z.enum(row.some))
  if ('or' in row) return z.union([z.boolean(), z.literal(row.or)])
  return PLAIN[row.type]
}

const word = z.string().min(1)
const rows = (table: Readonly<Record<string, Row>>) =>
  z.strictObject(Object.fromEntries(Object.entries(table).map(([key, row]) => [key, schemaOf(row)]))).partial()

const PLAIN = {
  flag: z.boolean(),
  text: word,
  number: z.number().nonnegative(),
  names: z.record(word, word),
  paths: z.array(word),
  words: z.array(word),
  facts: z.record(
    word,
    z.lazy(() => rows(FACTS)),
  ),
}

/** The quirks that the configuration may set for a vendor. */
const quirks = rows(QUIRKS)

const namesOf = <T extends string>(table: Readonly<Record<T, unknown>>): [T, ...T[]] =>
  Object.keys(table) as [T, ...T[]]

/** A name from a table. The message for an unknown name suggests the closest known name. */
const nameIn = <T extends string>(table: Readonly<Record<T, unknown>>) => {
  const names = namesOf(table)
  return z.enum(names, {
    error: ({ input }) => expectedWord(names, input),
  })
}

/** Every route of a rule may be called for one request. */
const MOST_ROUTES = 16

/** Every member of a pool may be called for one request. */
const MOST_MEMBERS = 64
const MEMBER_WEIGHTS = { least: 0.001, most: 1000 }

const text = z.string().min(1)
const seconds = z.number().positive().max(86_400)
const bytes = z.number().int().positive()
const count = z.number().int().positive()
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'expected a name of lower-case letters, digits and . _ -')
const headers = z
  .record(
    z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header'),
    z
      .string()
      .regex(HEADER_VALUE, 'expected the value of a header, which has no line ends and only Latin-1 characters'),
  )
  .superRefine((given, context) => {
    for (const [header, message] of headerProblems(Object.keys(given)))
      context.addIssue({ code: 'custom', path: [header], message })
  })

const secret = z.union(
  [text, z.strictObject({ env: text.describe('Name of the environment variable that contains the value') })],
  'expected a string, or {"env": NAME}',
)

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .refine(hasNoPassword, EXPECTED_NO_PASSWORD)

const EXPECTED_WIRE = 'expected an http or https URL without a user name and a password, or false'

const mount = z.strictObject({
  path: z.string().regex(/^(\/[\w.~-]+)*\/?$/, 'expected a path like /v1'),
  dialect: nameIn<DialectName>(DIALECTS),
  reasoning: z.enum(['summary', 'text']).default('summary'),
  history: z.enum(['lenient', 'strict']).default('lenient'),
  usage: z.enum(['asked', 'always']).default('asked'),
  websocket: z.boolean().default(true),
  cors: cors.optional(),
})

const rateLimit = z
  .strictObject({
    requests: z.number().int().min(1).max(1_000_000_000),
    seconds: seconds.default(60),
    burst: z.number().int().min(1).max(1_000_000_000).optional(),
  })
  .transform(({ requests, seconds, burst = requests }) => ({ requests, seconds, burst }))

const rateLimits = z.strictObject({
  default: rateLimit.optional(),
  redis: z
    .strictObject({
      url: secret,
      prefix: z.string().default('millrace:rate:'),
      timeout_seconds: seconds.default(0.5),
    })
    .optional(),
})

const key = z.strictObject({
  name: text,
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'expected the SHA-256 of the key, 64 hexadecimal digits'),
  kind: z.enum(['inference', 'management']).default('inference'),
  workspace: text.optional(),
  models: z.array(text).min(1).optional(),
  label: z
    .string()
    .regex(/^[\w .:/-]{1,64}$/, 'expected at most 64 letters, digits, spaces and . : / _ -')
    .optional(),
  rate_limit: rateLimit.nullish(),
})

/** The name of a region of AWS, which becomes part of a host name. */
export const REGION = /^[a-z0-9-]+$/

const aws = z.strictObject({
  region: z.string().regex(REGION, 'expected the name of a region, such as us-east-1').optional(),
  access_key_id: secret.optional(),
  secret_access_key: secret.optional(),
  session_token: secret.optional(),
})

const EXPECTED_MODELS = 'expected a list of names, or an object such as {"gpt-5.1": "my-deployment"}'

/** The settings of one member of a pool. Every other setting is that of its vendor. */
const poolMember = z.strictObject({
  name: name.optional(),
  key: secret.optional(),
  base_url: baseUrl.optional(),
  aws: aws.optional(),
  headers: headers.optional(),
  organization: text.optional(),
  models: z.union([z.array(text).min(1), z.record(text, text)], EXPECTED_MODELS).optional(),
  enabled: z.boolean().default(true),
  weight: z.number().min(MEMBER_WEIGHTS.least).max(MEMBER_WEIGHTS.most).default(1),
})

const vendor = z.strictObject({
  vendor: text.optional(),
  wire: nameIn<WireName>(WIRES).optional(),
  base_url: baseUrl.optional(),
  wires: z.partialRecord(z.enum(CLIENT_WIRES), z.union([baseUrl, z.literal(false)], EXPECTED_WIRE)).optional(),
  key: secret.optional(),
  aws: aws.optional(),
  headers: headers.optional(),
  organization: text.optional(),
  pool: z.array(poolMember).min(1).max(MOST_MEMBERS).optional(),
  affinity: z.boolean().default(true),
  body: z.record(z.string(), z.json()).optional(),
  pass: z.array(text).optional(),
  traceparent: z.boolean().default(false),
  passthrough: z.boolean().default(true),
  learn: z.boolean().default(true),
  cache: z.enum(['auto', 'client', 'off']).default('auto'),
  quirks: quirks.optional(),
})

const modelRule = z.strictObject({
  match: text,
  to: z.array(text).min(1).max(MOST_ROUTES),
  continue: z.boolean().default(false),
})

const timeouts = z.strictObject({
  connect_seconds: seconds.default(10),
  first_byte_seconds: seconds.default(600),
  idle_seconds: seconds.default(300),
  after_finish_seconds: seconds.default(2),
  count_seconds: seconds.default(5),
  stalled_client_seconds: seconds.default(120),
})

const connections = z.strictObject({
  most: z.number().int().min(1).default(10_000),
  header_bytes: z.number().int().min(1024).max(1_048_576).default(16_384),
  header_seconds: seconds.default(60),
  body_seconds: seconds.default(300),
  idle_seconds: seconds.default(75),
})

const limits = z.strictObject({
  request_body_bytes: bytes.default(LIMITS.requestBody),
  request_values: count.default(REQUEST_LIMITS.values),
  request_items: count.default(REQUEST_LIMITS.items),
  request_content_parts: count.default(REQUEST_LIMITS.parts),
  request_tools: count.default(REQUEST_LIMITS.tools),
  request_bodies_memory_bytes: bytes.default(BODIES.memory),
  upstream_event_bytes: bytes.default(LIMITS.upstreamEvent),
  upstream_total_bytes: bytes.default(LIMITS.upstreamTotal),
  upstream_body_bytes: bytes.default(LIMITS.upstreamBody),
  answers_memory_bytes: bytes.default(SHARED_MEMORY.answers),
  answer_bytes: bytes.default(LIMITS.answerSize),
  answer_items: bytes.default(LIMITS.answerItems),
  answer_parts: bytes.default(LIMITS.answerParts),
  answer_citations: bytes.default(LIMITS.answerCitations),
  upstream_values: count.default(LIMITS.upstreamValues),
})

const websocket = z.strictObject({
  connections_per_key: count.default(1000),
  message_bytes: bytes.optional(),
  idle_seconds: seconds.default(1800),
  age_seconds: seconds.default(3600),
  lanes: count.default(32),
  parallel_responses: count.default(16),
  waiting_requests: count.default(64),
  kept_responses: z.number().int().min(0).default(64),
  kept_bytes: z
    .number()
    .int()
    .min(0)
    .default(32 * 1024 * 1024),
  kept_memory_bytes: bytes.default(SHARED_MEMORY.keptResponses),
})

const retry = z.strictObject({
  attempts: z.number().int().min(1).max(10).default(3),
  first_delay_ms: z.number().min(0).max(60_000).default(250),
  longest_delay_ms: z.number().min(0).max(60_000).default(8000),
  budget_share: z.number().min(0).max(10).default(0.1),
  budget_floor: z.number().int().min(0).max(1_000_000).default(10),
  breaker_failures: z.number().int().min(0).max(1_000_000).default(10),
  breaker_seconds: seconds.default(1),
})

const modelLists = z.strictObject({
  ask: z.boolean().default(true),
  cache_seconds: seconds.default(300),
  timeout_seconds: seconds.default(2),
})

const search = z.strictObject({
  engine: nameIn<EngineName>(ENGINES).optional(),
  key: secret.optional(),
  base_url: baseUrl.optional(),
  max_results: z.number().int().min(1).max(25).default(5),
  max_searches: z.number().int().min(1).max(30).default(10),
  timeout_seconds: seconds.default(20),
  citations: z.enum(['links', 'numbers']).default('links'),
})

const resume = z.strictObject({
  seconds: seconds.default(60),
  upstream_seconds: seconds.default(30),
  streams: count.default(1000),
  stream_bytes: bytes.default(4 * 1024 * 1024),
  memory_bytes: bytes.default(64 * 1024 * 1024),
})

const drain = z.strictObject({
  notice_seconds: z.number().min(0).max(3600).default(0),
  limit_seconds: z.number().min(0).max(86_400).default(30),
})

const MOUNT_DEFAULTS = { reasoning: 'summary', history: 'lenient', usage: 'asked', websocket: true } as const

/** The first has the address that clients of OpenAI expect; all other client families find theirs beside it. */
const DEFAULT_MOUNTS = [
  { path: '/v1', dialect: 'openai', ...MOUNT_DEFAULTS },
  { path: '/api/v1', dialect: 'beta', ...MOUNT_DEFAULTS },
  { path: '/openai/v1', dialect: 'openai', ...MOUNT_DEFAULTS },
] as const

const forwarding = z.strictObject({
  queue_traces: z.number().int().min(1).default(2000),
  queue_bytes: bytes.default(16 * 1024 * 1024),
  batch_traces: z.number().int().min(1).default(25),
  batch_bytes: bytes.default(1024 * 1024),
  batch_seconds: z.number().positive().max(3600).default(1),
  timeout_seconds: seconds.default(10),
  attempts: z.number().int().min(1).max(20).default(5),
  content_characters: z.number().int().min(0).default(262_144),
})

const metrics = z.strictObject({
  management_key: z.boolean().default(false),
})

const log = z.strictObject({
  upstream_messages: z.boolean().default(false),
})

const page = z.strictObject({
  content: z.boolean().default(false),
})

/**
 * The schema of the configuration file. Every field is optional. Unknown fields are rejected, because they are usually
 * typos.
 */
export const CONFIG = z
  .strictObject({
    $schema: z.string().optional(),
    listen: listen.prefault({}),
    mounts: z
      .array(mount)
      .min(1)
      .default([...DEFAULT_MOUNTS]),
    // A file with an empty list is refused; a validated configuration without keys, which has one, is valid again.
    keys: z.array(key).meta({ minItems: 1 }).default([]),
    workspaces: z.array(z.strictObject({ id: text, default: z.boolean().default(false) })).default([]),
    vendors: z.record(name, vendor).default({}),
    models: z.array(modelRule).default([]),
    default_vendor: text.optional(),
    model_lists: modelLists.prefault({}),
    destinations: z.array(destination).default([]),
    forwarding: forwarding.prefault({}),
    metrics: metrics.prefault({}),
    log: log.prefault({}),
    page: z.union([z.boolean(), page], 'expected true, false or an object such as {"content": true}').optional(),
    proxy: z.enum(['environment', 'off']).default('environment'),
    timeouts: timeouts.prefault({}),
    limits: limits.prefault({}),
    connections: connections.prefault({}),
    websocket: websocket.prefault({}),
    retry: retry.prefault({}),
    encrypted_content_secret: secret.optional(),
    rate_limit: rateLimits.prefault({}),
    drain: drain.prefault({}),
    resume: resume.optional(),
    search: search.prefault({}),
    recordings: z.boolean().optional(),
    coalesce: z.boolean().default(false),
    keep_alive_seconds: z.number().min(0).max(3600).default(15),
  })
  .superRefine(checkConfig)

export type Config = z.output<typeof CONFIG>
/** The configuration as a file contains it, before defaults are filled in. */
export type ConfigInput = z.input<typeof CONFIG>
export type Mount = Config['mounts'][number]
export type KeyEntry = Config['keys'][number]
export type VendorEntry = Config['vendors'][string]
export type MemberEntry = NonNullable<VendorEntry['pool']>[number]
export type SearchConfig = Config['search']
export type Secret = z.output<typeof secret>
