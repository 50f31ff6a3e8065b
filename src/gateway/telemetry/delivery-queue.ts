import type { Destination } from '../../observability/destination.ts'
import { toHttpRequests } from '../../observability/export.ts'
import type { HttpRequest } from '../../observability/exporters/http-request.ts'
import type { Trace } from '../../observability/trace.ts'
import { nextTurn } from '../run-in-slices.ts'
import type { DeliveryResult, Sender } from './deliver.ts'

export interface QueueLimits {
  /** The highest number of waiting traces, and of characters of their content (approximate). */
  readonly queue_traces: number
  readonly queue_bytes: number
  readonly batch_traces: number
  readonly batch_bytes: number
  /** The longest time in which a trace waits for a batch to fill. */
  readonly batch_seconds: number
  /** Attempts at one request, including the first. */
  readonly attempts: number
}

/** `queue_full`, `stopped`, or the reason why the destination refused the traces. */
export type DropReason = string

/** Receives the outcome of traces. */
export interface QueueReport {
  delivered(traces: number): void
  dropped(traces: number, reason: DropReason): void
  retried(): void
}

/** The bounded queue of one destination; one batch at a time is sent. */
export interface DeliveryQueue {
  offer(trace: Trace, size: number): void
  readonly waiting: number
  /** Sends the waiting traces now. Resolves when no trace waits. */
  flush(): Promise<void>
  /** Replaces the destination from the next batch on. */
  change(destination: Destination): void
  /** Sends the waiting traces until the time is up, and drops the rest. */
  close(limitMs: number): Promise<void>
}

interface Waiting {
  readonly trace: Trace
  readonly size: number
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** Requests of one batch in parallel: an object store needs one request for each trace. */
const AT_ONCE = 8

export function openDeliveryQueue(
  initial: Destination,
  sender: Sender,
  limits: QueueLimits,
  report: QueueReport,
): DeliveryQueue {
  const stop = new AbortController()
  const delivery = new Delivery(sender, limits.attempts, report, stop.signal)
  let destination = initial
  let queue: Waiting[] = []
  let size = 0
  let inBatch = 0
  let timer: ReturnType<typeof setTimeout> | null = null
  let working: Promise<void> | null = null
  let closing = false

  const take = (): readonly Trace[] => {
    let [count, bytes] = [0, 0]
    for (const waiting of queue) {
      if (count >= limits.batch_traces || (count > 0 && bytes + waiting.size > limits.batch_bytes)) break
      count += 1
      bytes += waiting.size
    }
    const batch = queue.slice(0, count)
    queue = queue.slice(count)
    size -= bytes
    return batch.map(({ trace }) => trace)
  }

  const work = async (): Promise<void> => {
    // Traces that arrive during one batch form the next. Answers get the processor between two batches.
    while (queue.length > 0 && !stop.signal.aborted) {
      await nextTurn()
      const batch = take()
      inBatch = batch.length
      await delivery.deliver(destination, batch)
      inBatch = 0
    }
    working = null
  }

  const start = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (queue.length > 0) working ??= work()
  }

  const schedule = (): void => {
    if (working !== null || timer !== null) return
    // The random delay keeps the queues from starting at the same moment.
    timer = setTimeout(start, limits.batch_seconds * 1000 * (1 - Math.random() / 2))
    detach(timer)
  }

  return {
    offer(trace, length) {
      if (closing) return report.dropped(1, 'stopped')
      if (queue.length + inBatch >= limits.queue_traces || size + length > limits.queue_bytes) {
        return report.dropped(1, 'queue_full')
      }
      queue.push({ trace, size: length })
      size += length
      if (working === null && queue.length >= limits.batch_traces) start()
      else schedule()
    },
    get waiting() {
      return queue.length + inBatch
    },
    change(next) {
      destination = next
    },
    async flush() {
      start()
      await working
    },
    async close(limitMs) {
      closing = true
      start()
      const late = new AbortController()
      const done = working ?? Promise.resolve()
      await Promise.race([done, pause(limitMs, late.signal)])
      late.abort()
      stop.abort()
      if (queue.length > 0) report.dropped(queue.length, 'stopped')
      queue = []
    },
  }
}

/** Sends batches to their destination, and reports the outcome of each request. */
class Delivery {
  private readonly sender: Sender
  private readonly attempts: number
  private readonly report: QueueReport
  private readonly stop: AbortSignal

  constructor(sender: Sender, attempts: number, report: QueueReport, stop: AbortSignal) {
    this.sender = sender
    this.attempts = attempts
    this.report = report
    this.stop = stop
  }

  async deliver(destination: Destination, traces: readonly Trace[]): Promise<void> {
    let requests: readonly HttpRequest[]
    try {
      requests = toHttpRequests(destination, traces)
    } catch {
      return this.report.dropped(traces.length, 'unbuildable')
    }
    for (let at = 0; at < requests.length; at += AT_ONCE) {
      await Promise.all(requests.slice(at, at + AT_ONCE).map((outgoing) => this.persist(outgoing)))
    }
  }

  /** Repeats a request until the destination accepts or refuses it, or the attempts are used up. */
  private async persist(outgoing: HttpRequest): Promise<void> {
    const { report, stop } = this
    for (let attempt = 1; ; attempt += 1) {
      if (stop.aborted) return report.dropped(outgoing.traces, 'stopped')
      const sent = await this.sender.send(outgoing)
      if (sent.kind === 'taken') return this.settle(outgoing.traces, sent.rejected)
      if (sent.kind === 'refused' || attempt >= this.attempts) return report.dropped(outgoing.traces, sent.reason)
      report.retried()
      await pause(pauseOf(attempt, sent), stop)
    }
  }

  private settle(traces: number, rejected: number): void {
    const dropped = Math.min(traces, rejected)
    this.report.delivered(traces - dropped)
    if (dropped > 0) this.report.dropped(dropped, 'rejected_spans')
  }
}

/** Lets a process end while the timer runs, on a platform where a timer keeps it alive. */
function detach(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
    timer.unref()
}

/** Resolves after the time, or when the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    detach(timer)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })

/** Doubles each time, with a random part, so that many servers do not retry at once. */
function pauseOf(attempt: number, sent: DeliveryResult): number {
  if (sent.kind === 'failed' && sent.retryAfterMs !== null) return sent.retryAfterMs
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  return longest / 2 + Math.random() * (longest / 2)
}
