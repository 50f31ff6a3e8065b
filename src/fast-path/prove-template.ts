import type { FrameParts, Output } from '../output/frame-printer.ts'
import { escapeJson, quote } from '../text/json.ts'
import { firstDifference } from '../text/json-diff.ts'
import type { NestedScan } from '../text/json-scan.ts'
import { fillPattern, type Pattern } from './patterns/pattern.ts'
import type { FrameResult, Position } from './slow-path.ts'
import { applyDiff, diffStates, isSameExcept, replacesText, type StateDiff } from './state-diff.ts'
import type { FieldNames } from './track-field-access.ts'

/**
 * How the machines change with each chunk: the state of the decoder, the response state of the reducer, the text of its
 * active part, and the inner state of the writer.
 */
interface Moves {
  readonly upstream: StateDiff
  readonly response: StateDiff
  readonly writer: StateDiff
  /** Whether the reducer receives the text. Some decoders only accumulate it. */
  readonly text: boolean
}

/**
 * Returns the states of the machines after chunks with this text, without the counts of the last of them. `scan`: the
 * decoder's scan after this text; null if it is not known.
 */
export function advance(
  { upstream, responseState, writerState }: Position,
  moves: Moves,
  words: string,
  scan: NestedScan | null = null,
): Position {
  const { active, text, response } = responseState
  const { inner } = writerState
  return {
    upstream: applyDiff(upstream, moves.upstream, words, scan),
    responseState: moves.text
      ? { active, text: text + words, response: applyDiff(response, moves.response, words) }
      : responseState,
    writerState: inner === undefined ? writerState : { ...writerState, inner: applyDiff(inner, moves.writer, words) },
  }
}

/** No decoder reads a member of this name. */
const UNKNOWN_FIELD = 'Kq7'

/**
 * Texts that a decoder which parses them would change or hold back; any values in the fields that no decoder reads, and
 * more such fields; and counts that go up and down.
 */
export const PROBES = [
  // The length of the first text differs from its number of characters, and it opens or closes a string.
  { leaf: 'Kq7zW</think> "\u00e9\u{1f642}', value: '0', count: '7', blanks: '', members: '' },
  // Half of a character, as if the previous chunk had the other half.
  { leaf: '\udc00<', value: '"x9"', count: '1', blanks: ' ', members: `"${UNKNOWN_FIELD}":"\\ud800",` },
  {
    leaf: ' \u2028',
    value: '[{"a":"\\u0041\\""},-1.5e300,null]',
    count: '900719925474099',
    blanks: '   ',
    members: `"Zw3":null, "${UNKNOWN_FIELD}" : [{"Zw3":{"${UNKNOWN_FIELD}":[]}},-0.0],`,
  },
] as const

const NO_FIELDS = { value: '0', count: '7', blanks: '', members: '' } as const

/**
 * A text with control characters inside a string, which are escaped in the arguments of calls, whether the text before
 * it has open quotes or not. If the machines treat it otherwise than the probes, a template takes only text inside a JSON
 * value without such characters (`nested-text.ts`).
 */
export const LIMIT = { leaf: '\n"\n', ...NO_FIELDS } as const

/** Such a text: brackets, of which none ends the value, whether the text before it has open quotes or not. */
export const NESTED = { leaf: ' {"{}', ...NO_FIELDS } as const

/**
 * Texts with which arguments begin, whether their opening bracket has arrived or not. A decoder that holds back the
 * beginning of a text may emit it with one of these, although it emits nothing for the probes.
 */
export const BEGINNINGS = [
  { leaf: '"', ...NO_FIELDS },
  { leaf: '{"', ...NO_FIELDS },
] as const

export type Probe = (typeof PROBES)[number] | (typeof BEGINNINGS)[number] | typeof LIMIT | typeof NESTED

/** Returns the payload of a chunk of this pattern. */
export function filled(pattern: Pattern, probe: Probe): string {
  const { value, count, blanks, members } = probe
  const leaf = escapeJson(probe.leaf)
  return fillPattern(pattern, { leaf, repeat: leaf, value, count, blanks, members })
}

/**
 * If members may appear and disappear, a decoder must read known members by name only, for every text and every count.
 * A decoder that enumerates the members of an object reads `UNKNOWN_FIELD`, which rejects the pattern.
 */
export const looksAtMore = (pattern: Pattern, readIn: (data: string) => FieldNames): boolean =>
  pattern.slots.includes('members') &&
  PROBES.some((probe) => {
    const read = readIn(filled(pattern, probe))
    return read.readsText || [...read].some((name) => name === UNKNOWN_FIELD || !pattern.known.has(name))
  })

export interface Proved {
  readonly moves: Moves
  /** The chunks have counts, so that the machines must process the last one themselves. */
  readonly counts: boolean
  /** The constant parts of the frame that is emitted; null if the target has none. */
  readonly parts: FrameParts | null
  /** Whether the machines treat text inside a JSON value alike, but not all texts. */
  readonly nested: boolean
}

/** Runs the machines on a chunk with the contents of a probe; null if it produced more than one event. */
type RunProbe = (probe: Probe, from: Position) => FrameResult | null

/**
 * Returns how the machines process chunks that differ as the probes do; null if that is not the same for all of them.
 * `countsChange`: the chunks have counts. `isNested`: the decoder is known to treat only text inside a JSON
 * value alike.
 */
export function prove(run: RunProbe, position: Position, countsChange: boolean, isNested = false): Proved | null {
  const emitProbe = (probe: Probe, from: Position) => emitted(run(probe, from), from, probe.leaf)
  const [first, second, third] = PROBES
  const one = emitProbe(first, position)
  if (one === null) return null
  const { parts } = one
  const moves = movesOf(position, one.after, first.leaf)
  if (moves === null) return null
  const isHeld = (probe: Probe): boolean => emitProbe(probe, position)?.after.responseState === position.responseState
  if (!moves.text && !BEGINNINGS.every(isHeld)) return null
  const counts = replacesText(moves.upstream) || replacesText(moves.response) || replacesText(moves.writer)
  // Without counts, nothing but the text may change.
  if (counts && !countsChange) return null

  /**
   * Processes a probe after another one. The result must be a frame of the same text, and a state that keeps nothing of
   * the other probe but its text; otherwise returns null.
   */
  const follows = (probe: Probe, from: Position, words: string, after: Position): Position | null => {
    const again = emitProbe(probe, after)
    if (again === null || !areSameParts(again.parts, parts)) return null
    if (!isSameExcept(again.after.responseState.response, after.responseState.response, moves.response)) return null
    if (!isSameExcept(again.after.upstream, after.upstream, moves.upstream)) return null
    if (!isSameExcept(again.after.writerState.inner, after.writerState.inner, moves.writer)) return null
    const alone = counts ? emitProbe(probe, advance(from, moves, words))?.after : advance(after, moves, probe.leaf)
    return alone !== undefined && isSame(again.after, alone) ? again.after : null
  }
  const two = follows(second, position, first.leaf, one.after)
  const three = two === null ? null : follows(third, one.after, second.leaf, two)
  if (two === null || three === null) return null
  const nested = isNested || follows(LIMIT, two, third.leaf, three) === null
  return nested && follows(NESTED, two, third.leaf, three) === null ? null : { moves, counts, parts, nested }
}

/** Returns the constant parts around the text of these outputs; null if the text is not in them once or twice. */
function partsOf(outputs: readonly Output[], words: string, sequence: number): FrameParts | null {
  const [output] = outputs
  if (typeof output !== 'string') {
    const isOfRun = outputs.length === 1 && output !== undefined && 'words' in output && output.words === words
    return isOfRun && output.number === sequence - (output.more ? 1 : 0) ? output.parts : null
  }
  const text = outputs.every((one) => typeof one === 'string') ? outputs.join('') : ''
  const quoted = quote(words)
  const [head, ...rest] = text.split(quoted)
  const tail = rest.at(-1)
  if (head === undefined || tail === undefined || rest.length > 2) return null
  const parts = { head: `${head}"`, numbered: false, middle: '', tail: `"${tail}` }
  return rest.length === 1 ? parts : { ...parts, between: `"${rest[0]}"` }
}

const areSameParts = (one: FrameParts | null, other: FrameParts | null): boolean =>
  one === other || (one !== null && other !== null && firstDifference(one, other) === null)

const isSame = (one: Position, other: Position): boolean =>
  firstDifference(one.upstream, other.upstream) === null &&
  firstDifference(one.responseState.response, other.responseState.response) === null &&
  firstDifference(one.writerState.inner, other.writerState.inner) === null &&
  one.responseState.text === other.responseState.text

function movesOf(before: Position, after: Position, words: string): Moves | null {
  const upstream = diffStates(before.upstream, after.upstream, words)
  const response = diffStates(before.responseState.response, after.responseState.response, words)
  const writer = diffStates(before.writerState.inner, after.writerState.inner, words)
  return upstream === null || response === null || writer === null
    ? null
    : { upstream, response, writer, text: after.responseState !== before.responseState }
}

/**
 * Returns the constant parts of the frame that a chunk becomes, null if it becomes none. The whole result is null if
 * the chunk has any other effect.
 */
function emitted(
  result: FrameResult | null,
  position: Position,
  words: string,
): { readonly parts: FrameParts | null; readonly after: Position } | null {
  if (result === null) return null
  const { event, outputs, after } = result
  if (event === null) return after.responseState === position.responseState ? { parts: null, after } : null
  const { active, text } = after.responseState
  if (active === null || active !== position.responseState.active || text !== position.responseState.text + words)
    return null
  if (outputs.length === 0) return { parts: null, after }
  const parts = partsOf(outputs, words, position.writerState.sequence)
  return parts === null ? null : { parts, after }
}
