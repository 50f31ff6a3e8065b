import { fileURLToPath } from 'node:url'
import { COMMANDS } from '../../src/cli/commands.ts'
import { PLAIN_HELP } from '../../src/cli/output/terminal.ts'
import { overview } from '../../src/cli/program/overview.ts'
import { helpOf } from '../../src/cli/program/parser.ts'
import { Journal, summaryOf } from '../../src/gateway/exchange/journal.ts'
import { createMetrics, nothingHeld } from '../../src/host/telemetry/metrics.ts'
import type { Destination } from '../../src/observability/destination.ts'
import { DESTINATION_FIELDS, type DestinationField } from '../../src/observability/destination-types.ts'
import { clickhouseTable } from '../../src/observability/exporters/clickhouse.ts'
import { snowflakeTable } from '../../src/observability/exporters/snowflake.ts'
import { ERROR_CODES } from '../../src/protocol/error-codes.ts'
import { ENGINES } from '../../src/search/registry.ts'
import { runCommand } from '../../test/cli/run-command.ts'
import { code, codes, fenced, table } from './markdown.ts'

const DESTINATION = { id: 'destination', type: 'type' } as unknown as Destination

/** Every metric with its labels: one sample of each is made, since the text format names labels in samples only. */
export async function metricTable(): Promise<string> {
  const metrics = createMetrics({
    held: nothingHeld,
    breakers: () => [{ vendor: 'vendor', member: 'member', open: 0 }],
    queues: () => [[DESTINATION, 0]],
  })
  metrics.noteMessages('sent', 1)
  const upstream = { vendor: 'vendor', member: 'member', model: 'model' }
  const failed = { ...upstream, error: 'code', isSkipped: false, startMs: 1, endMs: 2, message: null }
  const usage = {
    cost: 1,
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: null,
    reasoning_tokens: null,
    total_tokens: null,
  }
  const received = summaryOf(new Journal('req', 'POST'))
  metrics.note({ ...received, vendor: 'vendor', key_label: 'label', counted: 'model' })
  metrics.note({
    ...received,
    vendor: 'vendor',
    member: 'other',
    preferred: 'vendor@member',
    key_label: 'label',
    stream: true,
    usage,
    first_token_ms: 1,
    party: 'upstream',
    error: 'code',
    retries: 1,
    attempts: [failed, { ...failed, vendor: 'other' }],
    losses: ['loss'],
  })
  metrics.noteRefusedTry('vendor', 'budget')
  metrics.noteRefusedConnection()
  const report = metrics.report(DESTINATION)
  report.accepted(1)
  report.dropped(1, 'reason')
  report.retried()
  const text = await metrics.text()
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]))
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = '', help = '']) => {
    const sample = new RegExp(`^${name}(?:_bucket)?\\{([^}]*)\\}`, 'm').exec(text)?.[1] ?? ''
    const labels = [...sample.matchAll(/(\w+)="/g)].flatMap(([, label = '']) => (label === 'le' ? [] : [label]))
    return [code(name), types.get(name) ?? '', codes(labels), help]
  })
  return table(['metric', 'type', 'labels', 'meaning'], rows)
}

const MASKS: Readonly<Record<string, string>> = { whole: ' (secret)', password: ' (its password is secret)' }

function showField(name: string, field: DestinationField): string {
  const words = field.enum === undefined ? '' : `: ${codes(field.enum)}`
  const standing = field.default === undefined || field.enum !== undefined ? '' : ` = ${code(field.default)}`
  return `${code(name)}${field.required ? '*' : ''}${field.secret === undefined ? '' : MASKS[field.secret]}${standing}${words}`
}

export const destinationTable = (): string =>
  table(
    ['type', 'fields of `config`'],
    Object.entries<Readonly<Record<string, DestinationField>>>(DESTINATION_FIELDS).map(([type, fields]) => [
      code(type),
      Object.entries(fields)
        .map(([name, field]) => showField(name, field))
        .join(', '),
    ]),
  )

export const clickhouseSql = (): string => fenced('sql', clickhouseTable('SERVICE_TRACES'))
export const snowflakeSql = (): string => fenced('sql', snowflakeTable('SERVICE_TRACES'))

export const engineTable = (): string =>
  table(
    ['engine', 'key variable', 'base URL'],
    Object.values(ENGINES).map(({ name, keyVariable, baseUrl }) => [
      code(name),
      keyVariable === null ? 'none' : code(keyVariable),
      baseUrl === null ? 'yours' : code(baseUrl),
    ]),
  )

const CODES = {
  malformed_request: 'The request is not valid HTTP',
  incomplete_body: 'The body ended early',
  request_timeout: 'Headers or body did not arrive in time',
  request_too_large: 'The body is above a limit of size or count',
  path_too_long: 'The path is above its limit',
  unsupported_media_type:
    'The body is not `application/json`, or is in a content coding that the server does not decode; `accept-encoding` of the response lists those that it does',
  expectation_failed: 'The header `Expect` cannot be met',
  headers_too_large: 'The headers are above their limit',
  not_found: 'No such path',
  method_not_allowed: 'The path has other methods; see `Allow`',
  upgrade_required: 'A WebSocket handshake at a path that is served over HTTP only',
  unknown_dialect: '`x-responses-dialect` names no dialect',
  missing_authentication: 'No key',
  invalid_api_key: 'Unknown key',
  wrong_key_kind: 'The key is of the other kind',
  host_not_allowed: 'The header `Host` is not accepted',
  origin_not_allowed: 'The header `Origin` is not accepted',
  rate_limit_exceeded: 'Too many requests for this key, or at the upstream',
  invalid_json: 'The body is not JSON',
  invalid_prompt: 'A field is wrong; the message begins with its path',
  request_refused:
    'A [hook](library.md#hooks) of the operator refuses the request; it may choose another code and status',
  previous_response_not_found: 'Nothing is stored: only a WebSocket can continue its own earlier responses',
  events_dropped: 'The stream of a response cannot be [resumed](gateway.md#resuming-a-stream) from there',
  model_not_found: 'No such provider or model',
  unknown_event_type: 'WebSocket: the message has another type than `response.create`',
  invalid_stream_id: 'WebSocket: the name of a lane is not valid',
  websocket_connection_limit_reached: 'WebSocket: the connection has reached its age; connect again',
  websocket_stream_limit_reached: 'WebSocket: the connection has too many lanes',
  websocket_queue_full: 'WebSocket: too many requests wait on the connection',
  too_many_websockets: 'The key has too many open WebSockets',
  context_length_exceeded: 'The upstream found the input too long',
  content_filter: 'The upstream refused the input',
  invalid_encrypted_content: 'The upstream cannot read encrypted reasoning of the input',
  insufficient_quota: 'The account at the upstream has no credit',
  usage_limit_reached: 'The account at the upstream has used what its period includes; see `retry-after`',
  server_is_overloaded: 'The upstream, or this server, is overloaded; see `retry-after`',
  upstream_timeout: 'The upstream took too long',
  upstream_unreachable: 'No connection to the upstream',
  upstream_disconnected: 'The connection to the upstream broke',
  upstream_truncated: 'The response of the upstream ended early',
  upstream_invalid: 'The response of the upstream cannot be read',
  upstream_too_large: 'The response of the upstream is above a limit',
  upstream_authentication: 'The upstream refused the operator’s key',
  upstream_not_found: 'The upstream has no such address',
  search_failed: 'The search engine failed',
  search_unavailable: 'No search engine is available',
  search_timeout: 'The search engine took too long',
  server_error: 'This server failed (500), or the upstream did without a better word (502)',
  server_stopping: 'The server is stopping',
  decoder_failed: 'The decoder of a wire that a program gives has failed',
  hook_failed: 'A [hook](library.md#hooks) of the operator has failed',
  not_implemented: 'The body has another `Transfer-Encoding` than `chunked`',
  client_gone: 'Log, and streams that are resumed too late: the client closed the connection',
  client_stalled: 'Log only: the client stopped reading',
} as const satisfies Record<keyof typeof ERROR_CODES, string>

export const errorTable = (): string =>
  table(
    ['code', 'status', 'meaning'],
    Object.entries(ERROR_CODES).map(([name, statuses]) => [
      code(name),
      statuses.join(', '),
      CODES[name as keyof typeof CODES],
    ]),
  )

/** The help of every command, below a heading each. */
export async function commands(): Promise<string> {
  const texts = await Promise.all(
    [...COMMANDS.values()].map(
      async (command) => `## ${command.name}\n\n${fenced('', await helpOf(command, PLAIN_HELP))}`,
    ),
  )
  return texts.join('\n\n')
}

/** What `millrace trace` prints of a fixture: its first frames, and all from the last but one on. */
export async function trace(fixture: string): Promise<string> {
  const [wire = ''] = fixture.split('/')
  const file = fileURLToPath(new URL(`../../fixtures/${fixture}.stream.sse`, import.meta.url))
  const { output } = await runCommand(['trace', '--from', wire, file])
  const lines = output.trimEnd().split('\n')
  const end = lines.findIndex((line) => line.trimStart().startsWith('end '))
  return fenced('', [...lines.slice(0, 8), '    …', ...lines.slice(end - 3)].join('\n'))
}

export const usage = (): string => fenced('', overview([...COMMANDS.values()], PLAIN_HELP))
