import type { Frame } from '../../framing/frame.ts'
import { SSE } from '../../framing/sse.ts'
import { createPrinter, printAll } from '../../output/frame-printer.ts'
import type { GatewayError } from '../../protocol/error.ts'
import type { Response } from '../../protocol/response.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import type { Outcome } from '../outcome.ts'
import { type PipelineOptions, targetContextOf } from '../reducer.ts'
import type { SentEvents } from './sent-events.ts'

export interface PassedEnding {
  /** Frames that the upstream has left out before its end. */
  readonly before: readonly Frame[]
  /** Whether the end that the upstream sent is a part of it. */
  readonly keepsHeld: boolean
  /** The frames that the gateway adds. */
  readonly after: readonly Frame[]
}

export function passedEnding(
  options: PipelineOptions,
  { terminator, missing, failure }: AnswerPassthrough,
  sent: SentEvents,
  { error, answer }: Outcome,
): PassedEnding {
  const last = terminator === undefined ? [] : [terminator.frame]
  const { memory, ending, isDone } = sent
  if (error === null) return { before: missing?.(memory) ?? [], keepsHeld: true, after: isDone ? [] : last }
  const failed = { before: [], keepsHeld: false }
  if (ending === 'failed') return { ...failed, after: terminator?.afterFailure === true ? last : [] }
  if (answer === null) return { ...failed, after: [] }
  const own = failure?.(memory, error, ending === 'failing')
  return { ...failed, after: own ?? failureFrames(options, sent, error, answer) }
}

/** The frames with which a stream fails that its client has received in part. */
function failureFrames(
  options: PipelineOptions,
  sent: SentEvents,
  error: GatewayError,
  answer: Response,
): readonly Frame[] {
  const { target } = options
  const context = targetContextOf(options)
  if (target.failure !== undefined) return target.failure(context, error)
  const machine = target.stream(context, false)
  const sequence = sent.sequence === null ? 0 : sent.sequence + 1
  const events = sent.response.failure(error, answer, sent.ending === 'failing')
  let state = { ...machine.initial, sequence }
  const outputs = events.flatMap((event) => {
    const step = machine.step(state, event)
    state = step.state
    return step.events
  })
  const reader = SSE.open(Number.MAX_SAFE_INTEGER)
  return reader.push(printAll(createPrinter(), [...outputs, ...machine.end(state)]))
}
