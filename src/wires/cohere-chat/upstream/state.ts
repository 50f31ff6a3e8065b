/** A text block, with the key of its text and its start in that text (`base`), in code points. */
interface Block {
  readonly index: string
  readonly key: string
  readonly base: number
}

/** The fields that more of the same text does not change. */
interface DecoderProgress {
  readonly blocks: readonly Block[]
  /** The number of texts so far. Consecutive text blocks are one text. */
  readonly texts: number
  /** Whether the last content was text. */
  readonly inText: boolean
  /** The content in the start of a block until its first delta, which may repeat it. */
  readonly given: string
  /** The id of the answer; empty if it has none. */
  readonly message: string
  readonly over: boolean
  /** The number of frames that could not be read. */
  readonly noise: number
}

export interface CohereState {
  /** The length of the last text, in code points. */
  readonly length: number
  readonly progress: DecoderProgress
}

export const INITIAL: CohereState = {
  length: 0,
  progress: { blocks: [], texts: 0, inText: false, given: '', message: '', over: false, noise: 0 },
}

export const PLAN = 'plan'

export const textKey = (text: number): string => `text ${text}`

/** Ends the current text, because other content follows. Later text blocks belong to another text. */
export function leaveText(state: CohereState): CohereState {
  return state.progress.inText ? { length: state.length, progress: { ...state.progress, inText: false } } : state
}
