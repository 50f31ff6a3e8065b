import { MAX_LENGTHS } from './limits.ts'

/**
 * The effect on a value that a wire cannot carry as it is. `refused` ends the request; with the other two it continues.
 */
type LossAction = 'mapped' | 'dropped' | 'refused'

/** A parameter, item or part of a request that its upstream cannot accept as the client meant it. */
export interface Loss {
  /** The path in the request, e.g. `input[3].content[0]`. */
  readonly path: string
  readonly action: LossAction
  readonly why: string
}

export const dropped = (path: string, why: string): Loss => ({ path, action: 'dropped', why })

/** Why a message of the assistant without text, calls and reasoning is dropped: upstreams refuse it, or ignore it. */
export const EMPTY_MESSAGE = 'an empty assistant message'

export const NO_CITATIONS = 'this upstream does not cite documents'

/** Of encrypted reasoning in the history that its upstream did not issue, or that was changed. */
export const UNREADABLE_REASONING = 'its encrypted_content is damaged or was issued by another upstream'

/** Of encrypted reasoning, and of a signature of reasoning or of a call. */
export const ISSUED_ELSEWHERE = 'only the vendor that issued it can read it, and this request goes elsewhere'

/** A tool that the upstream refuses: a client’s own form of it does not go there either. */
export const NO_SUCH_TOOL = 'this upstream does not have this tool'

/** Why an answer at the end is mapped, though the message itself stays the same: another one follows it. */
export const CONTINUES_NOT = 'this model continues no answer: a message of the user at the end asks for the rest'

/** Why a call without an output is mapped, though the call itself stays the same: an output follows it. */
export const NO_OUTPUT_SENT = 'the call has no output: sent with one that says so'

export const NO_CUSTOM_TOOLS = 'this upstream does not support custom tools'

export const NO_TIER = 'this upstream does not support this tier'

/** Of a call of a custom tool. */
export const SENT_AS_FUNCTION_CALL = 'sent as a function call with the argument "input"'

/** Of a system message in a place that the upstream does not accept. */
export const SENT_AS_USER = 'sent as a message of the user'

export const NO_IMAGE_IDS = 'this upstream accepts only the data or the URL of an image, not its id'

export const NOT_SUPPORTED = 'this upstream does not support it'

/** Of a value of a client that the hub does not have. */
export const UNSUPPORTED_VALUE = 'this service does not support this value'

export const NO_FILES = 'this upstream does not accept files'

export const NO_AUDIO = 'this upstream does not accept audio'

export const NO_REASONING = 'this model does not support reasoning'

/** Of the name, the description and the strictness of a format. */
export const ONLY_SCHEMA = 'this upstream accepts only the schema'

/** The losses of values that are the same at an upstream of the client's own protocol. */
const BESIDE_VALUES = [CONTINUES_NOT, NO_OUTPUT_SENT]

/** Whether a value is mapped by something that is added beside it. */
export const isBeside = ({ why }: Loss): boolean => BESIDE_VALUES.some((one) => why.includes(one))

/** Why a value with an integer beyond 2^53, or a number with too many digits, is mapped: JSON is parsed on the way. */
export const ROUNDED = 'a number with more digits than a double holds may be rounded'

/** Why a number beyond the range of a double, such as 1e400, is mapped: JSON has no form for its value. */
export const INFINITE = 'a number beyond the range of a double becomes null'

/** A value that was sent in another form, or replaced by another value. */
export const mapped = (path: string, why: string): Loss => ({ path, action: 'mapped', why })

/**
 * Joins two losses of one value, in the order in which they happened. Two mappings become one loss; a value that was
 * dropped at either step is only reported as dropped.
 */
function both(first: Loss, second: Loss): Loss {
  if (first.action !== second.action) return first.action === 'dropped' ? first : second
  return first.action === 'dropped' ? first : { ...first, why: `${first.why}; ${second.why}` }
}

/**
 * Joins the losses of decoding a request with those of encoding it for the upstream. One loss of a path in `later`
 * joins that of `earlier`. Several losses of one path in `later` are all listed, exact repetitions once.
 */
export function joinLosses(earlier: readonly Loss[], later: readonly Loss[]): readonly Loss[] {
  if (later.length === 0) return earlier
  if (earlier.length === 0 && later.length === 1) return later
  const lines = new Set(later.map(formatLoss))
  const distinct = later.filter((loss) => lines.delete(formatLoss(loss)))
  const known = new Set(earlier.map(({ path }) => path))
  const counts = new Map<string, number>()
  for (const { path } of distinct) counts.set(path, (counts.get(path) ?? 0) + 1)
  const isJoined = ({ path }: Loss): boolean => known.has(path) && counts.get(path) === 1
  const single = new Map(distinct.filter(isJoined).map((loss) => [loss.path, loss]))
  const joined = earlier.map((loss) => {
    const second = single.get(loss.path)
    return second === undefined ? loss : both(loss, second)
  })
  return [...joined, ...distinct.filter((loss) => !isJoined(loss))]
}

/** A loss on one line, for logs and headers. */
export const formatLoss = ({ path, action, why }: Loss): string => `${path} ${action}: ${why}`

/** The entry for all losses that are not reported one by one. Its path is a phrase that continues the list. */
const MORE = dropped('and more', `only the first ${MAX_LENGTHS.losses} losses are listed`)

/** Adds a loss while the list is short. A request with countless losses must not produce a log of that size. */
export function addLoss(losses: Loss[], loss: Loss): void {
  if (losses.length < MAX_LENGTHS.losses) losses.push(loss)
  else if (losses.length === MAX_LENGTHS.losses) losses.push(MORE)
}

/** The losses that are reported, with an entry for the rest. */
export const reportedLosses = (losses: readonly Loss[]): readonly Loss[] =>
  losses.length <= MAX_LENGTHS.losses ? losses : [...losses.slice(0, MAX_LENGTHS.losses), MORE]

/** Characters reserved for the end of a truncated list. */
const ENDING = `, and ${MAX_LENGTHS.losses} more`.length

/**
 * Paths and actions of losses on one line of at most `most` ASCII characters: whole entries, then the number of entries
 * left out.
 */
export function formatLosses(losses: readonly Loss[], most: number): string {
  const all = reportedLosses(losses).map(({ path, action }) => `${path} ${action}`.replace(/[^\x20-\x7e]/g, '?'))
  const line = all.join(', ')
  if (line.length <= most) return line
  let length = 0
  const kept = all.filter((entry, at) => {
    length += entry.length + (at === 0 ? 0 : ', '.length)
    return length <= most - ENDING
  })
  // Beyond the limit the losses were not counted.
  const left = losses.length > MAX_LENGTHS.losses ? '' : `${all.length - kept.length} `
  return [...kept, `and ${left}more`].join(', ')
}
