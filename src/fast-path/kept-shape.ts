import type { Frame } from '../framing/frame.ts'
import type { Machine } from '../machine/machine.ts'
import type { Delta } from '../protocol/delta.ts'
import { isCompleteJson } from '../text/json.ts'
import { firstDifference } from '../text/json-diff.ts'
import {
  type ChunkTemplate,
  type Learned,
  type StepResult,
  type TemplateContext,
  toTemplate,
} from './chunk-template.ts'
import { positionsOfAll, type SlotPosition, scan } from './patterns/find-slots.ts'
import { contentsOf, cutAt, type Pattern, toPattern } from './patterns/pattern.ts'
import { BEGINNINGS, filled, LIMIT, NESTED, PROBES, type Probe, prove } from './prove-template.ts'
import { applyDeltas, type Machines, type Position } from './slow-path.ts'
import { isSameExcept, replacesText, type StateDiff, withoutTexts } from './state-diff.ts'
import { distinctReads, type KeptReads, readsAlike, type StateRead, trackStep } from './track-state-reads.ts'

/**
 * A chunk that a decoder has been proved to treat alike whatever its text is, for later streams. It has no text of its
 * own stream, and of the other fields only those that the decoder reads. The decoder is pure: for a payload and a state
 * that are equal in everything that it reads, it emits the deltas of the probes again, and its state changes in the
 * same way.
 */
export interface KeptShape {
  readonly event: string
  /** The payload, with a slot for every field that the decoder does not read. */
  readonly pattern: Pattern
  /** For each slot, whether its content changes within a stream. The others are constant there. */
  readonly varies: readonly boolean[]
  /** Lists of reads in the state of the decoder, one of which must agree. */
  readonly reads: readonly (readonly KeptReads[])[]
  readonly deltas: ReadonlyMap<Probe, readonly Delta[]>
  readonly moves: StateDiff
  /** The decoder treats only text inside a JSON value alike. */
  readonly nested: boolean
}

/** Returns what later streams can use of a template; null if that is nothing. */
export function toKeptShape(
  decode: Machine<unknown, Frame, Delta>,
  { event, data: payload }: Frame,
  { template, pattern }: Learned,
): KeptShape | null {
  const contents = contentsOf(pattern, payload)
  if (contents === null || pattern.slots.includes('members')) return null
  const { upstream: moves } = template.moves
  const names = new Set<string>()
  const deltas = new Map<Probe, readonly Delta[]>()
  const { nested } = template
  const probes: readonly Probe[] = [...PROBES, nested ? NESTED : LIMIT, ...(template.moves.text ? [] : BEGINNINGS)]
  const frames = probes.map((probe) => ({ probe, frame: { event, data: filled(pattern, probe) } }))
  /** Returns what the decoder reads in these states, one for each probe; null if its deltas depend on the state. */
  const readsIn = (states: readonly unknown[]): readonly KeptReads[] | null => {
    const reads: StateRead[] = []
    for (const [i, { probe, frame }] of frames.entries()) {
      const step = decode.step(states[i], frame)
      const tracked = trackStep(decode, states[i], frame)
      const expected = deltas.get(probe) ?? step.events
      if (tracked === null || !isSameExcept(states[i], step.state, moves)) return null
      if (firstDifference([step.events, tracked.deltas], [expected, expected]) !== null) return null
      for (const name of tracked.names) names.add(name)
      reads.push(...tracked.reads)
      deltas.set(probe, step.events)
    }
    return distinctReads(reads, moves)
  }
  const states = [template.provedAt.upstream]
  for (const { frame } of frames) states.push(decode.step(states.at(-1), frame).state)
  const later = readsIn(states)
  if (later === null) return null
  // After the first chunk of a text, the text that the decoder accumulates may still be empty.
  const empty = withoutTexts(states[0], moves)
  const first = readsIn(frames.map(() => empty))
  const wide = withConstants(pattern, payload, contents, names)
  return wide === null
    ? null
    : { event, ...wide, reads: first === null ? [later] : [first, later], deltas, moves, nested }
}

/** Adds a slot for every field that the decoder does not read, and that has the same content in the whole stream. */
function withConstants(
  { known }: Pattern,
  payload: string,
  contents: readonly SlotPosition[],
  read: ReadonlySet<string>,
): Pick<KeptShape, 'pattern' | 'varies'> | null {
  const scanned = scan(payload)
  const ignored = [...scanned.named.keys()].filter((name) => !read.has(name))
  const isApart = ({ start, end }: SlotPosition): boolean =>
    contents.every((content) => content.end < start || end < content.start)
  const constant = positionsOfAll(scanned, ignored, 'value').filter(isApart)
  const pattern = toPattern(payload, [...contents.map(asLeaf), ...constant], known)
  const varying = new Set(contents.map(({ start }) => start))
  const varies = contentsOf(pattern, payload)?.map(({ start }) => varying.has(start))
  return varies === undefined ? null : { pattern, varies }
}

/** A pattern is built from the places of its texts, of which all but the first are repetitions. */
const asLeaf = (content: SlotPosition): SlotPosition =>
  content.slot === 'repeat' ? { ...content, slot: 'leaf' } : content

/**
 * Returns the template of which a chunk is an instance, if the decoder reads the same in it and in its state as it did
 * when the shape was kept; otherwise null. The constant bytes are those of the chunk. The machines after the decoder are
 * proved with the deltas of the probes.
 */
export function recall(
  { event, pattern: wide, varies, reads, deltas, moves, nested }: KeptShape,
  machines: Machines,
  position: Position,
  { bytes, frame }: StepResult,
  context: TemplateContext,
): ChunkTemplate | null {
  if (event !== frame.event) return null
  const contents = contentsOf(wide, frame.data)
  if (contents === null || !reads.some((list) => readsAlike(list, position.upstream))) return null
  const around = context.boundary.around(bytes, frame.data)
  // Of the values of ignored fields nothing but their ends is known. All other bytes are those of valid JSON.
  const isJson = ({ slot, start, end }: SlotPosition): boolean =>
    slot !== 'value' || isCompleteJson(frame.data.slice(start, end))
  if (around === null || !contents.every(isJson)) return null
  const runProbe = (probe: Probe, from: Position) => {
    const kept = deltas.get(probe)
    return kept === undefined ? null : applyDeltas(machines, from, from.upstream, kept)
  }
  const proved = prove(runProbe, position, wide.slots.includes('count'), nested)
  if (proved === null) return null
  const pattern = cutAt(
    frame.data,
    contents.filter((_, i) => varies[i]),
    wide.known,
  )
  return toTemplate(pattern, around, event, context, position, {
    ...proved,
    moves: { ...proved.moves, upstream: moves },
    counts: proved.counts || replacesText(moves),
  })
}
