import type { Boundary } from '../framing/boundary.ts'
import type { Frame } from '../framing/frame.ts'
import { copied, joined } from '../text/joined.ts'
import type { Printer, Written } from '../text/press.ts'
import { addJson, type Run } from '../text/retold.ts'
import { SINK } from '../text/sink.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import { addBytes, textOf } from '../text/words.ts'
import { DESK, DESK_SIZE, lay, match } from './bytes.ts'
import { type Found, newFound, TOO_SHORT } from './ends.ts'
import { otherwise } from './otherwise.ts'
import { lose, openPatience } from './patience.ts'
import { portionEnd } from './portion.ts'
import { hasLeaf, type Leaves } from './shape.ts'
import { type Counting, hearOne, learn, moved, type Position, type Slow, stands, type Template } from './template.ts'

/** The fast path of one stream. What it takes, the machines are told before they hear anything again. */
export interface Shortcut {
  hear(bytes: Uint8Array): void
  /** Tells the machines all that was taken: before anyone asks them. What waits for the rest of its message waits. */
  catchUp(): void
  /** The same, and what waits: before the end. */
  settle(): void
  /** How many chunks were taken. */
  taken(): number
}

/** More than this is not held back, whatever it begins like: each read looks at all of it again. */
const LONGEST_CARRY = 4 * 1024

/** Larger reads are heard piece by piece: with what was held back, one piece fits on the desk. */
const PIECE = DESK_SIZE - LONGEST_CARRY - 1

const NO_BYTES = new Uint8Array(0)

export interface ShortcutOptions {
  readonly printer: Printer
  /** Chunks of one run go into one frame, as long as the printer has one open. */
  readonly coalesce: boolean
  readonly leaves: Leaves
  readonly boundary: Boundary
  /** Of one event, as the reader has it. Whether a larger one passes it, the reader decides. */
  readonly limit: number
}

export function openShortcut<Said extends Counting>(
  slow: Slow<Said, Written>,
  { printer, coalesce, leaves, boundary, limit }: ShortcutOptions,
): Shortcut {
  const found: Found = newFound()
  const longestCarry = Math.min(LONGEST_CARRY, limit)
  let template: Template | null = null
  // What was taken since the machines were told: how many chunks it was, what they said, how much of that the machines
  // know, whether the rest has escapes, and the number of the next frame.
  let frames = 0
  let run: Run | null = null
  let wordsTold = 0
  let escaped = false
  let sequence = 0
  // Where machines must hear the last of those chunks themselves: it, and how much of the text came before it.
  let last = NO_BYTES
  let lastLength = 0
  let lastWords = 0
  // The beginning of a chunk that may become one to take.
  let carry: Uint8Array = NO_BYTES
  // Does the next byte begin a frame?
  let idle = boundary.sized
  // Is it known whether messages of this stream end as the boundary says?
  let begun = false
  // They do not, or are too large: the machines hear it as it comes.
  let lost = false
  // The last chunk that said or changed one thing; how useful the template was since one did not fit.
  let earlier = ''
  let hits = 0
  const patience = openPatience()
  // What did not differ between two chunks may differ in the next.
  let wide = false
  let taken = 0

  const drop = (): void => {
    lose(patience)
    template = null
  }

  // ---------------------------------------------------------------- taking

  /** Where the words go of what is taken from now on. */
  const goOn = ({ press, moves }: Template): Run => {
    const next = printer.retold.goOn(press?.parts ?? moves, slow.position().told.text)
    wordsTold = next.words.length
    escaped = false
    run = next
    return next
  }

  /** Takes all it can of this chunk, which lies on the desk, from `at` on; returns where it stopped. */
  const takeAll = (by: Template, chunk: Uint8Array, at: number): number => {
    const { shape, before, press, counts } = by
    const said = frames === 0 || run === null ? goOn(by) : run
    const { words } = said
    const { bytes, view, length } = DESK
    const { sized, lead, trail } = boundary
    let now = frames
    let from = at
    let start = at
    while (from < length) {
      const matched = match(shape, from + lead, found)
      const end = matched < 0 ? matched : matched + trail
      if (end === TOO_SHORT && !sized && length - from <= longestCarry) carry = bytes.slice(from, length)
      if (end < 0 || end > length || end - from > limit || !boundary.holds(bytes, from, end, before)) break
      const instead = found.wide || found.odd ? otherwise(found) : ''
      if (instead === null) break
      if (press !== null) {
        if (!coalesce || !printer.open()) {
          printer.frame(press, sequence)
          sequence += 1
        }
        if (instead === '') SINK.copy(view, found.start, found.end)
        else SINK.text(instead)
      }
      lastWords = words.length
      if (instead === '') addBytes(words, view, found.start, found.end)
      else addJson(said, instead)
      if (found.escaped) escaped = true
      now += 1
      start = from
      from = end
    }
    if (now > frames) {
      frames = now
      if (counts) keepLast(start === 0 && from === length ? chunk : chunk.subarray(start, from))
    }
    return carry.length > 0 ? length : from
  }

  const keepLast = (bytes: Uint8Array): void => {
    lastLength = bytes.length
    if (last.length < lastLength) last = new Uint8Array(2 * lastLength)
    last.set(bytes)
  }

  // ---------------------------------------------------------------- everything else

  /** Tells the machines what was taken. */
  const catchUp = (): void => {
    if (frames === 0 || template === null || run === null) return
    const { moves, counts } = template
    const { words } = run
    const text = textOf(words, wordsTold, counts ? lastWords : words.length, escaped)
    const told = moved(slow.position(), moves, text)
    const { upstream, told: heard, said } = counts ? hearLast(told, template) : told
    slow.move({ upstream, told: heard, said: { ...said, sequence, open: coalesce && printer.open() } })
    // Some decoders only gather what the reducer will hear later.
    if (moves.text) run.text = heard.text
    else run.kept = false
    hits += frames
    patience.worth += frames
    taken += frames
    frames = 0
  }

  const hearLast = (from: Position<Said>, { event, before, behind }: Template): Position<Said> => {
    const data = decodeUtf8(last, before, lastLength - behind)
    return hearOne(slow, from, { event, data })?.after ?? from
  }

  const study = (bytes: Uint8Array, frame: Frame, spoke: boolean): void => {
    const after = slow.position()
    if (template !== null) {
      const useless = spoke && hits === 0
      if (useless) wide = true
      // A chunk that says one thing, and yet does not fit: twice, and the template is of no use.
      if (useless || !stands(template, after)) drop()
      else if (spoke) hits = 0
    }
    if (template !== null || !spoke || !hasLeaf(frame.data, leaves)) return
    const last = earlier
    earlier = frame.data
    if (patience.wait === 0 && last !== '') {
      template = learn(slow, after, { bytes, frame }, last, leaves, boundary, wide)
      hits = 0
      patience.worth = 0
      if (template === null) drop()
    }
  }

  const hearSlow = (bytes: Uint8Array): void => {
    catchUp()
    const began = idle
    const heard = slow.hear(bytes)
    idle = boundary.closes(bytes)
    const [frame] = heard
    if (heard.length === 1 && frame !== undefined && began && idle) study(bytes, frame, slow.stirred())
    else if (template !== null && !stands(template, slow.position())) drop()
    sequence = slow.position().said.sequence
    lost ||= slow.overflowed()
  }

  const release = (): Uint8Array => {
    const held = carry
    carry = NO_BYTES
    return held
  }

  /** No template, and none looked for: the machines hear it as it comes. */
  const hearBlind = (bytes: Uint8Array): void => {
    const told = slow.hear(bytes).length
    patience.wait = Math.max(0, patience.wait - told)
    idle = boundary.closes(bytes)
  }

  /** The beginning of a sized message waits for the rest; if that is too much to wait for, nothing waits any more. */
  const keep = (bytes: Uint8Array, size: number): void => {
    if (size <= longestCarry) {
      carry = copied(bytes)
      return
    }
    lost = true
    hearSlow(bytes)
  }

  /** Is this a stream of such messages? Until it is known, the machines hear it. */
  const isSuch = (bytes: Uint8Array): boolean => {
    if (!begun) {
      const verdict = boundary.begins(bytes)
      begun = verdict !== null
      lost = verdict === false
    }
    return begun && !lost
  }

  const hearAll = (chunk: Uint8Array): void => {
    let at = 0
    let laid = false
    while (at < chunk.length) {
      if (template !== null && idle) {
        if (!laid) lay(chunk)
        laid = true
        at = takeAll(template, chunk, at)
        if (at >= chunk.length) return
      }
      const wait = template === null ? patience.wait : 0
      const end = portionEnd(boundary, chunk, at, wait)
      if (end > chunk.length || end === at) {
        keep(chunk.subarray(at), boundary.end(chunk, at) - at)
        return
      }
      const bytes = at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end)
      if (wait > 0) hearBlind(bytes)
      else hearSlow(bytes)
      at = lost ? chunk.length : end
    }
  }

  const hearPiece = (bytes: Uint8Array): void => {
    if (!isSuch(bytes)) slow.hear(bytes)
    else if (carry.length === 0) hearAll(bytes)
    else if (boundary.sized) hearAll(joined(release(), bytes))
    else if (carry.length + bytes.length <= longestCarry && !boundary.mayEnd(bytes)) carry = joined(carry, bytes)
    else hearBehindCarry(bytes)
  }

  /** Only what was cut is put together again. */
  const hearBehindCarry = (bytes: Uint8Array): void => {
    const end = boundary.end(bytes, 0)
    hearAll(joined(release(), bytes.subarray(0, end)))
    if (end < bytes.length) hearPiece(bytes.subarray(end))
  }

  return {
    hear(bytes) {
      if (bytes.length <= PIECE) return hearPiece(bytes)
      for (let at = 0; at < bytes.length; at += PIECE) hearPiece(bytes.subarray(at, at + PIECE))
    },

    catchUp,

    settle() {
      const held = release()
      if (held.length > 0) hearSlow(held)
      catchUp()
    },

    taken: () => taken + frames,
  }
}
