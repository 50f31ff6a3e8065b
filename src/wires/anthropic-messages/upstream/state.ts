import { EMPTY_LIST, type List } from '../../../collections/list.ts'
import type { Queue } from '../../../collections/queue.ts'
import { mapGet, mapSet, mapValues, type SortedMap } from '../../../collections/sorted-map.ts'
import type { Citation, ContentDelta, ContentKind, FinishReason } from '../../../protocol/delta.ts'
import type { JsonObject, JsonRecord } from '../../../protocol/json.ts'
import { isNonEmptyString, isObject } from '../../../text/json.ts'
import type { TokenCounts } from './usage.ts'

/** A tool that the vendor runs itself, as far as it is known. `input` is the JSON text of its input. */
export interface ServerTool {
  readonly key: string
  readonly id: string
  readonly name: string
  /** The server of an MCP tool; null for the vendor's own tools. */
  readonly server: string | null
  readonly input: string
  /** The block of its call as it began; null if the call was in an earlier answer. */
  readonly call: JsonObject | null
}

/** A page that `web_fetch` has read. */
export interface FetchedPage {
  readonly url: string
  readonly title: string
}

/** An open content block; `index` is the vendor's index of it. */
export type Block =
  | {
      readonly kind: 'text'
      readonly index: string
      readonly key: string
      /** The offset of the block in its run of text, in UTF-16 units. */
      readonly start: number
      readonly citations: List<Citation>
      /** The text in the start of the block until its first delta, which may repeat it (MiniMax). */
      readonly given: string
    }
  | {
      readonly kind: 'thought'
      readonly index: string
      readonly key: string
      readonly signature: string
      readonly given: string
    }
  | {
      readonly kind: 'call'
      readonly index: string
      readonly key: string
      readonly id: string
      readonly name: string
      /** The toolset that the tool belongs to; empty if it belongs to none. */
      readonly toolset: string
      /** The whole input in the start of the block, as JSON text; used only if no fragments follow. */
      readonly input: string
      /** Whether only a repetition of the start has the input. */
      readonly isLate: boolean
      readonly emitted: boolean
    }
  /** `given` is the input in the start of the block; fragments are appended to `tool.input`. */
  | { readonly kind: 'server'; readonly index: string; readonly tool: ServerTool; readonly given: string }
  | {
      readonly kind: 'compaction'
      readonly index: string
      readonly key: string
      readonly text: string
      /** Its fields beside the content. */
      readonly fields: JsonObject
    }
  /** A block without further output: its deltas are ignored. */
  | { readonly kind: 'other'; readonly index: string }

/** A block of text or reasoning. */
export type TextBlock = Extract<Block, { readonly kind: 'text' | 'thought' }>

export const isTextBlock = (block: Block | undefined): block is TextBlock =>
  block?.kind === 'text' || block?.kind === 'thought'

/** An open block and its position among all blocks, which are closed in the order in which they began. */
interface OpenBlock {
  readonly block: Block
  readonly order: number
  /** Its position among the blocks of a client; null if it is late content of an earlier one. */
  readonly place: number | null
}

/** The callers of the client's tools: the model, or only code that it runs, which may have its results already. */
export type Calls = 'none' | 'of code' | 'direct'

/** Whether code calls a tool (programmatic tool calling). */
export const isOfCode = ({ caller }: JsonRecord): boolean =>
  isObject(caller) && isNonEmptyString(caller.type) && caller.type !== 'direct'

/** The calls with a further block. */
export const withCallOf = (calls: Calls, block: JsonRecord): Calls =>
  calls === 'direct' || !isOfCode(block) ? 'direct' : 'of code'

/** The fields of the state that change seldom. */
interface DecoderProgress {
  readonly model: string
  readonly started: boolean
  /** The vendor's id of the message. */
  readonly message: string
  /** The number of items so far, from which each item gets a unique key. */
  readonly items: number
  /** The key of the run of text that may continue; empty after an item of another kind. */
  readonly run: string
  /** Open content blocks, by the vendor's index. */
  readonly blocks: SortedMap<string, OpenBlock>
  /** The index of the open block that is not a tool; null if there is none. */
  readonly lone: string | null
  /** The number of blocks of the message that have begun. */
  readonly blockCount: number
  /** The number of them that clients know, and the kind of each. */
  readonly starts: number
  readonly kinds: SortedMap<number, Block['kind']>
  /** The calls of the client's tools that have begun. */
  readonly calls: Calls
  /** The number of them that are open. */
  readonly openCalls: number
  /** Server tools whose results have not arrived, by id. */
  readonly tools: SortedMap<string, Queue<ServerTool>>
  /** The pages that `web_fetch` has read: documents that citations may refer to. */
  readonly pages: List<FetchedPage>
  /** The id of the container in which code runs; empty while it is unknown. */
  readonly container: string
  readonly counts: TokenCounts | null
  readonly finish: FinishReason | null
  /** The members of the event with the stop reason; null before it. */
  readonly stop: JsonObject | null
  /** The stop reason announces calls. */
  readonly called: boolean
  readonly over: boolean
  /** The number of unreadable frames. */
  readonly noise: number
  /** A stream that is passed on: its client has the blocks of all its starts. */
  readonly passed: boolean
}

/** The decoder's state, flat for speed: a text delta changes `length` alone, a thinking delta `reasoning` alone. */
export interface MessagesState {
  /** The length of the run of text so far, in UTF-16 units. */
  readonly length: number
  /** The text of the open thinking block. */
  readonly reasoning: string
  readonly progress: DecoderProgress
}

export const INITIAL: MessagesState = {
  length: 0,
  reasoning: '',
  progress: {
    model: '',
    started: false,
    message: '',
    items: 0,
    run: '',
    blocks: null,
    lone: null,
    blockCount: 0,
    starts: 0,
    kinds: null,
    calls: 'none',
    openCalls: 0,
    tools: null,
    pages: EMPTY_LIST,
    container: '',
    counts: null,
    finish: null,
    stop: null,
    called: false,
    over: false,
    noise: 0,
    passed: false,
  },
}

export const updateProgress = (state: MessagesState, change: Partial<DecoderProgress>): MessagesState => ({
  length: state.length,
  reasoning: state.reasoning,
  progress: { ...state.progress, ...change },
})

/** The original blocks that the next request sends back to the vendor, in the order of their items. */
export type Sealed = JsonObject &
  (
    | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
    | { readonly type: 'redacted_thinking'; readonly data: string }
    | { readonly type: 'compaction'; readonly content: string | null }
    /** A call of a server tool and its result: both, or the one that this answer contained. */
    | { readonly type: 'server_tool'; readonly blocks: readonly JsonObject[] }
  )

/** Whether a start has the id of the message that has started. */
export const repeatsStart = ({ progress }: MessagesState, message: JsonRecord): boolean =>
  progress.started && isNonEmptyString(message.id) && message.id === progress.message

export const findBlock = ({ progress }: MessagesState, index: string): Block | undefined =>
  mapGet(progress.blocks, index)?.block

/** Returns the open blocks in the order in which they began. O(n log n). */
export const openBlocks = ({ progress }: MessagesState): readonly Block[] =>
  mapValues(progress.blocks)
    .sort((a, b) => a.order - b.order)
    .map(({ block }) => block)

const isTool = ({ kind }: Block): boolean => kind === 'call' || kind === 'server'

export const withBlock = (state: MessagesState, block: Block): MessagesState => {
  const { blocks, openCalls, lone, blockCount, starts, kinds } = state.progress
  return updateProgress(state, {
    blocks: mapSet(blocks, block.index, { block, order: blockCount, place: starts }),
    openCalls: openCalls + Number(block.kind === 'call'),
    lone: isTool(block) ? lone : block.index,
    blockCount: blockCount + 1,
    starts: starts + 1,
    kinds: mapSet(kinds, starts, block.kind),
  })
}

/**
 * Notes that the block which has just begun under this index did so without a start. Under the index of an earlier block
 * of its kind it is late content of that one for clients, and gets no place.
 */
export function withoutStart(state: MessagesState, index: string): MessagesState {
  const { blocks, starts, kinds } = state.progress
  const open = mapGet(blocks, index)
  const isLate = index !== '' && Number(index) < starts - 1 && mapGet(kinds, Number(index)) === open?.block.kind
  return open === undefined || !isLate
    ? state
    : updateProgress(state, { blocks: mapSet(blocks, index, { ...open, place: null }), starts: starts - 1 })
}

export function replaceBlock(state: MessagesState, block: Block): MessagesState {
  const open = mapGet(state.progress.blocks, block.index)
  return open === undefined
    ? state
    : updateProgress(state, { blocks: mapSet(state.progress.blocks, block.index, { ...open, block }) })
}

export const contentDelta = (kind: ContentKind, key: string, text: string): ContentDelta => ({
  kind,
  key,
  part: '',
  text,
  logprobs: null,
})
