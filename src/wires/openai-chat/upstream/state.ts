import { EMPTY_LIST, type List } from '../../../collections/list.ts'
import type { SortedSet } from '../../../collections/sorted-map.ts'
import type { ContentDelta, ContentKind } from '../../../protocol/delta.ts'
import type { Json } from '../../../protocol/json.ts'
import type { Logprob } from '../../../protocol/part.ts'
import type { Served } from '../../../protocol/served.ts'
import type { Usage } from '../../../protocol/usage.ts'
import type { Quirks } from '../../quirks.ts'
import { initialThinkTags, type ThinkTagState } from '../../shared/upstream/think-tags.ts'
import { type Details, NO_ENTRIES } from '../reasoning-details.ts'
import { NO_BLOCKS, type SignedBlocks } from '../signatures.ts'
import { NO_OTHERS, type OtherChoices } from './other-choices.ts'

export interface ChatState {
  readonly model: string
  /**
   * The call that a fragment without index belongs to, its id and name, and the number of calls without index so far.
   */
  readonly call: string
  readonly callId: string
  readonly callName: string
  readonly calls: number
  /** Entries of `reasoning_details` that are not sealed yet. */
  readonly details: Details
  /** Blocks of reasoning that are not sealed yet. */
  readonly blocks: SignedBlocks
  /** The place of the readable reasoning. Other places repeat it. */
  readonly reasoningIn: 'field' | 'blocks' | ''
  /** The signatures of calls and messages so far, and the payloads of those that are emitted at the end. */
  readonly signatures: SortedSet<string>
  readonly later: List<Json>
  /** Choices beside the first one. */
  readonly others: OtherChoices
  /** The number of numbered sources that were emitted. */
  readonly sources: number
  /** In the vendor's own counts. */
  readonly usage: Usage | null
  readonly served: Served
  readonly hasContent: boolean
  readonly hasText: boolean
  /** A call has begun, also one without a name. */
  readonly called: boolean
  /** The finish reason stands for calls. */
  readonly endsWithCalls: boolean
  readonly finished: boolean
  readonly over: boolean
  /** The number of frames that could not be parsed. */
  readonly noise: number
  readonly think: ThinkTagState
  /** A whole answer, not a stream. */
  readonly whole: boolean
  /** The request asked for JSON output. */
  readonly json: boolean
}

export const initialState = (quirks: Quirks): ChatState => ({
  model: '',
  call: '',
  callId: '',
  callName: '',
  calls: 0,
  details: NO_ENTRIES,
  blocks: NO_BLOCKS,
  reasoningIn: '',
  signatures: null,
  later: EMPTY_LIST,
  others: NO_OTHERS,
  sources: 0,
  usage: null,
  served: {},
  hasContent: false,
  hasText: false,
  called: false,
  endsWithCalls: false,
  finished: false,
  over: false,
  noise: 0,
  think: initialThinkTags(quirks),
  whole: false,
  json: quirks.jsonAnswer === true,
})

/** Keys of the items of a chat answer: it has one message and one reasoning item. */
export const MESSAGE = 'message'
export const REASONING = 'thought'

export const contentDelta = (
  kind: ContentKind,
  text: string,
  logprobs: readonly Logprob[] | null = null,
): ContentDelta => ({
  kind,
  key: kind === 'text' || kind === 'refusal' ? MESSAGE : REASONING,
  part: '',
  text,
  logprobs,
})
