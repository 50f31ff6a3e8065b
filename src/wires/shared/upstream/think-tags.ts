import type { ContentKind } from '../../../protocol/delta.ts'
import type { Quirks } from '../../quirks.ts'

/**
 * The state of splitting an answer whose model writes its reasoning into the text: the current position and the text
 * that is held back.
 */
export interface ThinkTagState {
  readonly mode: 'start' | 'unopened' | 'thought' | 'seam' | 'text'
  /**
   * White space before a possible first tag. It is kept apart from `held`, so that each character is examined only
   * once.
   */
  readonly blank: string
  /** Text that may still become (part of) a tag. */
  readonly held: string
}

export interface TextFragment {
  readonly kind: Extract<ContentKind, 'text' | 'reasoning'>
  readonly text: string
}

const OPEN = '<think>'
const CLOSE = '</think>'

const START: ThinkTagState = { mode: 'start', blank: '', held: '' }
const UNOPENED: ThinkTagState = { mode: 'unopened', blank: '', held: '' }
const THOUGHT: ThinkTagState = { mode: 'thought', blank: '', held: '' }
const SEAM: ThinkTagState = { mode: 'seam', blank: '', held: '' }
const TEXT: ThinkTagState = { mode: 'text', blank: '', held: '' }

/** Returns the state at the beginning of an answer of this vendor. */
export function initialThinkTags({ thinkTags }: Quirks): ThinkTagState {
  if (thinkTags === 'unopened') return UNOPENED
  return thinkTags === true ? START : TEXT
}

/**
 * Returns the state after reasoning arrived in a separate field: text is reasoning only after an opening tag from then
 * on.
 */
export const withoutLeadingTag = (state: ThinkTagState): ThinkTagState =>
  state.mode === 'unopened' ? { ...state, mode: 'start' } : state

interface Split {
  readonly state: ThinkTagState
  readonly pieces: readonly TextFragment[]
}

const text = (content: string): readonly TextFragment[] => (content === '' ? [] : [{ kind: 'text', text: content }])
const thought = (content: string): readonly TextFragment[] =>
  content === '' ? [] : [{ kind: 'reasoning', text: content }]

/**
 * Splits `<think> … </think>` at the beginning of an answer from its text. Chunks may cut a tag at any character; only
 * text that may still become a tag is held back. White space before the first tag and after the last one is dropped. A
 * chunk costs its own length, independent of the text before it.
 */
export function splitThinkTags({ mode, blank, held }: ThinkTagState, content: string): Split {
  const all = held + content
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

/** Returns the text that is still held back when the answer ends. */
export const heldText = ({ mode, blank, held }: ThinkTagState): readonly TextFragment[] =>
  mode === 'thought' || mode === 'unopened' ? thought(blank + held) : mode === 'seam' ? [] : text(blank + held)

/** `all` is the text after the white space that arrived earlier. */
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

/** Returns the length of the longest suffix of `all` that is a proper prefix of `tag`. */
function tailThatMayBecome(tag: string, all: string): number {
  for (let length = Math.min(tag.length - 1, all.length); length > 0; length -= 1) {
    if (all.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
