/** A JSON object of the vendor: any field may be anything. */
export type Bag = Readonly<Record<string, unknown>>

/** A content block of text: which text it is part of, and where in it it begins, in code points. */
export interface Block {
  readonly index: string
  readonly key: string
  readonly base: number
}

/** What changes when something other than more of the same text is said. */
export interface Story {
  readonly blocks: readonly Block[]
  /** How many texts have begun: blocks of text that follow one another are one. */
  readonly texts: number
  /** Is text what was said last? */
  readonly inText: boolean
  /** The call that has begun and has no arguments yet. */
  readonly bareCall: string
  readonly over: boolean
  /** Frames that could not be read. */
  readonly noise: number
}

export interface CohereState {
  /** Of the text that was begun last, in code points. */
  readonly length: number
  readonly story: Story
}

export const INITIAL: CohereState = {
  length: 0,
  story: { blocks: [], texts: 0, inText: false, bareCall: '', over: false, noise: 0 },
}

export const PLAN = 'plan'

export const textKey = (text: number): string => `text ${text}`

/** Something other than text is said: text that follows is another one. */
export function leaveText(state: CohereState): CohereState {
  return state.story.inText ? { length: state.length, story: { ...state.story, inText: false } } : state
}
