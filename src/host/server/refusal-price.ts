import type { Socket } from 'node:net'
import { type Bucket, take } from '../../gateway/auth/token-bucket.ts'
import type { Journal } from '../../gateway/exchange/journal.ts'
import type { Log } from '../../gateway/telemetry/log.ts'
import { REFUSALS } from '../../protocol/limits.ts'
import { TickQueue } from '../tick-queue.ts'
import { createRefusedLog } from './http-server.ts'

/** Whether a request was refused without a call of an upstream. */
export const isRefused = (journal: Journal): boolean =>
  journal.last('failed')?.party === 'client' &&
  journal.last('attempted') === undefined &&
  journal.last('gone') === undefined

/**
 * Refusals cost their sender hardly anything, and no rate limit counts those without a key. Each one therefore takes a
 * token of its connection, and a connection without tokens is closed. A client that repeats one wrong request every
 * second keeps its connection.
 */
class RefusalPrice {
  private readonly buckets = new WeakMap<Socket, Bucket>()
  private readonly exhausted = new WeakSet<Socket>()
  private readonly clock: () => number

  /** `clock`: milliseconds. */
  constructor(clock: () => number = () => performance.now()) {
    this.clock = clock
  }

  /** Charges one refusal. Returns false if the connection cannot pay for it, and is to be closed. */
  charge(socket: Socket): boolean {
    const { bucket, taken } = take(REFUSALS, this.buckets.get(socket), this.clock())
    this.buckets.set(socket, bucket)
    if (!taken.allowed) this.exhausted.add(socket)
    return taken.allowed
  }

  /** Whether the connection could not pay for a refusal. */
  isExhausted(socket: Socket): boolean {
    return this.exhausted.has(socket)
  }
}

/** Shared by all connections of a server. */
export interface SharedLoad {
  readonly queue: TickQueue
  readonly price: RefusalPrice
  /** Logs that a connection is closed for its refusals. */
  logCut(): void
}

export const createSharedLoad = (log: Log, clock: () => number): SharedLoad => ({
  queue: new TickQueue(),
  price: new RefusalPrice(),
  logCut: createRefusedLog(log, clock, 'connections_cut'),
})
