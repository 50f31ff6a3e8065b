import * as z from 'zod'
import type { DialectName } from '../../dialects/dialect.ts'
import { DIALECTS } from '../../dialects/registry.ts'
import { BODIES, LIMITS, REQUEST_LIMITS } from '../../protocol/limits.ts'
import type { EngineName } from '../../search/engine.ts'
import { ENGINES } from '../../search/registry.ts'
import type { WireName } from '../../wires/contract.ts'
import { WIRES } from '../../wires/registry.ts'
import { REGION } from '../upstream/aws.ts'
import { checkConfig } from './checks.ts'
import { destination, hasNoPassword } from './destinations.ts'
import { didYouMean } from './did-you-mean.ts'
import { quirks } from './quirks.ts'

const namesOf = <T extends string>(table: Readonly<Record<T, unknown>>): [T, ...T[]] =>
  Object.keys(table) as [T, ...T[]]

/** A name from a table. The message for an unknown name suggests the closest known name. */
const nameIn = <T extends string>(table: Readonly<Record<T, unknown>>) => {
  const names = namesOf(table)
  return z.enum(names, {
    error: ({ input }) =>
      `expected one of ${names.join(', ')}.${typeof input === 'string' ? didYouMean(input, names) : ''}`,
  })
}

const text = z.string().min(1)
const seconds = z.number().positive().max(86_400)
const bytes = z.number().int().positive()
const count = z.number().int().positive()
const name = z.string().regex(/^[a-z0-9][a-z0-9._-]*$/, 'expected lower-case letters, digits and . _ -')
const headers = z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'expected the name of a header'), z.string())

const secret = z
  .union([text, z.strictObject({ env: text })], 'expected a string, or {"env": NAME}')
  .describe('The secret itself, or the environment variable that holds it.')

const baseUrl = z
  .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
  .refine(hasNoPassword, 'expected a URL without a name and password in it; a header can hold them')

const listen = z.strictObject({
  host: text.default('127.0.0.1'),
  port: z
    .number()
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('Left out: the variable PORT, or else 8787. 0: any free one.'),
  hosts: z
    .array(text)
    .default([])
    .describe(
      'Names in the header Host that lead here, besides loopback and `host`; "*": any. Checked on loopback, or if set.',
    ),
  origins: z
    .array(text)
    .default([])
    .describe('Sites whose pages may send requests, such as https://app.example, besides those on loopback; "*": any.'),
})

const mount = z.strictObject({
  path: z
    .string()
    .regex(/^(\/[\w.~-]+)*\/?$/, 'expected a path like /api/v1')
    .describe('POST {path}/responses.'),
  dialect: nameIn<DialectName>(DIALECTS),
  reasoning: z
    .enum(['summary', 'text'])
    .default('summary')
    .describe('How readable thoughts are told: as summary parts, or as reasoning_text where the dialect has it.'),
  history: z
    .enum(['lenient', 'strict'])
    .default('lenient')
    .describe('strict: messages of the assistant must have the id and status they were given.'),
  usage: z
    .enum(['asked', 'always'])
    .default('asked')
    .describe('always: streams of chat completions end with the usage chunk, whether or not the client asked for it.'),
})

const rateLimit = z
  .strictObject({
    requests: z.number().int().min(1).max(1_000_000_000),
    seconds: seconds.default(60),
    burst: z
      .number()
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe('What may come at once. Left out: `requests`.'),
  })
  .transform(({ requests, seconds, burst = requests }) => ({ requests, seconds, burst }))

const rateLimits = z.strictObject({
  default: rateLimit.optional().describe('Of every key that has none of its own. Left out: no limit.'),
  redis: z
    .strictObject({
      url: secret,
      prefix: z.string().default('millrace:rate:'),
      timeout_seconds: seconds.default(0.5),
    })
    .optional()
    .describe('Where hosts share their limits. Left out: each counts by itself.'),
})

const key = z.strictObject({
  name: text.describe('What logs call it.'),
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'expected the SHA-256 of the key, 64 hexadecimal digits'),
  kind: z.enum(['inference', 'management']).default('inference'),
  workspace: text.optional(),
  rate_limit: rateLimit.nullish().describe('null: none, whatever the default is.'),
})

const aws = z
  .strictObject({
    region: z.string().regex(REGION, 'expected the name of a region').optional(),
    access_key_id: secret.optional(),
    secret_access_key: secret.optional(),
    session_token: secret.optional(),
  })
  .describe('Of a vendor in AWS. What is left out is taken from AWS_REGION, AWS_ACCESS_KEY_ID and so on.')

const vendor = z.strictObject({
  vendor: text.optional().describe('A vendor this service knows, whose row fills in what is left out here.'),
  wire: nameIn<WireName>(WIRES).optional(),
  base_url: baseUrl.optional(),
  key: secret.optional().describe('Left out: the upstream wants none.'),
  aws: aws.optional(),
  headers: headers.optional().describe('Sent with every request.'),
  quirks: quirks.optional(),
})

const timeouts = z.strictObject({
  connect_seconds: seconds.default(10),
  first_byte_seconds: seconds.default(600).describe('Until the head of the answer. Silent reasoning is long.'),
  idle_seconds: seconds.default(300).describe('Between two pieces of an answer.'),
  stalled_client_seconds: seconds.default(120).describe('How long a client may take nothing of its answer.'),
})

const connections = z.strictObject({
  most: z.number().int().min(1).default(10_000).describe('Open at once; one more is closed at once.'),
  header_bytes: z.number().int().min(1024).max(1_048_576).default(16_384).describe('Of one request; past it a 431.'),
  header_seconds: seconds.default(60).describe('Until the header of a request is there; past it a 408.'),
  body_seconds: seconds.default(300).describe('Until its body is there, too; past it a 408.'),
})

const limits = z.strictObject({
  request_body_bytes: bytes.default(LIMITS.requestBody),
  request_values: count
    .default(REQUEST_LIMITS.values)
    .describe('Lists, objects, strings, numbers and literals of one body.'),
  request_items: count.default(REQUEST_LIMITS.items).describe('Items of input, or messages.'),
  request_content_parts: count.default(REQUEST_LIMITS.parts).describe('Of all items together.'),
  request_tools: count.default(REQUEST_LIMITS.tools).describe('Those in namespaces included.'),
  request_bodies_memory_bytes: bytes
    .default(BODIES.memory)
    .describe('What all bodies may cost together. One alone may always come, whatever it costs.'),
  upstream_event_bytes: bytes.default(LIMITS.upstreamEvent),
  upstream_total_bytes: bytes.default(LIMITS.upstreamTotal),
  upstream_body_bytes: bytes.default(LIMITS.upstreamBody),
  answer_bytes: bytes.default(LIMITS.answerSize),
  answer_items: bytes.default(LIMITS.answerItems),
  answer_parts: bytes.default(LIMITS.answerParts),
  answer_citations: bytes.default(LIMITS.answerCitations),
  upstream_values: count
    .default(LIMITS.upstreamValues)
    .describe('As request_values, of one event or whole body of an upstream.'),
})

const retry = z.strictObject({
  attempts: z.number().int().min(1).max(10).default(3).describe('Tries in all. 1: no second one.'),
  first_delay_ms: z.number().min(0).max(60_000).default(250).describe('Doubles from try to try.'),
  longest_delay_ms: z
    .number()
    .min(0)
    .max(60_000)
    .default(8000)
    .describe('An upstream that asks for a longer rest is not tried again.'),
  budget_share: z
    .number()
    .min(0)
    .max(10)
    .default(0.1)
    .describe('Of each vendor: second and later tries for each first one, over ten seconds.'),
  budget_floor: z.number().int().min(0).max(1_000_000).default(10).describe('As many besides.'),
  breaker_failures: z
    .number()
    .int()
    .min(0)
    .max(1_000_000)
    .default(10)
    .describe('Outages in a row after which a model is not asked but by a probe. 0: no breaker.'),
  breaker_seconds: seconds.default(1).describe('From one probe to the next.'),
})

const search = z.strictObject({
  engine: nameIn<EngineName>(ENGINES)
    .optional()
    .describe('Who searches the web where the upstream does not. Left out: only whom a request names.'),
  key: secret.optional().describe('Of that engine. Left out: the environment variable that is usual for it.'),
  base_url: baseUrl.optional().describe('Of that engine. Left out: its public address; SearXNG has none.'),
  max_results: z.number().int().min(1).max(25).default(5).describe('Of one search, where the request does not say.'),
  max_searches: z.number().int().min(1).max(30).default(10).describe('Of one answer; a request may only ask for less.'),
  timeout_seconds: seconds.default(20),
  citations: z
    .enum(['links', 'numbers'])
    .default('links')
    .describe('How models are asked to cite what was found: [example.com](URL), or [1].'),
})

const drain = z.strictObject({
  notice_seconds: z.number().min(0).max(3600).default(0).describe('healthz says 503 this long before the door closes.'),
  limit_seconds: z.number().min(0).max(86_400).default(30).describe('Streams that last longer are ended as failed.'),
})

const MOUNT_DEFAULTS = { reasoning: 'summary', history: 'lenient', usage: 'asked' } as const

export const DEFAULT_MOUNTS = [
  { path: '/api/v1', dialect: 'beta', ...MOUNT_DEFAULTS },
  { path: '/openai/v1', dialect: 'openai', ...MOUNT_DEFAULTS },
] as const

const forwarding = z.strictObject({
  queue_traces: z.number().int().min(1).default(2000).describe('Of each destination; past it traces are dropped.'),
  queue_bytes: bytes.default(16 * 1024 * 1024).describe('The same, by about what they weigh.'),
  batch_traces: z.number().int().min(1).default(25).describe('More at once, and answers wait for them.'),
  batch_bytes: bytes.default(1024 * 1024),
  batch_seconds: z.number().positive().max(3600).default(1).describe('How long a trace may wait for others.'),
  timeout_seconds: seconds.default(10),
  attempts: z.number().int().min(1).max(20).default(5),
  content_characters: z.number().int().min(0).default(262_144).describe('Longer input and output are left out.'),
})

const metrics = z.strictObject({
  management_key: z.boolean().default(false).describe('Whether GET /metrics wants a key of that kind.'),
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
    keys: z.array(key).default([]).describe('Empty: the development key, on loopback only.'),
    workspaces: z.array(z.strictObject({ id: text, default: z.boolean().default(false) })).default([]),
    vendors: z.record(name, vendor).default({}),
    destinations: z.array(destination).default([]).describe('Where traces of the traffic go.'),
    forwarding: forwarding.prefault({}),
    metrics: metrics.prefault({}),
    timeouts: timeouts.prefault({}),
    limits: limits.prefault({}),
    connections: connections.prefault({}),
    retry: retry.prefault({}),
    encrypted_content_secret: secret
      .optional()
      .describe('Signs encrypted reasoning (HMAC-SHA-256): what a client changed is not sent on.'),
    rate_limit: rateLimits.prefault({}),
    drain: drain.prefault({}),
    search: search.prefault({}),
    coalesce: z.boolean().default(false).describe('Deltas that one read of an upstream completes become one event.'),
    keep_alive_seconds: z.number().min(0).max(3600).default(15).describe('A comment in silent streams. 0: none.'),
  })
  .superRefine(checkConfig)

export type Config = z.output<typeof CONFIG>
/** The configuration as a file contains it, before defaults are filled in. */
export type ConfigInput = z.input<typeof CONFIG>
export type Mount = Config['mounts'][number]
export type KeyEntry = Config['keys'][number]
export type VendorEntry = Config['vendors'][string]
export type SearchConfig = Config['search']
export type Secret = z.output<typeof secret>
