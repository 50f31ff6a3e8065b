import type { EnginePath, TracedFrame, TraceEnd } from '../../alignment/trace-frames.ts'
import type { Delta } from '../../protocol/delta.ts'
import type { Event } from '../../protocol/event.ts'
import type { Usage } from '../../protocol/usage.ts'

import { cutPiece, fitWidth, type Piece } from './cut-text.ts'
import { type LineStyle, paint, plain } from './line-style.ts'

const GREEN = 32
const YELLOW = 33
const CYAN = 36
const RED = 31
const DIM = 2

// ---------------------------------------------------------------- one frame

/** One line without its line break: number, path if it is wanted, deltas, events. A frame without deltas has its name and payload. */
export function frameLine(traced: TracedFrame, style: LineStyle, withPaths: boolean): string {
  const { frame, path, deltas, events, event, data } = traced
  const head = `${String(frame).padStart(5)} ${withPaths ? `${path} ` : ''}`
  const read = deltas.length > 0 ? between(deltas.map(deltaPieces)) : payloadPieces(event, data)
  const became = events.length > 0 ? between(events.map(eventPieces)) : ['none']
  const [left = '', right = ''] = fitWidth([read, became], style.width - head.length - ARROW.length)
  const pathColour: Record<EnginePath, number> = { fast: GREEN, slow: YELLOW }
  const shownLeft = deltas.length > 0 ? left : paint(left, DIM, style)
  const shownPath = withPaths ? `${paint(path, pathColour[path], style)} ` : ''
  return `${head.slice(0, 6)}${shownPath}${shownLeft}${ARROW}${paint(right, CYAN, style)}`
}

const ARROW = ' => '

/** The bytes that the target wrote for a frame, one line each, without the empty lines. */
export function writtenLines({ written }: TracedFrame, style: LineStyle): readonly string[] {
  const lines = written.split(/\r?\n/).filter((line) => line !== '')
  return lines.map((line) => paint(`      | ${cutPiece({ text: line, bare: true }, style.width - 8)}`, DIM, style))
}

const payloadPieces = (event: string, data: string): readonly Piece[] =>
  event === '' && data === ''
    ? ['nothing']
    : [...(event === '' ? [] : [`(${plain(event)}) `]), { text: data, bare: true }]

const between = (all: readonly (readonly Piece[])[]): readonly Piece[] =>
  all.flatMap((pieces, i) => (i === 0 ? pieces : [', ', ...pieces]))

const texts = (...all: readonly (string | null | undefined)[]): readonly Piece[] =>
  all.flatMap((text) => (text === null || text === undefined ? [] : [' ', { text }]))

function deltaPieces(delta: Delta): readonly Piece[] {
  const part = 'part' in delta && delta.part !== '' ? `/${plain(delta.part)}` : ''
  const name = 'key' in delta ? `${delta.kind} ${plain(delta.key)}${part}` : delta.kind
  switch (delta.kind) {
    case 'start':
      return [name, ...texts(delta.model)]
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return [name, ...texts(delta.text)]
    case 'opaque':
      return [name, ...texts(JSON.stringify(delta.payload))]
    case 'call':
      return [`${name} ${delta.type}`, ...texts(delta.callId, delta.name, delta.arguments)]
    case 'final':
      return [`${name} ${delta.whole.kind}`]
    case 'citation':
      return [name, ...texts(delta.citation.file?.filename ?? delta.citation.url)]
    case 'hosted':
      return [`${name} ${delta.item.type}${delta.done ? ' done' : ''}`]
    case 'stop':
      return [delta.cut === true ? `${name} cut` : name]
    case 'served':
      return [name, ...texts(JSON.stringify({ ...delta.served, ...delta.words }))]
    case 'usage':
      return [`${name} ${usageText(delta.usage)}`]
    case 'finish':
      return [`${name} ${delta.reason}`]
    case 'error':
    case 'cut':
      return [`${name} ${plain(delta.error.code)}`, ...texts(delta.error.message)]
    case 'loss':
      return [name, ...texts(delta.feature)]
    case 'progress':
      return [`${name} ${delta.name}`]
    case 'phase':
      return [name, ...texts(delta.phase)]
    case 'mark':
    case 'hold':
      return [name]
  }
}

/** Type, index as `output_index/content_index`, the type of an item or part that starts or ends there, text. */
function eventPieces(event: Event): readonly Piece[] {
  if ('response' in event) return [event.type]
  if (event.type === 'error') return [`error ${plain(event.code)}`, ...texts(event.message)]
  const inner = 'content_index' in event ? event.content_index : 'summary_index' in event ? event.summary_index : null
  const name = `${event.type === 'item.progress' ? event.name : event.type} ${event.output_index}${inner === null ? '' : `/${inner}`}`
  if ('item' in event) return [`${name} ${event.item.type}`]
  if ('part' in event) return [`${name} ${event.part.type}`]
  return [name, ...texts(textOf(event))]
}

function textOf(event: Event): string | null {
  if ('delta' in event) return event.delta
  if ('text' in event) return event.text
  if ('refusal' in event) return event.refusal
  if ('arguments' in event) return event.arguments
  if ('input' in event) return event.input
  return 'annotation' in event ? JSON.stringify(event.annotation) : null
}

// ---------------------------------------------------------------- the outcome

/**
 * The last lines: the outcome of the answer, and the checker's findings. `failure`: why the recording is not a whole
 * answer.
 */
export function outcomeLines(
  end: TraceEnd,
  failure: string | null,
  style: LineStyle,
  withPaths: boolean,
): readonly string[] {
  const { outcome, checked, violations, differences } = end
  const { status, model, usage, error, losses, chunks } = outcome
  const line = (name: string, text: string, colour?: number): string =>
    `${name.padEnd(8)} ${colour === undefined ? plain(text) : paint(plain(text), colour, style)}`
  const isClean = violations.length === 0
  return [
    '',
    line('status', status, status === 'failed' ? RED : GREEN),
    ...(error === null ? [] : [line('error', `${error.code}: ${failure ?? error.message}`, RED)]),
    line('model', model),
    line('usage', usage === null ? 'not reported' : usageText(usage)),
    line('losses', losses.length === 0 ? 'none' : losses.join(', '), losses.length === 0 ? undefined : YELLOW),
    line('frames', withPaths ? `${chunks.received}, ${chunks.fast} of them on the fast path` : String(chunks.received)),
    line('grammar', isClean ? `clean, ${checked} events` : `violated, ${checked} events`, isClean ? GREEN : RED),
    ...violations.map(({ frame, event, rule, message }) => {
      const position = event === null ? 'stream' : `frame ${frame ?? 'end'}, event ${event}`
      return line('', `${position}: [${rule}] ${message}`, RED)
    }),
    ...(differences.length === 0
      ? []
      : [line('paths', `the fast path wrote other bytes than the slow path, at frame ${differences.join(', ')}`, RED)]),
  ]
}

const USAGE_NAMES = {
  input_tokens: 'input',
  output_tokens: 'output',
  total_tokens: 'total',
  cached_tokens: 'cached',
  reasoning_tokens: 'reasoning',
  cache_write_tokens: 'cache write',
  cost: 'cost',
} satisfies Record<Exclude<keyof Usage, 'details' | 'cache_writes'>, string>

/** Leaves out unknown counts. */
function usageText(usage: Usage): string {
  const known = Object.entries(USAGE_NAMES).flatMap(([field, name]) => {
    const tokens = usage[field as keyof typeof USAGE_NAMES]
    return tokens === null || tokens === undefined ? [] : [`${name} ${tokens}`]
  })
  return known.length === 0 ? 'no counts' : known.join(' ')
}
