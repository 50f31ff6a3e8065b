import type { GatewayError } from './protocol/error.ts'
import type { ResponseStatus } from './protocol/response.ts'
import type { Usage } from './protocol/usage.ts'
import { settle } from './responses/respond.ts'
import type { RespondState } from './responses/state.ts'
import { dropUnplaced, verdict } from './responses/verdict.ts'

/** What became of an answer, for logs and metrics: never any content. */
export interface Outcome {
  readonly status: ResponseStatus
  readonly model: string
  readonly usage: Usage | null
  readonly error: GatewayError | null
  readonly losses: readonly string[]
  /** Has it said anything: has an output item begun? */
  readonly spoke: boolean
  /** Messages of the upstream, and how many of them took the fast path. */
  readonly chunks: { readonly heard: number; readonly fast: number }
}

/** A whole body is one message. */
export const ONE_CHUNK: Outcome['chunks'] = { heard: 1, fast: 0 }

export function outcomeOf(state: RespondState, over: boolean, chunks: Outcome['chunks']): Outcome {
  const story = over ? dropUnplaced(settle(state)) : settle(state)
  const { status, error } = over ? verdict(story) : { status: 'in_progress' as const, error: story.error }
  return {
    status,
    error,
    model: story.model,
    usage: story.usage,
    losses: story.losses,
    spoke: story.items.length > 0,
    chunks,
  }
}
