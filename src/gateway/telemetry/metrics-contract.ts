import type { Destination } from '../../observability/destination.ts'
import type { Summary } from '../exchange/journal.ts'
import type { UpstreamChange } from '../upstream/upstream-guard.ts'
import type { QueueReport } from './trace-queue.ts'

/** Why an upstream is not called: its breaker is open, its retry budget is spent, or it has asked for a pause. */
export type RefusedTry = 'breaker' | 'budget' | 'retry_after'

/** Counts what a gateway does. */
export interface Metrics {
  /** Called when a request has ended. */
  note(exchange: Summary): void
  /** Called when a call to an upstream was not made. */
  noteRefusedTry(vendor: string, reason: RefusedTry): void
  /** Called when a refusal has shown what a model of this vendor refuses. */
  noteRestriction(vendor: string): void
  /** Called when an upstream was paused or taken out, or is back. */
  noteUpstream(change: UpstreamChange): void
  report(destination: Destination): QueueReport
}
