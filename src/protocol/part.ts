/** One token with its log probability (OpenAI: `logprobs.content[]`). */
export interface Logprob {
  readonly token: string
  readonly logprob: number
  readonly bytes: readonly number[] | null
  readonly top_logprobs: readonly {
    readonly token: string
    readonly logprob: number
    readonly bytes: readonly number[] | null
  }[]
}

/**
 * A cited web page. Indices are offsets into the text of the same `output_text` part, end exclusive
 * (docs/description.md, 2.8).
 */
export interface UrlCitation {
  readonly type: 'url_citation'
  readonly url: string
  readonly title: string | null
  readonly start_index: number
  readonly end_index: number
  /** The excerpt that the upstream cited; null if it sent none. */
  readonly content: string | null
}

/** A place in a cited document: its characters, its pages, or the blocks of its content. */
export type SourcePlace = {
  readonly unit: 'char' | 'page' | 'block'
  readonly start: number
  readonly end: number
}

/**
 * A cited file; `index` is the position of the citation in the text. The other members have no form in the Responses
 * API: the start of the cited text, the excerpt of the source, and its place there.
 */
export interface FileCitation {
  readonly type: 'file_citation'
  readonly file_id: string
  readonly filename: string
  readonly index: number
  readonly start_index?: number
  readonly content?: string
  readonly place?: SourcePlace
}

export type Annotation = UrlCitation | FileCitation
export type AnnotationType = Annotation['type']

export interface OutputText {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly Annotation[]
  readonly logprobs: readonly Logprob[]
}

export interface Refusal {
  readonly type: 'refusal'
  readonly refusal: string
}

/** Raw reasoning text, in `content` of a reasoning item. */
export interface ReasoningText {
  readonly type: 'reasoning_text'
  readonly text: string
}

/** A summary of reasoning, in `summary` of a reasoning item. */
export interface SummaryText {
  readonly type: 'summary_text'
  readonly text: string
}

export type MessagePart = OutputText | Refusal
export type Part = MessagePart | ReasoningText | SummaryText
export type PartType = Part['type']
