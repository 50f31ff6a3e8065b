import type { ContentKind } from '../protocol/delta.ts'
import type { Quirks } from './quirks.ts'

/** Where in an answer the thoughts of a model that writes them into its text are, and what is held back. */
export interface ThinkState {
  readonly mode: 'start' | 'unopened' | 'thought' | 'seam' | 'text'
  /** White space before what may become the first tag. It is kept by itself so that it is looked at once. */
  readonly blank: string
  /** Text that may still turn out to be (part of) a tag. */
  readonly held: string
}

export interface Piece {
  readonly kind: Extract<ContentKind, 'text' | 'reasoning'>
  readonly text: string
}

const OPEN = '<think>'
const CLOSE = '</think>'

const START: ThinkState = { mode: 'start', blank: '', held: '' }
const UNOPENED: ThinkState = { mode: 'unopened', blank: '', held: '' }
const THOUGHT: ThinkState = { mode: 'thought', blank: '', held: '' }
const SEAM: ThinkState = { mode: 'seam', blank: '', held: '' }
const TEXT: ThinkState = { mode: 'text', blank: '', held: '' }

/** Where an answer of this vendor begins. */
export function thinkStart({ thinkTags }: Quirks): ThinkState {
  if (thinkTags === 'unopened') return UNOPENED
  return thinkTags === true ? START : TEXT
}

/** Thoughts came in a field of their own: what comes as text then needs its opening tag to be a thought. */
export const thinkApart = (state: ThinkState): ThinkState =>
  state.mode === 'unopened' ? { ...state, mode: 'start' } : state

interface Split {
  readonly state: ThinkState
  readonly pieces: readonly Piece[]
}

const text = (said: string): readonly Piece[] => (said === '' ? [] : [{ kind: 'text', text: said }])
const thought = (said: string): readonly Piece[] => (said === '' ? [] : [{ kind: 'reasoning', text: said }])

/**
 * Takes `<think> … </think>` at the head of an answer out of its text. Tags may be cut anywhere; only what could still
 * be a tag is held back. White space before the first tag and after the last belongs to neither side. A piece costs what it
 * is long, whatever came before it.
 */
export function splitThoughts({ mode, blank, held }: ThinkState, said: string): Split {
  const all = held + said
  switch (mode) {
    case 'start':
    case 'unopened':
      return atStart(mode, blank, all)
    case 'thought':
      return inThought(all)
    case 'seam':
      return atSeam(all)
    case 'text':
      return { state: TEXT, pieces: text(all) }
  }
}

/** What is still held when the answer ends. */
export const heldThoughts = ({ mode, blank, held }: ThinkState): readonly Piece[] =>
  mode === 'thought' || mode === 'unopened' ? thought(blank + held) : mode === 'seam' ? [] : text(blank + held)

/** `all`: what follows the white space that was heard before. */
function atStart(mode: 'start' | 'unopened', before: string, all: string): Split {
  const bare = all.trimStart()
  if (bare.startsWith(OPEN)) return inThought(bare.slice(OPEN.length))
  const blank = before + all.slice(0, all.length - bare.length)
  if (OPEN.startsWith(bare)) return { state: { mode, blank, held: bare }, pieces: [] }
  return mode === 'unopened' ? inThought(blank + bare) : { state: TEXT, pieces: text(blank + bare) }
}

function inThought(all: string): Split {
  const end = all.indexOf(CLOSE)
  if (end >= 0) {
    const rest = atSeam(all.slice(end + CLOSE.length))
    return { state: rest.state, pieces: [...thought(all.slice(0, end)), ...rest.pieces] }
  }
  const safe = all.length - tailThatMayBecome(CLOSE, all)
  if (safe === all.length) return { state: THOUGHT, pieces: thought(all) }
  return { state: { mode: 'thought', blank: '', held: all.slice(safe) }, pieces: thought(all.slice(0, safe)) }
}

function atSeam(all: string): Split {
  const bare = all.trimStart()
  return bare === '' ? { state: SEAM, pieces: [] } : { state: TEXT, pieces: text(bare) }
}

/** The length of the longest end of `all` that is a beginning of `tag`. */
function tailThatMayBecome(tag: string, all: string): number {
  for (let length = Math.min(tag.length - 1, all.length); length > 0; length -= 1) {
    if (all.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
