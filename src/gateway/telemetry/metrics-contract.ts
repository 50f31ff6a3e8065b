import type { Destination } from '../../observability/destination.ts'
import type { QueueReport } from './delivery-queue.ts'
import type { LogEntry } from './log.ts'

/** Counts what a gateway does. */
export interface Metrics {
  /** Called when a request has ended. */
  note(entry: LogEntry): void
  /** Called when a call to an upstream was not made. */
  noteRefusedTry(vendor: string, reason: 'breaker' | 'budget'): void
  /** Called when a refusal has shown what a model of this vendor refuses. */
  noteLesson(vendor: string): void
  report(destination: Destination): QueueReport
}
