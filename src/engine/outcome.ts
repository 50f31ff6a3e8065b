import { listToArray } from '../collections/list.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { Event } from '../protocol/event.ts'
import { ANSWER_BOUNDS } from '../protocol/limits.ts'
import type { Response, ResponseStatus } from '../protocol/response.ts'
import type { Served } from '../protocol/served.ts'
import type { Usage } from '../protocol/usage.ts'
import { CITATIONS_DROPPED } from '../responses/apply-citations.ts'
import { dropUnanchoredCitations, finalStatus } from '../responses/final-status.ts'
import { commitActivePart, lossesOf, type RespondState } from '../responses/state.ts'

/**
 * How an answer ended. `complete`: the upstream ended it, also at a limit of tokens or with a refusal. `failed`: the
 * upstream reported a failure, or sent what is no answer. `cut`: it stopped before the end, such as a connection that
 * broke. `left`: its consumer stopped reading.
 */
export type Ending = 'complete' | 'failed' | 'cut' | 'left'

/** The upstream's own words about its answer. Null: it reported nothing of that kind. */
export interface UpstreamReport {
  /** The id of its answer, which its support needs; a client receives an id of its own. */
  readonly id: string | null
  /** Its own name of the model that answered. */
  readonly model: string | null
  /** Its own word for why it stopped: `end_turn`, `tool_calls`, `MAX_TOKENS`. */
  readonly finishReason: string | null
  /** The HTTP status, if a response was read. */
  readonly status: number | null
  /** The headers of the response, such as those of limits, with lower-case names and without cookies. */
  readonly headers: Readonly<Record<string, string>>
  /** The body of a response with a status of 300 or more; it may be cut after 1 MiB. */
  readonly text: string | null
}

export const NO_REPORT: UpstreamReport = {
  id: null,
  model: null,
  finishReason: null,
  status: null,
  headers: {},
  text: null,
}

/** The result of an answer, for logs, metrics and traces. */
export interface Outcome {
  readonly status: ResponseStatus
  /** Null until the answer has ended. */
  readonly ending: Ending | null
  readonly model: string
  readonly usage: Usage | null
  /** The way in which the upstream served the request; null if it did not report that. */
  readonly served: Served | null
  readonly error: GatewayError | null
  /**
   * The exception of `fetch`, the source, a machine or a decoder of the program, with the place in the code of the last two.
   * It may quote the request, and is for the program alone. Left out: nothing was thrown.
   */
  readonly cause?: string
  /** The upstream's own words, for the program: clients receive `error`. */
  readonly upstream: UpstreamReport
  /** A remedy for the operator of the program, such as the variable of a key; null if none is known. */
  readonly remedy: string | null
  readonly losses: readonly string[]
  /** The edits of an answer that was passed through; left out if it was translated. */
  readonly edits?: readonly string[]
  /** True if an output item has begun. */
  readonly hasOutput: boolean
  /** The complete answer when it has ended; null before. It contains the text of the model and must not be logged. */
  readonly answer: Response | null
  /** Frames of the upstream, and how many of them took the fast path. */
  readonly chunks: { readonly received: number; readonly fast: number }
}

/** `ending`: the last events of an answer that has ended; null before. */
export function outcomeOf(state: RespondState, ending: readonly Event[] | null, chunks: Outcome['chunks']): Outcome {
  const over = ending !== null
  const response = over ? dropUnanchoredCitations(commitActivePart(state)) : commitActivePart(state)
  const { status, error } = over ? finalStatus(response) : { status: 'in_progress' as const, error: response.error }
  const { model, usage, served, words, items } = response
  const answer = answerOf(ending)
  const losses = withCitations(lossesOf(response), answer)
  const hasOutput = items.length > 0
  return {
    status,
    ending: endingOf(status, error),
    error,
    upstream: { ...NO_REPORT, ...words },
    remedy: null,
    model,
    usage,
    served,
    losses,
    hasOutput,
    answer,
    chunks,
  }
}

const CUT: ReadonlySet<string> = new Set(['upstream_truncated', 'upstream_disconnected'])

function endingOf(status: ResponseStatus, error: GatewayError | null): Ending | null {
  if (status === 'in_progress') return null
  if (error === null) return 'complete'
  return CUT.has(error.code) ? 'cut' : 'failed'
}

/**
 * Citations that are placed at the end of the last text are known only from the answer. A text with the maximum number
 * of citations is assumed to have had more.
 */
function withCitations(losses: readonly string[], answer: Response | null): readonly string[] {
  const isFull = answer?.output.some(
    (item) =>
      item.type === 'message' &&
      item.content.some((part) => part.type === 'output_text' && part.annotations.length >= ANSWER_BOUNDS.citations),
  )
  return isFull === true && !losses.includes(CITATIONS_DROPPED) ? [...losses, CITATIONS_DROPPED] : losses
}

function answerOf(ending: readonly Event[] | null): Response | null {
  const last = ending?.at(-1)
  return last !== undefined && 'response' in last ? last.response : null
}

/** The texts of the messages of an answer so far. */
export const messageTexts = (state: RespondState): readonly string[] =>
  listToArray(commitActivePart(state).items).flatMap(({ type, parts, item }) => {
    if (type !== 'message') return []
    if (item === null) return [joinedText(listToArray(parts))]
    return item.type === 'message' ? [joinedText(item.content.flatMap((part) => ('text' in part ? [part] : [])))] : []
  })

const joinedText = (parts: readonly { readonly text: string }[]): string => parts.map(({ text }) => text).join('')
