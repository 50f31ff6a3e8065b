import type { ContentKind } from '../../protocol/delta.ts'

/** Where in an answer the thoughts of a model that writes them into its text are, and what is held back. */
export interface ThinkState {
  readonly mode: 'start' | 'thought' | 'seam' | 'text'
  /** Text that may still turn out to be (part of) a tag, or white space before one. */
  readonly held: string
}

export interface Piece {
  readonly kind: Extract<ContentKind, 'text' | 'reasoning'>
  readonly text: string
}

const OPEN = '<think>'
const CLOSE = '</think>'

export const THINK_START: ThinkState = { mode: 'start', held: '' }

interface Split {
  readonly state: ThinkState
  readonly pieces: readonly Piece[]
}

const text = (said: string): readonly Piece[] => (said === '' ? [] : [{ kind: 'text', text: said }])
const thought = (said: string): readonly Piece[] => (said === '' ? [] : [{ kind: 'reasoning', text: said }])

/**
 * Takes `<think> … </think>` at the head of an answer out of its text. Tags may be cut anywhere; only what could still
 * be a tag is held back. White space before the first tag and after the last belongs to neither side.
 */
export function splitThoughts({ mode, held }: ThinkState, said: string): Split {
  const all = held + said
  switch (mode) {
    case 'start':
      return atStart(all)
    case 'thought':
      return inThought(all)
    case 'seam':
      return atSeam(all)
    case 'text':
      return { state: { mode, held: '' }, pieces: text(all) }
  }
}

/** What is still held when the answer ends. */
export const heldThoughts = ({ mode, held }: ThinkState): readonly Piece[] =>
  mode === 'thought' ? thought(held) : mode === 'seam' ? [] : text(held)

function atStart(all: string): Split {
  const bare = all.trimStart()
  if (bare.startsWith(OPEN)) return splitThoughts({ mode: 'thought', held: '' }, bare.slice(OPEN.length))
  return OPEN.startsWith(bare)
    ? { state: { mode: 'start', held: all }, pieces: [] }
    : { state: { mode: 'text', held: '' }, pieces: text(all) }
}

function inThought(all: string): Split {
  const end = all.indexOf(CLOSE)
  if (end >= 0) {
    const rest = splitThoughts({ mode: 'seam', held: '' }, all.slice(end + CLOSE.length))
    return { state: rest.state, pieces: [...thought(all.slice(0, end)), ...rest.pieces] }
  }
  const safe = all.length - tailThatMayBecome(CLOSE, all)
  return { state: { mode: 'thought', held: all.slice(safe) }, pieces: thought(all.slice(0, safe)) }
}

function atSeam(all: string): Split {
  const bare = all.trimStart()
  return bare === ''
    ? { state: { mode: 'seam', held: '' }, pieces: [] }
    : { state: { mode: 'text', held: '' }, pieces: text(bare) }
}

/** The length of the longest end of `all` that is a beginning of `tag`. */
function tailThatMayBecome(tag: string, all: string): number {
  for (let length = Math.min(tag.length - 1, all.length); length > 0; length -= 1) {
    if (all.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
