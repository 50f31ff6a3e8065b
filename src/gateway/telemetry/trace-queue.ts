import type { Destination } from '../../observability/destination.ts'
import { toHttpRequests } from '../../observability/export.ts'
import type { HttpRequest } from '../../observability/exporters/http-request.ts'
import type { Trace } from '../../observability/trace.ts'
import { yieldToLoop } from '../run-in-slices.ts'
import type { Sender, SendResult } from './sender.ts'

interface QueueLimits {
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
type DropReason = string

/** Receives the outcome of traces. */
export interface QueueReport {
  accepted(traces: number): void
  dropped(traces: number, reason: DropReason): void
  retried(): void
}

interface Waiting {
  readonly trace: Trace
  readonly size: number
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 30_000
/** Requests of one batch in parallel: an object store needs one request for each trace. */
const AT_ONCE = 8

/** The bounded queue of one destination; one batch at a time is sent. */
export class TraceQueue {
  private destination: Destination
  private readonly limits: QueueLimits
  private readonly report: QueueReport
  private readonly stop = new AbortController()
  private readonly batches: BatchSender
  private queue: Waiting[] = []
  private size = 0
  private inBatch = 0
  private timer: ReturnType<typeof setTimeout> | null = null
  private working: Promise<void> | null = null
  private isClosing = false

  constructor(destination: Destination, sender: Sender, limits: QueueLimits, report: QueueReport) {
    this.destination = destination
    this.limits = limits
    this.report = report
    this.batches = new BatchSender(sender, limits.attempts, report, this.stop.signal)
  }

  get waiting(): number {
    return this.queue.length + this.inBatch
  }

  offer(trace: Trace, size: number): void {
    const { limits, report } = this
    const isFull = this.waiting >= limits.queue_traces || this.size + size > limits.queue_bytes
    if (this.isClosing || isFull) {
      report.dropped(1, this.isClosing ? 'stopped' : 'queue_full')
      return
    }
    this.queue.push({ trace, size })
    this.size += size
    if (this.working === null && this.queue.length >= limits.batch_traces) this.start()
    else this.schedule()
  }

  /** Replaces the destination from the next batch on. */
  change(destination: Destination): void {
    this.destination = destination
  }

  /** Sends the waiting traces now. Resolves when no trace waits. */
  async flush(): Promise<void> {
    this.start()
    await this.working
  }

  /** Sends the waiting traces until the time is up, and drops the rest. */
  async close(limitMs: number): Promise<void> {
    this.isClosing = true
    this.start()
    const late = new AbortController()
    const done = this.working ?? Promise.resolve()
    await Promise.race([done, pause(limitMs, late.signal)])
    late.abort()
    this.stop.abort()
    if (this.queue.length > 0) this.report.dropped(this.queue.length, 'stopped')
    this.queue = []
  }

  private schedule(): void {
    if (this.working !== null || this.timer !== null) return
    // The random delay keeps the queues from starting at the same moment.
    this.timer = setTimeout(() => this.start(), this.limits.batch_seconds * 1000 * (1 - Math.random() / 2))
    detach(this.timer)
  }

  private start(): void {
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
    if (this.queue.length > 0) this.working ??= this.work()
  }

  private async work(): Promise<void> {
    // Traces that arrive during one batch form the next. Answers get the processor between two batches.
    while (this.queue.length > 0 && !this.stop.signal.aborted) {
      await yieldToLoop()
      const batch = this.take()
      this.inBatch = batch.length
      await this.batches.send(this.destination, batch)
      this.inBatch = 0
    }
    this.working = null
  }

  private take(): readonly Trace[] {
    const { queue, limits } = this
    let [count, bytes] = [0, 0]
    for (const { size } of queue) {
      if (count >= limits.batch_traces || (count > 0 && bytes + size > limits.batch_bytes)) break
      count += 1
      bytes += size
    }
    this.queue = queue.slice(count)
    this.size -= bytes
    return queue.slice(0, count).map(({ trace }) => trace)
  }
}

/** Sends batches to their destination, and reports the outcome of each request. */
class BatchSender {
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

  async send(destination: Destination, traces: readonly Trace[]): Promise<void> {
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
    this.report.accepted(traces - dropped)
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
function pauseOf(attempt: number, sent: SendResult): number {
  if (sent.kind === 'failed' && sent.retryAfterMs !== null) return sent.retryAfterMs
  const longest = Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), LONGEST_PAUSE_MS)
  return longest / 2 + Math.random() * (longest / 2)
}
