import { EMPTY_LIST, type List } from '../../../collections/list.ts'
import { EMPTY_QUEUE, type Queue } from '../../../collections/queue.ts'
import type { SortedMap, SortedSet } from '../../../collections/sorted-map.ts'
import type { Citation, Delta } from '../../../protocol/delta.ts'
import type { Json, JsonRecord } from '../../../protocol/json.ts'
import type { Served } from '../../../protocol/served.ts'
import type { MeasuredText } from '../../../responses/measured-text.ts'
import type { ArgsPiece } from '../partial-args.ts'
import { beginsAnswer } from '../terms.ts'
import type { SignatureSpan } from '../thought-signatures.ts'

/** Consecutive parts that are all text or all reasoning. A part of another kind ends the run. */
export interface Run {
  readonly kind: 'text' | 'summary'
  readonly key: string
  /** The signed parts of the run. */
  readonly marks: List<SignatureSpan>
}

/** A finished text, kept because offsets of citations count through all texts of the answer. */
export interface PastText {
  readonly key: string
  readonly text: string
  /** The item of the text is still open. */
  readonly held: boolean
}

/** A call whose arguments are still incomplete. */
export interface StartedCall {
  readonly key: string
  /** The upstream's id of the call; empty if there is none. */
  readonly id: string
  /** The arguments of the first part of the call. */
  readonly args: Json
  /** The pieces after the first part, without the string that is still growing. */
  readonly pieces: List<ArgsPiece>
  /** The path of that string; empty if the last piece was no string. */
  readonly growing: string
}

/** A step of a tool that the upstream runs, until its result arrives. */
export interface OpenStep {
  readonly key: string
  readonly part: JsonRecord
}

/** The open steps of code execution, or those of other server tools. */
export interface OpenSteps {
  readonly open: SortedMap<number, OpenStep>
  /** Numbers of all steps in order, and of the steps of each id (`byId`). Finished steps may be among them. */
  readonly order: Queue<number>
  readonly byId: SortedMap<string, Queue<number>>
}

const NO_STEPS: OpenSteps = { open: null, order: EMPTY_QUEUE, byId: null }

/** A citation whose quote is not at its offsets. It is placed when all texts have arrived. */
interface UnplacedCitation {
  readonly source: GroundingSource
  readonly segment: Segment
}

/** A cited span, in UTF-8 bytes of all text of the answer. `quote`: the cited text, empty if the upstream omits it. */
export interface Segment {
  readonly start: number
  readonly end: number
  readonly quote: string
}

export type GroundingSource = Pick<Citation, 'url' | 'title' | 'content' | 'file'>

/** The searches behind a grounded answer. */
export interface SearchStep {
  readonly queries: readonly string[]
  readonly sources: readonly FoundPage[]
}

export interface FoundPage {
  readonly url: string
  readonly title: string | null
}

/** `text`: its arguments; empty if they come in pieces. */
export interface NamedCall {
  readonly key: string
  readonly name: string
  readonly text: string
}

/** The fields that change seldom, so that a piece of text does not copy them. */
export interface DecoderProgress {
  readonly model: string
  /** The number of keys assigned so far. */
  readonly keys: number
  readonly run: Run | null
  readonly texts: List<PastText>
  /** The start of each counted text, and the length of all counted texts (`bytes`), in UTF-8 bytes. */
  readonly starts: List<number>
  readonly bytes: number
  /** The texts that were measured, by index. */
  readonly measured: SortedMap<number, MeasuredText>
  readonly unplaced: List<UnplacedCitation>
  /** The call of the last piece, and others whose arguments are incomplete, by their keys. */
  readonly call: StartedCall | null
  readonly waiting: SortedMap<string, StartedCall>
  /** The calls so far, by the upstream's ids. */
  readonly callIds: SortedMap<string, NamedCall>
  readonly code: OpenSteps
  readonly tools: OpenSteps
  /** Parts of those steps, which go back unchanged, and whether one of them is signed (`signed`). */
  readonly raw: List<Json>
  readonly signed: boolean
  /** Citations are expected, and texts are held open for them. */
  readonly grounded: boolean
  /** Citations and pages that were emitted. */
  readonly emitted: SortedSet<string>
  readonly search: SearchStep
  /** A search was emitted as a step of its own. */
  readonly searched: boolean
  /** Items that are emitted at the end, because they must not split the open text. */
  readonly later: List<Delta>
  readonly finish: string
  readonly finishMessage: string
  readonly served: Served
  readonly blocked: boolean
  /** Whether each candidate beside the first one has ended, by its index, and the number of those that have not. */
  readonly candidates: SortedMap<string, boolean>
  readonly openCandidates: number
  readonly hasContent: boolean
  /** A part of the answer has arrived: see `beginsAnswer`. */
  readonly started: boolean
  /** The upstream indicated the end of the answer without a finish reason. */
  readonly ended: boolean
  /** A tool of the upstream has returned its result since the last finish reason: the model continues with it. */
  readonly resumed: boolean
  readonly over: boolean
  /** The number of frames that could not be read. */
  readonly noise: number
}

/** A piece of text changes only `runText`, a piece of a long argument only `grown`. */
export interface GeminiState {
  readonly runText: string
  /** The string at `call.growing`, as received so far. */
  readonly grown: string
  readonly progress: DecoderProgress
}

export const INITIAL: GeminiState = {
  runText: '',
  grown: '',
  progress: {
    model: '',
    keys: 0,
    run: null,
    texts: EMPTY_LIST,
    starts: EMPTY_LIST,
    bytes: 0,
    measured: null,
    unplaced: EMPTY_LIST,
    call: null,
    waiting: null,
    callIds: null,
    code: NO_STEPS,
    tools: NO_STEPS,
    raw: EMPTY_LIST,
    signed: false,
    grounded: false,
    emitted: null,
    search: { queries: [], sources: [] },
    searched: false,
    later: EMPTY_LIST,
    finish: '',
    finishMessage: '',
    served: {},
    blocked: false,
    candidates: null,
    openCandidates: 0,
    hasContent: false,
    started: false,
    ended: false,
    resumed: false,
    over: false,
    noise: 0,
  },
}

export const updateProgress = (state: GeminiState, changed: Partial<DecoderProgress>): GeminiState => ({
  runText: state.runText,
  grown: state.grown,
  progress: { ...state.progress, ...changed },
})

/** Notes a chunk that begins the answer. */
export const begin = (state: GeminiState, chunk: JsonRecord): GeminiState =>
  state.progress.started || !beginsAnswer(chunk) ? state : updateProgress(state, { started: true })
