import type { Party } from '../../protocol/error.ts'
import { formatLoss, type Loss, reportedLosses } from '../../protocol/loss.ts'
import type { ResponseStatus } from '../../protocol/response.ts'
import type { Usage } from '../../protocol/usage.ts'

/** An upstream that a request goes to. */
export interface Attempted {
  readonly vendor: string
  /** The member of the vendor's pool; null if it has none. */
  readonly member: string | null
  /** The vendor's own name of the model. */
  readonly model: string
}

/** One attempt at an upstream for a request. */
export interface Attempt extends Attempted {
  /** The code of its failure, or the reason why it was skipped; null if the client has its answer. */
  readonly error: string | null
  /**
   * The upstream was not called: its breaker is open, its retry budget is spent, or the request cannot be encoded for
   * it.
   */
  readonly isSkipped: boolean
}

/** A text that one upstream has begun and another one continues. */
type ContinuedText = {
  readonly from: string
  readonly to: string
  /** The length of the text of the first one. */
  readonly characters: number
}

/**
 * A step of an exchange. An entry is flat, and has no field that could contain a prompt, a body, a secret or the
 * value of a header: the journal of a stream stays small, and may be shown.
 */
export type JournalEntry =
  | { readonly type: 'received'; readonly id: string; readonly method: string }
  /** The pattern of a known route. Metrics count by it. */
  | { readonly type: 'matched'; readonly path: string }
  /** The path of a request that belongs to no route, as `loggedPath` shows it. */
  | { readonly type: 'unmatched'; readonly path: string }
  /** The name of the key, its id, and its label in metrics. */
  | { readonly type: 'admitted'; readonly key: string; readonly owner?: string; readonly label?: string | null }
  /** The dialect or the protocol of the answer, and the wire of the client. */
  | { readonly type: 'opened'; readonly dialect: string; readonly client: string }
  /** The model as the client named it. */
  | { readonly type: 'read'; readonly stream: boolean; readonly model: string | null }
  /** `preferred`: the vendor and the member of its pool that the conversation prefers. */
  | ({ readonly type: 'routed'; readonly wire: string; readonly preferred?: string | null } & Attempted)
  /** Lines of configuration for what refusals have shown about the model. */
  | { readonly type: 'learned'; readonly lines: readonly string[] }
  /** `edits`: those of the client's own body that is passed through; null if the hub encoded the request. */
  | { readonly type: 'encoded'; readonly losses: readonly Loss[]; readonly edits: readonly string[] | null }
  /** A further upstream request of the same exchange. */
  | { readonly type: 'encoded more'; readonly losses: readonly Loss[] }
  /** An attempt is over, or is not made. */
  | ({ readonly type: 'attempted' } & Attempt)
  /** The message of the upstream for the attempt before, masked. Only where the operator has switched it on. */
  | { readonly type: 'explained'; readonly message: string }
  | ({ readonly type: 'continued' } & ContinuedText)
  /** A whole answer was sent to the client, or its beginning. */
  | { readonly type: 'sent'; readonly status: number }
  | ({ readonly type: 'answered' } & AnswerFacts)
  /** The origin of a count of tokens: `upstream` counted, or the basis of an estimate. */
  | { readonly type: 'counted'; readonly basis: 'upstream' | 'model' | 'vendor' | 'default' }
  /** `status`: of an answer that was written without a reply, or that a client which has left would have received. */
  | { readonly type: 'failed'; readonly code: string; readonly party: Party | null; readonly status?: number }
  /** The gateway breaks the answer off. The reason of an earlier failure stays. */
  | { readonly type: 'cut'; readonly code: string; readonly party: Party }
  | Moment

/** The end of an upstream's answer, without its text. */
interface AnswerFacts {
  readonly outcome: ResponseStatus
  readonly usage: Usage | null
  readonly edits: readonly string[]
  readonly losses: readonly string[]
  readonly error: string | null
  readonly party: Party | null
  /** Frames of the upstream that were translated. */
  readonly chunks: number
  readonly responseId: string | null
  /** The model that the upstream reports; null if it reports none. */
  readonly model: string | null
  readonly finishReason: string
}

/**
 * The entries that have only a time. `head`: that of the upstream's answer, or its failure. `streaming`: the head of a
 * stream was sent to the client. `wrote nothing`: the upstream that was called to continue an answer has failed before
 * it did. `warm`: the upstream is not called for this request. `gone`: the client has left.
 */
const MARKS = [
  ...(['called', 'head', 'first token', 'streaming', 'first byte', 'retried', 'wrote nothing'] as const),
  ...(['warm', 'gone', 'ended'] as const),
] as const
type Moment = { readonly type: (typeof MARKS)[number] }

type EntryOf<T extends JournalEntry['type']> = Extract<JournalEntry, { readonly type: T }>

/** Shared by all journals, because each open stream has some of them. */
const SHARED = Object.fromEntries(MARKS.map((type) => [type, { type }])) as Readonly<Record<Moment['type'], Moment>>

/** The entries of one exchange, in the order in which they happened. Few for each call of an upstream, none for a chunk. */
export class Journal {
  entries: JournalEntry[] = []
  /** The time of each entry, in milliseconds since the exchange began. A list of numbers takes less memory than members. */
  times: number[] = []
  private readonly startedAt = performance.now()

  constructor(id: string, method: string) {
    this.add({ type: 'received', id, method })
  }

  add(entry: JournalEntry): void {
    this.entries.push(entry)
    this.times.push(Math.round((performance.now() - this.startedAt) * 10) / 10)
  }

  mark(moment: Moment['type']): void {
    this.add(SHARED[moment])
  }

  /** Gives back the room for further entries: the next one belongs to the end of an answer that may last for hours. */
  trim(): void {
    this.entries = this.entries.slice()
    this.times = this.times.slice()
  }

  last<T extends JournalEntry['type']>(type: T): EntryOf<T> | undefined {
    return this.entries.findLast((entry): entry is EntryOf<T> => entry.type === type)
  }

  /** True if anything of the exchange has failed, which a later attempt may have mended. */
  hasFailed(): boolean {
    return this.entries.some(
      (entry) => entry.type === 'failed' || entry.type === 'cut' || (entry.type === 'answered' && entry.error !== null),
    )
  }
}

/** An attempt that has ended, with the times of its call. */
export interface TimedAttempt extends Attempt {
  /** The message of the upstream about its failure, masked; null if it is not kept. */
  readonly message: string | null
  readonly startMs: number | null
  readonly endMs: number | null
}

/** An exchange so far. The log line has the fields that `FIELDS` lists (`telemetry/log.ts`), under these names. */
class State {
  request_id = ''
  method = ''
  path: string | null = null
  unknown_path: string | null = null
  status: number | null = null
  key: string | null = null
  key_label: string | null = null
  model: string | null = null
  vendor: string | null = null
  member: string | null = null
  preferred: string | null = null
  dialect: string | null = null
  stream: boolean | null = null
  upstream_ms: number | null = null
  first_byte_ms: number | null = null
  first_token_ms: number | null = null
  duration_ms: number | null = null
  outcome: ResponseStatus | null = null
  usage: Usage | null = null
  counted: EntryOf<'counted'>['basis'] | null = null
  losses: readonly string[] = []
  edits: readonly string[] | null = null
  learned: readonly string[] | null = null
  continued: readonly ContinuedText[] | null = null
  /** Attempts after the first one failed. */
  retries = 0
  attempts: readonly TimedAttempt[] = []
  error: string | null = null
  party: Party | null = null
  chunks: number | null = null
  client_gone = false
  owner: string | null = null
  client: string | null = null
  wire: string | null = null
  askedModel: string | null = null
  answer: EntryOf<'answered'> | null = null
  /** The time of the call that has not ended; null if there is none. */
  calledMs: number | null = null
}

/** The fold of a journal, from which log line, trace, row of the page and metrics are made. */
export type Summary = Readonly<State>

/** Also of an exchange that goes on. */
export function summaryOf({ entries, times }: Pick<Journal, 'entries' | 'times'>): Summary {
  const state = new State()
  for (const [index, entry] of entries.entries()) apply(entry.type, state, entry, times[index] ?? 0)
  return state
}

const apply = <T extends JournalEntry['type']>(type: T, state: State, entry: EntryOf<T>, at: number): void =>
  CHANGES[type](state, entry, at)

type Changes = { readonly [T in JournalEntry['type']]: (state: State, entry: EntryOf<T>, at: number) => void }

/** The changes of a state by each entry, after those before it. In place, because each exchange is folded several times. */
const CHANGES: Changes = {
  received(state, { id, method }) {
    state.request_id = id
    state.method = method
  },
  matched(state, { path }) {
    state.path = path
  },
  unmatched(state, { path }) {
    state.unknown_path = path
  },
  admitted(state, { key, owner = null, label = null }) {
    state.key = key
    state.owner = owner
    state.key_label = label
  },
  opened(state, { dialect, client }) {
    state.dialect = dialect
    state.client = client
  },
  read(state, { stream, model }) {
    state.stream = stream
    state.askedModel = model
  },
  routed(state, { vendor, member, model, wire, preferred }) {
    state.vendor = vendor
    state.member = member
    state.model = model
    state.wire = wire
    state.preferred = preferred ?? state.preferred
  },
  learned(state, { lines }) {
    state.learned = lines.length === 0 ? null : lines
  },
  // An earlier attempt at another upstream may have had losses.
  encoded(state, { losses, edits }) {
    state.losses = formatted(losses)
    state.edits = edits
  },
  'encoded more'(state, { losses }) {
    state.losses = joined(state.losses, formatted(losses))
  },
  called(state, _, at) {
    state.calledMs = at
  },
  head(state, _, at) {
    state.upstream_ms = at
  },
  'first token'(state, _, at) {
    state.first_token_ms ??= at
  },
  attempted(state, { vendor, member, model, error, isSkipped }, at) {
    const [startMs, endMs] = isSkipped ? [null, null] : [state.calledMs, at]
    state.attempts = [...state.attempts, { vendor, member, model, error, isSkipped, startMs, endMs, message: null }]
    if (!isSkipped) state.calledMs = null
  },
  explained(state, { message }) {
    const last = state.attempts.at(-1)
    if (last !== undefined) state.attempts = [...state.attempts.slice(0, -1), { ...last, message }]
  },
  // The log names the failure of the last attempt only.
  retried(state) {
    state.retries += 1
    state.error = null
    state.party = null
  },
  continued(state, { from, to, characters }) {
    state.continued = [...(state.continued ?? []), { from, to, characters }]
  },
  'wrote nothing'(state) {
    const kept = state.continued?.slice(0, -1) ?? []
    state.continued = kept.length === 0 ? null : kept
  },
  streaming(state) {
    state.status = 200
  },
  'first byte'(state, _, at) {
    state.first_byte_ms ??= at
  },
  sent(state, { status }, at) {
    state.status = status
    state.first_byte_ms = at
  },
  answered(state, answer) {
    const { outcome, usage, chunks, edits, error, party, losses } = answer
    state.answer = answer
    state.outcome = outcome
    state.usage = usage
    state.chunks = chunks
    if (edits.length > 0) state.edits = [...new Set([...(state.edits ?? []), ...edits])]
    // After a failure, a retry may follow, which has losses of its own.
    state.losses = error === null ? joined(state.losses, losses) : [...state.losses, ...losses]
    state.error = error ?? state.error
    state.party = party ?? state.party
  },
  warm(state) {
    state.outcome = 'completed'
  },
  counted(state, { basis }) {
    state.counted = basis
  },
  failed(state, { code, party, status }) {
    state.error = code
    state.party = party
    state.status = status ?? state.status
  },
  cut(state, { code, party }) {
    state.error ??= code
    state.party ??= party
  },
  gone(state) {
    state.client_gone = true
  },
  ended(state, _, at) {
    state.duration_ms = at
  },
}

const NO_LOSSES: readonly string[] = []

const formatted = (losses: readonly Loss[]): readonly string[] =>
  losses.length === 0 ? NO_LOSSES : reportedLosses(losses).map(formatLoss)

/** Each loss is listed once. */
const joined = (before: readonly string[], losses: readonly string[]): readonly string[] =>
  before.length === 0 && losses.length === 0 ? NO_LOSSES : [...new Set([...before, ...losses])]
