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
}

/** A connection that a worker has not confirmed. */
interface Handoff {
  readonly seq: number
  readonly handle: Handle
}

type Sent = readonly [message: ClusterMessage, handle?: Handle, ...rest: unknown[]]

/**
 * Gives the connections that a killed worker has not accepted to another worker. `node:cluster` waits for their receipts:
 * it would keep them open without an answer, and the worker in its list, because a channel with an unconfirmed handle
 * reports no end. A worker confirms a connection before it reads from it, so that nothing is lost. `hasOthers`: whether
 * another worker accepts connections; else these are closed.
 *
 * The messages are internal to Node (20 to 24): there is no public interface. With a version that has others, nothing is
 * given to another worker.
 */
export function recoverHandoffs({ process: child }: Pick<Worker, 'process'>, hasOthers: () => boolean): void {
  // A worker gets the next connection of an address after it has confirmed the last one. One entry for each address also
  // bounds the memory if receipts are not recognised.
  const underway = new Map<string, Handoff>()
  const { send } = child
  const track = (...args: Sent): unknown => {
    const [{ act, key = '', seq }, handle] = args
    if (act === 'newconn' && seq !== undefined && handle !== undefined) underway.set(key, { seq, handle })
    return Reflect.apply(send, child, args)
  }
  Object.assign(child, { send: track })
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    for (const [key, { seq }] of underway) if (seq === ack) underway.delete(key)
  })
  let isDisconnected = false
  child.once('disconnect', () => {
    isDisconnected = true
  })
  const recover = (): void => {
    if (!isDisconnected) child.emit('disconnect')
    const lost = [...underway.values()]
    underway.clear()
    for (const { seq: ack, handle } of lost) {
      // The answer of a worker that has closed its server: `node:cluster` gives the connection to another one.
      if (hasOthers()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
      else handle.close()
    }
  }
  // The process has ended, and its last message is read. The end of the channel is reported a turn later, if at all.
  child.once('close', () => setImmediate(recover))
}
