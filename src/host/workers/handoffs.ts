import type { Worker } from 'node:cluster'

/** A connection that the primary process has accepted. */
interface Handle {
  close(): void
}

/**
 * A message between `node:cluster` and a worker: a connection (`newconn`) of the address `key`, or the receipt of one
 * (`ack`).
 */
interface ClusterMessage {
  readonly act?: string
  readonly key?: string
  readonly seq?: number
  readonly ack?: number
  readonly accepted?: boolean
}

/** A connection that a worker has not confirmed. */
interface Handoff {
  readonly seq: number
  readonly handle: Handle
  /** `node:cluster` has given it to another worker, which had more. */
  readonly isMoved: boolean
}

type Sent = readonly [message: ClusterMessage, handle?: Handle, ...rest: unknown[]]

/** A worker that takes connections. */
interface Taker {
  readonly send: (args: Sent) => unknown
  /** Whether it may get a connection that another worker was to have. */
  readonly accepts: () => boolean
  /** One for each address, which also bounds the memory if receipts are not recognised. */
  readonly underway: Map<string, Handoff>
  /** Called when it confirms a connection: others wait for that. */
  readonly waiting: (() => void)[]
  /** Connections that `node:cluster` has given to it, and that wait. */
  readonly held: Set<Handoff>
  /** Connections that it got, and those of them that have closed. */
  taken: number
  closed: number
  hasRefused: boolean
  /** A connection has waited in vain for its last receipt. */
  isSlow: boolean
}

/** The connections of a worker, as far as the primary process knows. */
export interface WorkerConnections {
  /** `closed`: how many of its connections have closed since its start. */
  noteClosed(closed: number): void
}

/** Gives the connections of a server to its workers. */
export interface Handoffs {
  /** `accepts`: whether the worker accepts connections. */
  add(worker: Pick<Worker, 'process'>, accepts: () => boolean): WorkerConnections
}

/** Connections that a worker may have beyond another one that has not confirmed its last one yet. */
const SLACK = 4

/** The longest wait of a connection for the worker that has fewer. */
const LONGEST_WAIT_MS = 100

const openOf = ({ taken, closed }: Taker): number => taken - closed

const byOpen = (one: Taker, other: Taker): number => openOf(one) - openOf(other)

const createTaker = (send: Taker['send'], accepts: Taker['accepts']): Taker => ({
  send,
  accepts,
  underway: new Map(),
  waiting: [],
  held: new Set(),
  taken: 0,
  closed: 0,
  hasRefused: false,
  isSlow: false,
})

function retryAll({ waiting }: Taker): void {
  for (const retry of waiting.splice(0)) retry()
}

/** Holds a connection that `own` was to have until `late` has confirmed its last one. */
function wait(own: Taker, handoff: Handoff, late: Taker, again: () => void): void {
  const retry = (): void => {
    clearTimeout(timer)
    // Else its worker has ended, and another one has it.
    if (own.held.delete(handoff)) again()
  }
  const timer = setTimeout(() => {
    late.isSlow = true
    retryAll(late)
  }, LONGEST_WAIT_MS)
  own.held.add(handoff)
  late.waiting.push(retry)
}

function noteReceipt(own: Taker, { ack, accepted }: ClusterMessage): void {
  for (const [key, { seq, isMoved }] of own.underway) {
    if (seq !== ack) continue
    own.underway.delete(key)
    own.isSlow = false
    if (accepted === false) {
      own.taken -= 1
      // It would get the connection again and again.
      if (isMoved) own.hasRefused = true
    }
    retryAll(own)
  }
}

/** Gives the connections of a worker that has ended back to `node:cluster`, or closes them if no worker accepts any. */
function giveBack(own: Taker, child: Worker['process'], others: ReadonlySet<Taker>): void {
  const lost = [...own.underway.values(), ...own.held]
  own.underway.clear()
  own.held.clear()
  for (const { seq: ack, handle } of lost) {
    // The answer of a worker that has closed its server: `node:cluster` gives the connection to another one.
    if ([...others].some((one) => one.accepts()))
      child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
    else handle.close()
  }
}

/**
 * `node:cluster` gives connections to the workers that have confirmed the last one, in turn. Connections stay open for
 * many requests: those of the time before all workers ran, or before one was replaced, would stay where they are. So that
 * the worker with the fewest open connections gets the next one, its message is sent to that worker. A worker with an
 * unconfirmed connection gets no other, as before. In a burst, the next one waits for its receipt if it has fewer by far:
 * the worker that the system lets run more would get nearly all of them. A worker that hangs keeps one connection, and
 * delays one other.
 *
 * Besides, the connections that a killed worker has not accepted go to another worker. `node:cluster` waits for their
 * receipts: it would keep them open without an answer, and the worker in its list, because a channel with an unconfirmed
 * handle reports no end. A worker confirms a connection before it reads from it, so that nothing is lost. Without another
 * worker that accepts connections, they are closed.
 *
 * The messages are internal to Node (20 to 24): there is no public interface. With a version that has others, connections
 * stay with the worker that `node:cluster` has chosen.
 */
export function createHandoffs(): Handoffs {
  const takers = new Set<Taker>()

  /** The workers that may get a connection which `node:cluster` gives to this one, the one with the fewest first. */
  const choicesFor = (own: Taker): readonly Taker[] =>
    [own, ...takers].filter((one, at) => at === 0 || (one !== own && !one.hasRefused && one.accepts())).sort(byOpen)

  const give = (own: Taker, args: Sent): unknown => {
    const [{ act, key = '', seq }, handle] = args
    if (act !== 'newconn' || seq === undefined || handle === undefined) return own.send(args)
    const choices = choicesFor(own)
    const [least = own] = choices.filter((one) => !one.isSlow)
    const free = choices.find((one) => !one.underway.has(key)) ?? own
    if (least.underway.has(key) && openOf(least) + SLACK < openOf(free)) {
      wait(own, { seq, handle, isMoved: false }, least, () => void give(own, args))
      return true
    }
    free.underway.set(key, { seq, handle, isMoved: free !== own })
    free.taken += 1
    return free.send(args)
  }

  return {
    add({ process: child }, accepts) {
      const { send } = child
      const own = createTaker((args) => Reflect.apply(send, child, args), accepts)
      takers.add(own)
      Object.assign(child, { send: (...args: Sent) => give(own, args) })
      // Before `node:cluster`, which sends the next connection at once.
      child.prependListener('internalMessage', (message: ClusterMessage) => noteReceipt(own, message))
      let isDisconnected = false
      child.once('disconnect', () => {
        isDisconnected = true
      })
      // The process has ended, and its last message is read. The end of the channel is reported a turn later, if at all.
      child.once('close', () => {
        takers.delete(own)
        retryAll(own)
        setImmediate(() => {
          if (!isDisconnected) child.emit('disconnect')
          giveBack(own, child, takers)
        })
      })
      return {
        noteClosed(closed) {
          own.closed = closed
        },
      }
    },
  }
}
