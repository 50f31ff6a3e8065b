import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { Attempt, Summary } from '../../gateway/exchange/journal.ts'
import { isElsewhere } from '../../gateway/telemetry/log.ts'
import type { Metrics } from '../../gateway/telemetry/metrics-contract.ts'
import { type OpenBreakers, vendorIn } from '../../gateway/upstream/upstream-guard.ts'
import { providerName } from '../../observability/attributes.ts'
import type { Destination } from '../../observability/destination.ts'
import { addProcessMetrics } from './process-metrics.ts'

/** A metric with its values, as plain JSON. The types of the package name none of a package that is a part of it. */
export interface MetricJson {
  readonly name: string
  readonly help: string
  readonly type: unknown
  readonly aggregator: string
  readonly values: readonly {
    readonly value: number
    readonly labels: Readonly<Partial<Record<string, string | number>>>
  }[]
}

/**
 * The metrics of one server. No label contains text of a client, so that the number of series stays small: vendors,
 * statuses and codes are few.
 */
export interface ServerMetrics extends Metrics {
  readonly contentType: string
  /** Called when messages of WebSockets have arrived or were sent. */
  noteMessages(direction: 'received' | 'sent', count: number): void
  /** Called when a connection was closed because too many are open. */
  noteRefusedConnection(): void
  /** All metrics in Prometheus' text format; null if a worker of this server does not answer. */
  text(): Promise<string | null>
  /** The metrics of this process, as plain JSON. */
  json(): Promise<readonly MetricJson[]>
  /** Stops the measurement of the process. */
  close(): void
}

/** The metrics of a server that is one process. */
interface ProcessMetrics extends ServerMetrics {
  text(): Promise<string>
}

/** Numbers that are as before when all exchanges have ended: name and meaning. */
const HELD = {
  streams: ['streams_open', 'Streams that are open.'],
  exchanges: ['requests_open', 'Requests that are being answered, also over WebSockets.'],
  connections: ['connections_open', 'Connections of clients, also those without a request.'],
  sockets: ['websockets_open', 'WebSocket connections that are open.'],
  upstreamCalls: ['upstream_calls_open', 'Upstream calls without a response, or with one that has not ended.'],
  probes: ['upstream_probes_open', 'Calls that show whether an upstream answers again.'],
  turns: ['turns_waiting', 'Messages and requests that wait for a tick of the event loop.'],
  bodies: ['request_bodies_bytes', 'The part of limits.request_bodies_memory_bytes that is used.'],
  answers: ['answers_bytes', 'The part of limits.answers_memory_bytes that is used.'],
  keptResponses: ['websocket_kept_bytes', 'The part of websocket.kept_memory_bytes that is used.'],
  resumableStreams: ['resumable_streams', 'Streams that their clients may resume.'],
  resumable: ['resumable_bytes', 'Bytes that are held of streams that their clients may resume.'],
} as const

export type Held = Readonly<Record<keyof typeof HELD, number>>

/** Those of a server without exchanges. */
export const nothingHeld = (): Held => Object.fromEntries(Object.keys(HELD).map((key) => [key, 0])) as unknown as Held

interface Gauges {
  readonly held: () => Held
  /** For each vendor and each member of a pool, the number of its models with an open breaker. */
  readonly breakers: () => readonly OpenBreakers[]
  readonly queues: () => readonly (readonly [Destination, number])[]
}

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320]

/** The metrics that events change, in the order of the text: name, what it measures, and its labels. */
const ROWS = {
  requests: ['requests_total', 'Requests that ended.', 'path', 'status', 'vendor', 'outcome', 'key'],
  duration: ['request_duration_seconds', 'Time from the request to the last byte of its response.', 'vendor'],
  firstToken: ['time_to_first_token_seconds', 'Time from the request to the first token of its response.', 'vendor'],
  tokens: ['tokens_total', 'Tokens in the usage that upstreams report.', 'vendor', 'kind', 'key'],
  cost: ['cost_usd_total', 'Price of responses in US dollars, of vendors that report it.', 'vendor', 'key'],
  chunks: ['translated_chunks_total', 'Translated frames of upstreams.', 'vendor'],
  errors: ['upstream_errors_total', 'Requests that failed because of the upstream.', 'vendor', 'code'],
  retries: ['upstream_retries_total', 'Retries of requests to upstreams.', 'vendor'],
  fallbacks: [
    'fallbacks_total',
    'Requests that went on to another upstream after a failure, by the vendor that failed.',
    'vendor',
    'code',
  ],
  memberCalls: [
    'pool_calls_total',
    'Calls to pool members, by the code of their failure (`none`: answered).',
    'vendor',
    'member',
    'code',
  ],
  moved: [
    'pool_moved_total',
    'Requests of conversations that did not go to the member that the conversation prefers, by its vendor.',
    'vendor',
  ],
  losses: ['losses_total', 'Losses: values of requests and responses that were dropped or mapped.', 'vendor'],
  counts: ['token_counts_total', 'Token counts of requests, by their basis.', 'vendor', 'basis'],
  delivered: ['destination_delivered_total', 'Traces that the destination accepted.', 'destination', 'type'],
  dropped: ['destination_dropped_total', 'Traces that were dropped, by reason.', 'destination', 'type', 'reason'],
  repeated: ['destination_retries_total', 'Retries of requests to the destination.', 'destination', 'type'],
  refusedTries: [
    'upstream_refused_tries_total',
    'Calls to upstreams that were not made, because the breaker was open or the retry budget was spent.',
    'vendor',
    'reason',
  ],
  restrictions: [
    'learned_facts_total',
    'Refusals from which a fact about a model was learned. The log has the line of configuration.',
    'vendor',
  ],
  upstreams: [
    'upstream_changes_total',
    'Upstreams that asked for a pause (`paused`), whose breaker opened (`out`), and that answered again (`back`), by the code of the failure.',
    'vendor',
    'member',
    'state',
    'reason',
  ],
  refusedConnections: ['connections_refused_total', 'Connections that were closed because too many were open.'],
  messages: ['websocket_messages_total', 'Messages of WebSocket connections.', 'direction'],
} as const

type Rows = typeof ROWS
type LabelsOf<Row> = Row extends readonly [string, string, ...infer Labels extends string[]] ? Labels[number] : never
/** A name that ends with the unit of a time is a histogram. */
type Changed = {
  readonly [K in keyof Rows]: Rows[K][0] extends `${string}_seconds`
    ? Histogram<LabelsOf<Rows[K]>>
    : Counter<LabelsOf<Rows[K]>>
}

const createChanged = (registers: Registry[]): Changed =>
  Object.fromEntries(
    Object.entries(ROWS).map(([key, [name, help, ...labelNames]]) => {
      const options = { name: `millrace_${name}`, help, labelNames, registers }
      return [key, name.endsWith('_seconds') ? new Histogram({ ...options, buckets: SECONDS }) : new Counter(options)]
    }),
  ) as unknown as Changed

/** Adds the metrics that are read when they are collected. */
function addGauges(registers: Registry[], { held, breakers, queues }: Gauges): void {
  for (const [key, [name, help]] of Object.entries(HELD)) {
    new Gauge({
      name: `millrace_${name}`,
      help,
      registers,
      collect() {
        this.set(held()[key as keyof Held])
      },
    })
  }
  new Gauge({
    name: 'millrace_upstream_breakers_open',
    help: 'Models whose breaker is open. They receive only probes.',
    labelNames: ['vendor', 'member'],
    registers,
    // Several workers may have a breaker for the same model.
    aggregator: 'max',
    collect() {
      this.reset()
      for (const { open, ...place } of breakers()) this.set(memberLabels(place), open)
    },
  })
  new Gauge({
    name: 'millrace_destination_queue',
    help: 'Traces that wait to be sent or are being sent.',
    labelNames: ['destination', 'type'],
    registers,
    collect() {
      this.reset()
      for (const [{ id, type }, waiting] of queues()) this.set({ destination: id, type }, waiting)
    },
  })
}

/** US dollars of one answer. A larger price is a mistake of its vendor. */
const LARGEST_COST = 10_000

export function createMetrics(gauges: Gauges): ProcessMetrics {
  const register = new Registry()
  const registers = [register]
  const changed = createChanged(registers)
  addGauges(registers, gauges)
  const noteOperation = addOperationMetrics(registers)
  const close = addProcessMetrics(register)
  return {
    close,
    contentType: register.contentType,
    note(exchange) {
      noteRequest(changed, exchange)
      if (exchange.vendor !== null && exchange.counted === null) noteOperation(exchange)
    },
    noteRefusedTry: (vendor, reason) => changed.refusedTries.inc({ vendor, reason }),
    noteRestriction: (vendor) => changed.restrictions.inc({ vendor }),
    noteUpstream: ({ upstream: { vendor, member }, state, reason }) =>
      changed.upstreams.inc({ vendor, member: member ?? '', state, reason: reason ?? '' }),
    noteMessages: (direction, count) => changed.messages.inc({ direction }, count),
    noteRefusedConnection: () => changed.refusedConnections.inc(),
    report: ({ id, type }) => {
      const labels = { destination: id, type }
      return {
        accepted: (traces) => changed.delivered.inc(labels, traces),
        dropped: (traces, reason) => changed.dropped.inc({ ...labels, reason }, traces),
        retried: () => changed.repeated.inc(labels),
      }
    },
    text: () => register.metrics(),
    json: () => register.getMetricsAsJSON(),
  }
}

function noteRequest(changed: Changed, exchange: Summary): void {
  const vendor = exchange.vendor ?? 'none'
  const key = exchange.key_label === null ? {} : { key: exchange.key_label }
  changed.requests.inc({
    ...key,
    path: exchange.path ?? 'none',
    status: String(exchange.status ?? 0),
    vendor,
    outcome: exchange.outcome ?? 'none',
  })
  if (exchange.vendor === null) return
  changed.duration.observe({ vendor }, (exchange.duration_ms ?? 0) / 1000)
  if (exchange.first_token_ms !== null) changed.firstToken.observe({ vendor }, exchange.first_token_ms / 1000)
  for (const [kind, of] of TOKENS) changed.tokens.inc({ ...key, vendor, kind }, exchange.usage?.[of] ?? 0)
  // One absurd price would spoil the sum of all others for as long as the process runs.
  if (exchange.usage?.cost !== undefined && exchange.usage.cost <= LARGEST_COST)
    changed.cost.inc({ ...key, vendor }, exchange.usage.cost)
  changed.chunks.inc({ vendor }, exchange.chunks ?? 0)
  if (exchange.party === 'upstream') changed.errors.inc({ vendor, code: exchange.error ?? 'none' })
  changed.retries.inc({ vendor }, exchange.retries ?? 0)
  for (const { vendor, error } of failedOver(exchange.attempts))
    changed.fallbacks.inc({ vendor, code: error ?? 'none' })
  for (const { vendor, member, error, isSkipped } of exchange.attempts)
    if (member !== null && !isSkipped) changed.memberCalls.inc({ vendor, member, code: error ?? 'none' })
  if (isElsewhere(exchange)) changed.moved.inc({ vendor: vendorIn(exchange.preferred ?? '') })
  changed.losses.inc({ vendor }, exchange.losses.length)
  if (exchange.counted !== null) changed.counts.inc({ vendor, basis: exchange.counted })
}

const memberLabels = ({ vendor, member }: Pick<OpenBreakers, 'vendor' | 'member'>) =>
  member === null ? { vendor } : { vendor, member }

/** The attempts that were followed by one at another upstream. */
const failedOver = (attempts: readonly Attempt[]): readonly Attempt[] =>
  attempts.filter(({ vendor, member, model, isSkipped }, at) => {
    const next = attempts.slice(at + 1).find((one) => !one.isSkipped)
    return (
      !isSkipped && next !== undefined && (next.vendor !== vendor || next.member !== member || next.model !== model)
    )
  })

const TOKENS = [
  ['input', 'input_tokens'],
  ['output', 'output_tokens'],
  ['cached', 'cached_tokens'],
  ['reasoning', 'reasoning_tokens'],
] as const

/** In seconds, and in tokens: the boundaries that the conventions recommend. */
const OPERATION_SECONDS = Array.from({ length: 14 }, (_, power) => 0.01 * 2 ** power)
const OPERATION_TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)

const LABELS = ['gen_ai_operation_name', 'gen_ai_provider_name'] as const

/**
 * Adds the client metrics of the OpenTelemetry conventions for generative AI, under the names that Prometheus gives
 * them. They have no label for the model, whose name is text of a client. Returns the function that notes a request
 * with an upstream.
 */
function addOperationMetrics(registers: Registry[]): (exchange: Summary) => void {
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: readonly L[]) =>
    new Histogram({ name: `gen_ai_client_${name}`, help, labelNames: [...LABELS, ...labelNames], buckets, registers })
  const duration = histogram('operation_duration_seconds', 'Duration of an operation.', OPERATION_SECONDS, 'error_type')
  const firstChunk = histogram(
    'operation_time_to_first_chunk_seconds',
    'Time from the request of a stream to its first chunk.',
    OPERATION_SECONDS,
  )
  const tokens = histogram('token_usage', 'Tokens of an operation.', OPERATION_TOKENS, 'gen_ai_token_type')

  return ({ vendor, duration_ms, first_token_ms, stream, error, usage }) => {
    const labels = { gen_ai_operation_name: 'chat', gen_ai_provider_name: providerName(vendor ?? 'none') }
    duration.observe({ ...labels, ...(error === null ? {} : { error_type: error }) }, (duration_ms ?? 0) / 1000)
    if (stream === true && first_token_ms !== null) firstChunk.observe(labels, first_token_ms / 1000)
    for (const type of ['input', 'output'] as const) {
      const count = usage?.[`${type}_tokens`] ?? null
      if (count !== null) tokens.observe({ ...labels, gen_ai_token_type: type }, count)
    }
  }
}
