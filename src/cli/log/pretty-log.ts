import type { Log, LogLine } from '../../gateway/telemetry/log.ts'
import type { Json } from '../../protocol/json.ts'
import { isObject } from '../../text/json.ts'
import { paint, printable } from '../output/line-style.ts'
import { type LogLevel, levelOf } from './log-level.ts'

interface PrettyLogOptions {
  readonly colours: boolean
  /** Writes the fields that a line of a request leaves out, below it. */
  readonly isDetailed: boolean
}

const COLOURS: Readonly<Record<LogLevel, number>> = { error: 31, warn: 33, info: 32, debug: 36 }
const DIM = 2

/** The fields that the line of a request has in a form of its own. */
const SHOWN: ReadonlySet<string> = new Set([
  'event',
  'status',
  'method',
  'path',
  'vendor',
  'model',
  'outcome',
  'error',
  'party',
  'duration_ms',
  'first_token_ms',
  'usage',
  'retries',
  'client_gone',
])

/** Writes each line for a reader at a terminal. `clock` returns milliseconds since 1970. */
export function prettyLog(
  write: (text: string) => void,
  clock: () => number,
  { colours, isDetailed }: PrettyLogOptions,
): Log {
  const painted = (text: string, colour: number): string => paint(text, colour, { colours })
  return (line) => {
    const isRequest = line.event === 'request'
    const [first, ...rest] = isRequest ? requestParts(line) : eventParts(line)
    const text = [
      painted(timeOf(clock()), DIM),
      painted(printable(first), COLOURS[levelOf(line)]),
      ...rest.map(printable),
    ].join('  ')
    const details = isRequest ? detailLines(line, isDetailed) : []
    write(
      [text, ...details.map((detail) => painted(`              ${printable(detail)}`, DIM))]
        .map((one) => `${one}\n`)
        .join(''),
    )
  }
}

/** The local time of the day, which is on the user's own clock. */
function timeOf(time: number): string {
  const date = new Date(time)
  const digits = (value: number, length = 2): string => String(value).padStart(length, '0')
  return `${digits(date.getHours())}:${digits(date.getMinutes())}:${digits(date.getSeconds())}.${digits(date.getMilliseconds(), 3)}`
}

type Parts = readonly [first: string, ...rest: string[]]

function requestParts(line: LogLine): Parts {
  const { status, method, path, vendor, model, outcome, error, party, usage, losses, retries } = line
  const parts: string[] = [`${method ?? ''} ${path ?? ''}`.trim()]
  if (vendor !== undefined || model !== undefined)
    parts.push([vendor, model].filter((one) => one !== undefined).join('/'))
  if (error !== undefined) parts.push(`${error}${party === undefined ? '' : ` (${party})`}`)
  else if (outcome !== undefined) parts.push(`${outcome}`)
  if (line.client_gone === true) parts.push('client gone')
  const { duration_ms, first_token_ms } = line
  if (typeof duration_ms === 'number') parts.push(`${duration_ms} ms`)
  if (typeof first_token_ms === 'number') parts.push(`first token ${first_token_ms} ms`)
  const tokens = isObject(usage) ? tokensOf(usage) : ''
  if (tokens !== '') parts.push(tokens)
  if (typeof retries === 'number') parts.push(counted(retries, 'retry', 'retries'))
  if (Array.isArray(losses)) parts.push(counted(losses.length, 'loss', 'losses'))
  return [status === undefined ? 'request' : String(status), ...parts.filter((part) => part !== '')]
}

const tokensOf = ({ input_tokens, output_tokens }: Readonly<Record<string, unknown>>): string =>
  [
    typeof input_tokens === 'number' ? `${input_tokens} in` : '',
    typeof output_tokens === 'number' ? `${output_tokens} out` : '',
  ]
    .filter((part) => part !== '')
    .join(' ')

const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`

function eventParts({ event, ...fields }: LogLine): Parts {
  const parts = Object.entries(fields).map(([name, value]) =>
    name === 'message' || name === 'url' ? shown(value) : `${name.replaceAll('_', ' ')} ${shown(value)}`,
  )
  return [String(event).replaceAll('_', ' '), ...parts]
}

/** An operator who switches the provider's message on reads it at every level. */
function detailLines(line: LogLine, isDetailed: boolean): readonly string[] {
  return Object.entries(line)
    .filter(([name]) => (isDetailed ? !SHOWN.has(name) : name === 'upstream_message' || hasMessage(line[name])))
    .flatMap(([name, value]) =>
      Array.isArray(value) ? value.map((one) => `${name}: ${shown(one)}`) : [`${name}: ${shown(value)}`],
    )
}

/** The attempts of a request, when a provider has refused one of them. */
const hasMessage = (value: Json | undefined): boolean =>
  Array.isArray(value) && value.some((one) => isObject(one) && one.upstream_message !== undefined)

const shown = (value: Json): string => {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(shown).join(', ')
  if (value === '') return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
