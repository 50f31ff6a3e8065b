import type { ContentKind } from '../../../protocol/delta.ts'
import type { Quirks } from '../../quirks.ts'

/**
 * The state of splitting an answer whose model writes its reasoning into the text: the current position and the text
 * that is held back.
 */
export interface ThinkTagState {
  readonly mode: 'start' | 'unopened' | 'doubtful' | 'thought' | 'seam' | 'text'
  /**
   * White space before a possible first tag. It is kept apart from `held`, so that each character is examined only
   * once.
   */
  readonly blank: string
  /** Text that may still become (part of) a tag. */
  readonly held: string
  /**
   * The place from which reasoning is emitted: the tags in the text or a field of its own, whichever has it first. Some
   * vendors send the same reasoning in both (MiniMax, Ollama), so that the other place is then dropped. Empty while
   * neither had any.
   */
  readonly source: 'tags' | 'field' | ''
}

export interface TextFragment {
  readonly kind: Extract<ContentKind, 'text' | 'reasoning'>
  readonly text: string
}

const OPEN = '<think>'
const CLOSE = '</think>'

/** The states without held text. A chunk that does not change the state leaves the same object. */
const createStates = (source: ThinkTagState['source']): Readonly<Record<ThinkTagState['mode'], ThinkTagState>> => {
  const state = (mode: ThinkTagState['mode']): ThinkTagState => ({ mode, blank: '', held: '', source })
  return {
    start: state('start'),
    unopened: state('unopened'),
    doubtful: state('doubtful'),
    thought: state('thought'),
    seam: state('seam'),
    text: state('text'),
  }
}

const EMPTY = { '': createStates(''), tags: createStates('tags'), field: createStates('field') }

/** Returns the state at the beginning of an answer of this vendor. */
export function initialThinkTags({ thinkTags }: Quirks): ThinkTagState {
  if (thinkTags === 'unopened') return EMPTY[''].unopened
  return thinkTags === true ? EMPTY[''].start : EMPTY[''].text
}

/**
 * Returns the state after reasoning arrived in a field of its own; null if that reasoning repeats what the tags had. The
 * text that follows is reasoning only after an opening tag, and is dropped then, whether or not the vendor is known to
 * write such tags.
 */
export function withReasoningField(state: ThinkTagState): ThinkTagState | null {
  if (state.source !== '') return state.source === 'tags' ? null : state
  const mode = state.mode === 'unopened' ? 'start' : state.mode === 'text' ? 'doubtful' : state.mode
  return state.blank === '' && state.held === '' ? EMPTY.field[mode] : { ...state, mode, source: 'field' }
}

interface Split {
  readonly state: ThinkTagState
  readonly pieces: readonly TextFragment[]
}

const text = (content: string): readonly TextFragment[] => (content === '' ? [] : [{ kind: 'text', text: content }])

/** Reasoning inside tags, unless a field has it. */
const thought = (content: string, source: ThinkTagState['source']): readonly TextFragment[] =>
  content === '' || source === 'field' ? [] : [{ kind: 'reasoning', text: content }]

/** Returns the state in that mode after this reasoning inside tags. */
const after = (mode: ThinkTagState['mode'], content: string, source: ThinkTagState['source']): ThinkTagState =>
  EMPTY[source === '' && content.trim() !== '' ? 'tags' : source][mode]

/**
 * Splits `<think> … </think>` at the beginning of an answer from its text. Chunks may cut a tag at any character; only
 * text that may still become a tag is held back. White space before the first tag and after the last one is dropped. A
 * chunk costs its own length, independent of the text before it.
 */
export function splitThinkTags({ mode, blank, held, source }: ThinkTagState, content: string): Split {
  const all = held + content
  switch (mode) {
    case 'start':
    case 'unopened':
      return atStart(mode, blank, all, source)
    case 'doubtful':
      return mayBegin(content) ? atStart('start', blank, all, source) : { state: EMPTY[source].text, pieces: text(all) }
    case 'thought':
      return inThought(all, source)
    case 'seam':
      return atSeam(all, source)
    case 'text':
      return { state: EMPTY[source].text, pieces: text(all) }
  }
}

/** Returns the text that is still held back when the answer ends. */
export const heldText = ({ mode, blank, held, source }: ThinkTagState): readonly TextFragment[] =>
  mode === 'thought' || mode === 'unopened' ? thought(blank + held, source) : mode === 'seam' ? [] : text(blank + held)

/** Whether a text may begin with a tag. White space alone is text: the vendor is not known to write tags. */
function mayBegin(content: string): boolean {
  const bare = content.trimStart()
  return bare !== '' && (bare.startsWith(OPEN) || OPEN.startsWith(bare))
}

/** `all` is the text after the white space that arrived earlier. */
function atStart(mode: 'start' | 'unopened', before: string, all: string, source: ThinkTagState['source']): Split {
  const bare = all.trimStart()
  if (bare.startsWith(OPEN)) return inThought(bare.slice(OPEN.length), source)
  const blank = before + all.slice(0, all.length - bare.length)
  if (OPEN.startsWith(bare)) return { state: { mode, blank, held: bare, source }, pieces: [] }
  return mode === 'unopened'
    ? inThought(blank + bare, source)
    : { state: EMPTY[source].text, pieces: text(blank + bare) }
}

function inThought(all: string, source: ThinkTagState['source']): Split {
  const end = all.indexOf(CLOSE)
  if (end >= 0) {
    const words = all.slice(0, end)
    const rest = atSeam(all.slice(end + CLOSE.length), after('thought', words, source).source)
    return { state: rest.state, pieces: [...thought(words, source), ...rest.pieces] }
  }
  const safe = all.length - tailThatMayBecome(CLOSE, all)
  const words = all.slice(0, safe)
  const state = after('thought', words, source)
  return {
    state: safe === all.length ? state : { ...state, held: all.slice(safe) },
    pieces: thought(words, source),
  }
}

function atSeam(all: string, source: ThinkTagState['source']): Split {
  const bare = all.trimStart()
  return bare === '' ? { state: EMPTY[source].seam, pieces: [] } : { state: EMPTY[source].text, pieces: text(bare) }
}

/** Returns the length of the longest suffix of `all` that is a proper prefix of `tag`. */
function tailThatMayBecome(tag: string, all: string): number {
  for (let length = Math.min(tag.length - 1, all.length); length > 0; length -= 1) {
    if (all.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
