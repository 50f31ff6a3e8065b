import fc from 'fast-check'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { EVENT_STREAM } from '../../src/framing/eventstream.ts'
import { type Framing, splitFrames } from '../../src/framing/framing.ts'
import { isObject, parseJson } from '../../src/text/json.ts'

/** Damage that networks, proxies and failing servers do to a stream. */

const STROKES = ['flip', 'drop', 'double', 'swap', 'cut', 'retype'] as const

interface Stroke {
  readonly how: (typeof STROKES)[number]
  readonly at: number
  readonly to: number
}

/** Lines with their ends, or the messages of a binary stream. */
type Pieces = readonly Uint8Array[]

export const damages: fc.Arbitrary<readonly Stroke[]> = fc.array(
  fc.record({ how: fc.constantFrom(...STROKES), at: fc.nat(), to: fc.nat() }),
  { minLength: 1, maxLength: 4 },
)

const LINE_FEED = 10

function toLines(bytes: Uint8Array): Pieces {
  const lines: Uint8Array[] = []
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_FEED, start) + 1 || bytes.length
    lines.push(bytes.subarray(start, end))
    start = end
  }
  return lines
}

const toPieces = (framing: Framing, bytes: Uint8Array): Pieces =>
  framing === EVENT_STREAM ? splitFrames(EVENT_STREAM, bytes) : toLines(bytes)

const joined = (pieces: Pieces): Uint8Array => new Uint8Array(Buffer.concat(pieces))

/** Applies all changes to a stream. */
export function damage(framing: Framing, bytes: Uint8Array, strokes: readonly Stroke[]): Uint8Array {
  return strokes.reduce((now, stroke) => (now.length === 0 ? now : strike(framing, now, stroke)), bytes)
}

function strike(framing: Framing, bytes: Uint8Array, { how, at, to }: Stroke): Uint8Array {
  if (how === 'cut') return bytes.slice(0, at % bytes.length)
  if (how === 'flip') return bytes.with(at % bytes.length, (bytes[at % bytes.length] as number) ^ (1 + (to % 255)))
  const pieces = toPieces(framing, bytes)
  const [from, there] = [at % pieces.length, to % pieces.length]
  const [piece, other] = [pieces[from] as Uint8Array, pieces[there] as Uint8Array]
  switch (how) {
    case 'drop':
      return joined(pieces.toSpliced(from, 1))
    case 'double':
      return joined(pieces.toSpliced(there, 0, piece))
    case 'swap':
      return joined(pieces.with(from, other).with(there, piece))
    case 'retype':
      return joined(pieces.with(from, framing === EVENT_STREAM ? retypeMessage(piece, to) : retypeLine(piece, to)))
  }
}

// ---------------------------------------------------------------- a value of another type

const OTHERS: readonly unknown[] = [null, true, 0, -1, 1e300, '', 'x', [], [null], {}, { toString: 1 }, [[{ a: [] }]]]

/** Replaces one value of a JSON text. Returns other texts unchanged. */
function retype(text: string, seed: number): string {
  const value = parseJson(text)
  if (value === undefined) return text
  const places = placesIn(value)
  return JSON.stringify(put(value, places[seed % places.length] ?? [], OTHERS[(seed >>> 8) % OTHERS.length]))
}

type Path = readonly (string | number)[]

const entriesOf = (value: unknown): readonly (readonly [string | number, unknown])[] => {
  if (Array.isArray(value)) return value.map((it, i) => [i, it] as const)
  return isObject(value) ? Object.entries(value) : []
}

const placesIn = (value: unknown, path: Path = []): readonly Path[] => [
  path,
  ...entriesOf(value).flatMap(([key, it]) => placesIn(it, [...path, key])),
]

function put(value: unknown, [first, ...rest]: Path, other: unknown): unknown {
  if (first === undefined) return other
  const changed = entriesOf(value).map(([key, it]) => [key, key === first ? put(it, rest, other) : it] as const)
  return Array.isArray(value) ? changed.map(([, it]) => it) : Object.fromEntries(changed)
}

/** Matches the JSON of a line between an optional field name and the line end. */
const LINE = /^([a-z]*:? ?)(.*?)(\r?\n?)$/s

function retypeLine(line: Uint8Array, seed: number): Uint8Array {
  const [, field = '', text = '', end = ''] = LINE.exec(new TextDecoder().decode(line)) ?? []
  return new TextEncoder().encode(field + retype(text, seed) + end)
}

function retypeMessage(message: Uint8Array, seed: number): Uint8Array {
  const [frame] = EVENT_STREAM.open(message.length).push(message)
  return frame === undefined || frame.event.startsWith(':')
    ? message
    : encodeEventStream({ event: frame.event, data: retype(frame.data, seed) })
}
