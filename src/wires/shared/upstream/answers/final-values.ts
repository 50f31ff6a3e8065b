import { EMPTY_LIST, type List, listAppend, listAt, listToArray, listWith } from '../../../../collections/list.ts'
import { type Machine, NOTHING, type Step } from '../../../../machine/machine.ts'
import { pipe } from '../../../../machine/pipe.ts'
import type { CallDelta, ContentDelta, Delta, FinalDelta } from '../../../../protocol/delta.ts'
import { DIFFERENT } from '../../../../responses/final-values.ts'
import { appendFlat } from '../../../../text/flat-string.ts'
import { isCompleteJson } from '../../../../text/json.ts'
import type { StreamWire } from '../../../contract.ts'

/** Returns the texts and calls of a whole message as final values. Pieces of one text, or of one call, are one value. */
export function finalsOf(deltas: readonly Delta[]): readonly FinalDelta[] {
  const wholes = new Map<string, FinalDelta['whole']>()
  for (const delta of deltas) {
    if (delta.kind !== 'call' && !isContent(delta)) continue
    const name = `${delta.kind} ${delta.key}`
    wholes.set(name, joinedWith(wholes.get(name), delta))
  }
  return [...wholes.values()].map((whole) => ({ kind: 'final', whole }))
}

function joinedWith(known: FinalDelta['whole'] | undefined, delta: CallDelta | ContentDelta): FinalDelta['whole'] {
  if (delta.kind !== 'call')
    return { ...delta, text: (known?.kind === delta.kind ? known.text : '') + delta.text, logprobs: null }
  if (known?.kind !== 'call') return delta
  const { callId, name } = delta
  return {
    ...delta,
    callId: callId ?? known.callId,
    name: name ?? known.name,
    arguments: known.arguments + delta.arguments,
  }
}

/** In UTF-16 units. A longer answer is emitted piece by piece, because its text is not in the budget of answers. */
const MOST_HELD = 64 * 1024

interface Held {
  readonly deltas: List<Delta>
  /** The length of all texts; -1 if no more is held back. */
  readonly size: number
}

/**
 * For answers that a client receives whole: holds back what has a text, so that a final value that contradicts its
 * pieces can replace them. A delta costs O(log n) for n held deltas, and a final value the length of the held text.
 */
const preferFinals: Machine<Held, Delta, Delta> = {
  initial: { deltas: EMPTY_LIST, size: 0 },

  step(held, delta): Step<Held, Delta> {
    if (held.size < 0) return { state: held, events: [delta] }
    if (delta.kind === 'final') return replace(held, delta)
    if (!('key' in delta)) return { state: held, events: [delta] }
    const size = held.size + sizeOf(delta)
    const deltas = append(held.deltas, delta)
    return size > MOST_HELD
      ? { state: { deltas: EMPTY_LIST, size: -1 }, events: listToArray(deltas) }
      : { state: { deltas, size }, events: NOTHING }
  },

  end: ({ deltas }) => listToArray(deltas),
}

/** The decoders of a wire whose answers have final values, which decide where a client receives an answer whole. */
export const preferringFinals = <Wire extends Pick<StreamWire, 'decodeStream'>>(wire: Wire): Wire => ({
  ...wire,
  decodeStream(quirks) {
    const decoder = wire.decodeStream(quirks)
    return quirks.wholeAnswer === true ? pipe(decoder, preferFinals) : decoder
  },
})

const OVERHEAD = 64

function sizeOf(delta: Delta): number {
  if (delta.kind === 'call') return OVERHEAD + delta.arguments.length
  return OVERHEAD + ('text' in delta ? delta.text.length : 0)
}

function append(deltas: List<Delta>, delta: Delta): List<Delta> {
  const at = deltas.length - 1
  const last = at < 0 ? undefined : listAt(deltas, at)
  if (last?.kind === 'call' && delta.kind === 'call' && isMore(last, delta))
    return listWith(deltas, at, { ...last, arguments: appendFlat(last.arguments, delta.arguments) })
  if (last === undefined || !isContent(last) || !isContent(delta) || !isSamePart(last, delta))
    return listAppend(deltas, delta)
  return listWith(deltas, at, { ...last, text: appendFlat(last.text, delta.text) })
}

const isContent = (delta: Delta): delta is ContentDelta =>
  delta.kind === 'text' || delta.kind === 'refusal' || delta.kind === 'reasoning' || delta.kind === 'summary'

const isSamePart = (one: ContentDelta, other: ContentDelta): boolean =>
  one.kind === other.kind &&
  one.key === other.key &&
  one.part === other.part &&
  one.logprobs === null &&
  other.logprobs === null

const isMore = (call: CallDelta, more: CallDelta): boolean =>
  call.key === more.key && call.type === more.type && more.callId === null && more.name === null

/**
 * Puts a final value in the place of its first piece, if its pieces are no beginning of it. Arguments that are whole
 * stay, as in a stream.
 */
function replace(held: Held, final: FinalDelta): Step<Held, Delta> {
  const { whole } = final
  const list = listToArray(held.deltas)
  const own = list.filter((delta) => isPieceOf(delta, whole))
  const received = own.map(textOf).join('')
  const text = textOf(whole)
  const wins = own.length > 0 && !text.startsWith(received) && received.trim() !== text.trim()
  if (!wins || (whole.kind === 'call' && (isCompleteJson(received) || !isCompleteJson(text))))
    return { state: { ...held, deltas: listAppend<Delta>(held.deltas, final) }, events: NOTHING }
  const pieces: ReadonlySet<Delta> = new Set(own)
  const [first] = own
  const deltas = list.reduce<List<Delta>>((now, delta) => {
    if (delta === first) return listAppend<Delta>(now, withText(first, text))
    return pieces.has(delta) ? now : listAppend(now, delta)
  }, EMPTY_LIST)
  return { state: { ...held, deltas }, events: [{ kind: 'loss', feature: DIFFERENT }] }
}

const isPieceOf = (delta: Delta, whole: FinalDelta['whole']): delta is FinalDelta['whole'] =>
  delta.kind === whole.kind && (delta.kind === 'call' || isContent(delta)) && delta.key === whole.key

const textOf = (delta: FinalDelta['whole']): string => (delta.kind === 'call' ? delta.arguments : delta.text)

const withText = (delta: FinalDelta['whole'], text: string): Delta =>
  delta.kind === 'call' ? { ...delta, arguments: text } : { ...delta, text, logprobs: null }
