import type { CallDelta, Citation, Delta } from '../protocol/delta.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { Event, EventType } from '../protocol/event.ts'
import type { AnswerLimits } from '../protocol/limits.ts'
import type { Logprob } from '../protocol/part.ts'
import { liveLength, withoutText } from '../responses/parts.ts'
import type { RespondState } from '../responses/state.ts'

/** A text that nothing needs is dropped when it has grown by this many characters. */
const MOST_FORGETTABLE = 1024

/** Approximate cost of an object besides its texts, in the unit of `answerSize`. */
const OVERHEAD = 128

/**
 * Counts what the core keeps of one answer, against the declared limits. A delta or event costs constant time, except
 * log probabilities, opaque payloads and hosted items, which are linear in their own size.
 */
export class AnswerBudget {
  private readonly limits: AnswerLimits
  private readonly forgetsText: boolean
  private size = 0
  private items = 0
  private parts = 0
  private citations = 0
  private forgotten = 0
  private isExceeded = false
  /** The size of what the decoder holds back, which no delta has yet. */
  held = 0

  /** `forgetsText`: nothing needs a text that has passed. */
  constructor(limits: AnswerLimits, forgetsText = false) {
    this.limits = limits
    this.forgetsText = forgetsText
  }

  /** Counts text that reached the reducer's state without a delta. */
  addText(before: RespondState, after: RespondState): void {
    this.size += liveLength(after) - liveLength(before)
  }

  /** Returns the state without a text that has grown, and that nothing needs any more. */
  forget(state: RespondState): RespondState {
    if (!this.forgetsText || state.text.length < MOST_FORGETTABLE) return state
    const rest = withoutText(state)
    if (rest !== state) this.forgotten += liveLength(state)
    return rest
  }

  /** The size of everything that is kept. */
  kept(): number {
    return this.size + this.held - this.forgotten
  }

  /**
   * Counts a delta and the events that the reducer made of it. Returns the failure that ends the answer the first time
   * that a limit is exceeded; null otherwise.
   */
  add(delta: Delta, events: readonly Event[]): GatewayError | null {
    this.size += sizeOf(delta)
    for (let i = 0; i < events.length; i += 1) this.addEvent((events[i] as Event).type)
    if (this.isExceeded) return null
    const error = this.exceeded()
    this.isExceeded = error !== null
    return error
  }

  /** Returns the failure that ends an answer past a limit; null within all limits. */
  exceeded(): GatewayError | null {
    const { answerSize, answerItems, answerParts, answerCitations } = this.limits
    if (this.size + this.held > answerSize) return tooLarge('more text', answerSize, 'bytes')
    if (this.items > answerItems) return tooLarge('more output items', answerItems, 'items')
    if (this.parts > answerParts) return tooLarge('more content parts', answerParts, 'parts')
    return this.citations > answerCitations ? tooLarge('more citations', answerCitations, 'citations') : null
  }

  private addEvent(type: EventType): void {
    switch (type) {
      case 'output_item.added':
        this.items += 1
        this.size += OVERHEAD
        return
      case 'content_part.added':
      case 'reasoning_summary_part.added':
        this.parts += 1
        this.size += OVERHEAD
        return
      case 'output_text.annotation.added':
        this.citations += 1
    }
  }
}

const tooLarge = (what: string, limit: number, unit: string): GatewayError =>
  upstreamError('upstream_too_large', `The upstream response has ${what} than the limit of ${limit} ${unit}.`)

function sizeOf(delta: Delta): number {
  switch (delta.kind) {
    case 'text':
    case 'refusal':
    case 'reasoning':
    case 'summary':
      return delta.text.length + (delta.logprobs === null ? 0 : logprobsSize(delta.logprobs))
    case 'call':
      return delta.arguments.length + (delta.name?.length ?? 0) + detailsSize(delta)
    case 'citation':
      return citationSize(delta.citation)
    case 'opaque':
      return OVERHEAD + jsonSize(delta.payload)
    case 'hosted':
      return OVERHEAD + jsonSize(delta.item)
    case 'loss':
      return delta.feature.length
    case 'progress':
      return OVERHEAD + jsonSize(delta.fields)
    case 'phase':
      return OVERHEAD + delta.key.length + delta.phase.length
    default:
      return 0
  }
}

const detailsSize = ({ namespace = '', origin }: CallDelta): number =>
  namespace.length + (origin === undefined ? 0 : OVERHEAD + jsonSize(origin))

const citationSize = ({ url, title, content, quote, marker }: Citation): number =>
  OVERHEAD + [url, title, content, quote, marker].reduce((sum, text) => sum + (text?.length ?? 0), 0)

const logprobsSize = (logprobs: readonly Logprob[]): number =>
  logprobs.reduce((sum, { token, top_logprobs }) => sum + token.length + OVERHEAD * (1 + top_logprobs.length), 0)

/** Iterative, because JSON of an upstream may be nested deeper than the stack. */
function jsonSize(value: unknown): number {
  let size = 0
  const rest: unknown[] = [value]
  while (rest.length > 0) {
    const next = rest.pop()
    if (typeof next === 'string') size += next.length
    else if (typeof next === 'object' && next !== null) {
      for (const [name, inner] of Object.entries(next)) {
        size += name.length + 8
        rest.push(inner)
      }
    }
  }
  return size
}
