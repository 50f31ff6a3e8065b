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

/** A cited web page. Indices are offsets into the text of the same output_text part, end exclusive (description, section 2.8). */
export interface UrlCitation {
  readonly type: 'url_citation'
  readonly url: string
  readonly title: string | null
  readonly start_index: number
  readonly end_index: number
  /** The excerpt the upstream cited, where it gave one. */
  readonly content: string | null
}

/** A cited file; `index` is where in the text the citation stands. */
export interface FileCitation {
  readonly type: 'file_citation'
  readonly file_id: string
  readonly filename: string
  readonly index: number
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

/** Raw thoughts, in `content` of a reasoning item. */
export interface ReasoningText {
  readonly type: 'reasoning_text'
  readonly text: string
}

/** A summary of thoughts, in `summary` of a reasoning item. */
export interface SummaryText {
  readonly type: 'summary_text'
  readonly text: string
}

export type MessagePart = OutputText | Refusal
export type Part = MessagePart | ReasoningText | SummaryText
export type PartType = Part['type']
