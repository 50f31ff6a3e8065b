import type { Boundary } from '../framing/boundary.ts'
import type { Frame } from '../framing/frame.ts'
import { parseJson, quote } from '../text/json.ts'
import { SINK } from '../text/sink.ts'
import { decodeUtf8 } from '../text/utf8.ts'
import { type Found, matchBytes, newFound, TOO_SHORT } from './bytes.ts'
import { grow, sameBut } from './growth.ts'
import type { Leaves } from './shape.ts'
import { type Counting, learn, type Machines, type Position, type Template } from './template.ts'

/** The slow path, as the fast one sees it. */
export interface Slow<Said, Out> extends Machines<Said, Out> {
  /** Hears these bytes; returns the frames they completed and how many deltas those gave. */
  hear(bytes: Uint8Array): { readonly frames: readonly Frame[]; readonly deltas: number }
  position(): Position<Said>
  move(position: Position<Said>): void
}

/** The fast path of one stream. What it takes, the machines are told before they hear anything again. */
export interface Shortcut {
  hear(bytes: Uint8Array): void
  /** Gives the machines all that was held back from them: before the end, or before anyone asks them. */
  settle(): void
  /** How many chunks were taken. */
  readonly taken: number
}

/** To look for a template costs as much as several chunks: who finds none that lasts looks ever more seldom. */
const PATIENCE = 4
const LONGEST_WAIT = 256

/** More than this is not held back, whatever it begins like. */
const LONGEST_CARRY = 64 * 1024

/** Bytes of text, to begin with. */
const FIRST_TEXT = 1024

const NO_BYTES = new Uint8Array(0)
export function openShortcut<Said extends Counting>(
  slow: Slow<Said, string>,
  leaves: Leaves,
  boundary: Boundary,
): Shortcut {
  const found: Found = newFound()
  let template: Template | null = null
  // Text that was taken since the machines were told, as it stood in its JSON strings.
  let text = NO_BYTES
  let length = 0
  let escaped = false
  let frames = 0
  let sequence = 0
  // The beginning of a chunk that may become one to take.
  let carry = NO_BYTES
  // Does the next byte begin a frame?
  let idle = false
  // The last chunk that said one thing; how useful the template was; for how many chunks none is looked for.
  let earlier = ''
  let hits = 0
  let wait = 0
  let penalty = 1
  let taken = 0

  const drop = (): void => {
    penalty = hits > 0 ? 1 : Math.min(PATIENCE * penalty, LONGEST_WAIT)
    wait = penalty - 1
    template = null
  }

  // ---------------------------------------------------------------- taking

  const keep = (chunk: Uint8Array): void => {
    const size = found.end - found.start
    if (length + size > text.length) {
      const larger = new Uint8Array(Math.max(FIRST_TEXT, 2 * (length + size)))
      larger.set(text.subarray(0, length))
      text = larger
    }
    for (let at = found.start; at < found.end; at += 1) text[length++] = chunk[at] as number
    escaped ||= found.escaped
    frames += 1
  }

  const putNumber = (value: number): void => {
    const { bytes } = SINK
    let digits = 1
    for (let rest = value; rest >= 10; rest = (rest / 10) | 0) digits += 1
    let rest = value
    for (let at = SINK.at + digits - 1; at >= SINK.at; at -= 1) {
      bytes[at] = 48 + (rest % 10)
      rest = (rest / 10) | 0
    }
    SINK.at += digits
  }

  const putBytes = (bytes: Uint8Array): void => {
    SINK.bytes.set(bytes, SINK.at)
    SINK.at += bytes.length
  }

  /** The leaf as JSON.stringify would write it; false where it is no text. */
  const putLeaf = (chunk: Uint8Array, odd: string | null): void => {
    if (odd !== null) {
      SINK.text(odd)
      return
    }
    const { bytes } = SINK
    let to = SINK.at
    for (let at = found.start; at < found.end; at += 1) bytes[to++] = chunk[at] as number
    SINK.at = to
  }

  const take = (now: Template, chunk: Uint8Array): boolean => {
    let odd: string | null = null
    if (found.wide || found.odd) {
      const inside = decodeUtf8(chunk, found.start, found.end)
      // Bytes that are no UTF-8: the slow path knows what they become.
      if (inside.includes('\ufffd')) return false
      if (found.odd) {
        const value = parseJson(`"${inside}"`)
        if (typeof value !== 'string') return false
        odd = quote(value).slice(1, -1)
      }
    }
    const { head, numbered, middle, tail } = now
    SINK.reserve(head.length + middle.length + tail.length + (found.end - found.start) * 6 + 24)
    putBytes(head)
    if (numbered) {
      putNumber(sequence + frames)
      putBytes(middle)
    }
    putLeaf(chunk, odd)
    putBytes(tail)
    keep(chunk)
    return true
  }

  /** Takes all it can, from `at` on; returns where it stopped. */
  const takeAll = (now: Template, chunk: Uint8Array, at: number): number => {
    const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length)
    let from = at
    while (from < chunk.length) {
      const end = matchBytes(now.shape, chunk, view, from, found)
      if (end === TOO_SHORT && chunk.length - from <= LONGEST_CARRY) {
        carry = chunk.slice(from)
        return chunk.length
      }
      if (end < 0 || !take(now, chunk)) return from
      from = end
    }
    return from
  }

  // ---------------------------------------------------------------- everything else

  const catchUp = (): void => {
    if (frames === 0) return
    const inside = decodeUtf8(text, 0, length)
    const said = escaped ? (parseJson(`"${inside}"`) as string) : inside
    const position = slow.position()
    const { live, story } = position.told
    slow.move({
      upstream: template === null ? position.upstream : grow(position.upstream, template.growth, said),
      told: { live, text: position.told.text + said, story },
      said: { ...position.said, sequence: position.said.sequence + frames },
    })
    hits += frames
    taken += frames
    length = 0
    frames = 0
    escaped = false
  }

  const stands = ({ growth, ...learned }: Template, { upstream, told }: Position<Said>): boolean =>
    told.live === learned.live && told.story === learned.story && sameBut(upstream, learned.upstream, growth)

  const study = (bytes: Uint8Array, frame: Frame, deltas: number): void => {
    const after = slow.position()
    const spoke = deltas === 1
    if (template !== null) {
      // A chunk that says one thing, and yet does not fit: twice, and the template is of no use.
      if (!stands(template, after) || (spoke && hits === 0)) drop()
      else if (spoke) hits = 0
    }
    if (template !== null || !spoke) return
    const last = earlier
    earlier = frame.data
    if (wait === 0 && last !== '') {
      const raw = decodeUtf8(bytes, 0, bytes.length)
      template = learn(slow, after, { raw, frame }, last, leaves, boundary)
      hits = 0
      if (template === null) drop()
    }
  }

  const hearSlow = (bytes: Uint8Array): void => {
    catchUp()
    const began = idle
    const told = slow.hear(bytes)
    idle = boundary.closes(bytes)
    const [frame] = told.frames
    if (told.frames.length === 1 && frame !== undefined && began && idle) study(bytes, frame, told.deltas)
    else if (template !== null && !stands(template, slow.position())) drop()
    sequence = slow.position().said.sequence
  }

  const release = (): Uint8Array => {
    const held = carry
    carry = NO_BYTES
    return held
  }

  /** No template, and none looked for: the machines hear it as it comes. */
  const hearBlind = (bytes: Uint8Array): void => {
    const told = slow.hear(bytes).frames.length
    wait = Math.max(0, wait - told)
    idle = boundary.closes(bytes)
  }

  const hearAll = (chunk: Uint8Array): void => {
    if (template === null && wait > 0) {
      hearBlind(chunk)
      return
    }
    let at = 0
    while (at < chunk.length) {
      if (template !== null && idle) {
        at = takeAll(template, chunk, at)
        if (at >= chunk.length) return
      }
      const end = boundary.end(chunk, at)
      hearSlow(at === 0 && end === chunk.length ? chunk : chunk.subarray(at, end))
      at = end
    }
  }

  return {
    hear(bytes) {
      if (carry.length === 0) return hearAll(bytes)
      // Only what was cut is put together again.
      const end = boundary.end(bytes, 0)
      hearAll(joined(release(), bytes.subarray(0, end)))
      if (end === bytes.length) return
      if (carry.length === 0) hearAll(bytes.subarray(end))
      else hearAll(joined(release(), bytes.subarray(end)))
    },

    settle() {
      const held = release()
      if (held.length > 0) hearSlow(held)
      catchUp()
    },

    get taken() {
      return taken + frames
    },
  }
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}
