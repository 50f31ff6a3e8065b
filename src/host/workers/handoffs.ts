import type { Worker } from 'node:cluster'

/** A connection that the primary process has accepted. */
interface Handle {
  close(): void
}

/** A message between `node:cluster` and a worker: a connection (`newconn`), or the receipt of one (`ack`). */
interface ClusterMessage {
  readonly act?: string
  readonly seq?: number
  readonly ack?: number
}

type Sent = readonly [message: ClusterMessage, handle?: Handle, ...rest: unknown[]]

/**
 * Gives the connections that a killed worker has not accepted to another worker. `node:cluster` (Node 20 to 24) waits for
 * their receipts: it would keep them open without an answer, and the worker in its list, because a channel with an
 * unconfirmed handle reports no end. A worker confirms a connection before it reads from it, so that nothing is lost.
 * `hasOthers`: whether another worker accepts connections; else these are closed.
 */
export function recoverHandoffs({ process: child }: Worker, hasOthers: () => boolean): void {
  const underway = new Map<number, Handle>()
  const { send } = child
  const track = (...args: Sent): unknown => {
    const [{ act, seq }, handle] = args
    if (act === 'newconn' && seq !== undefined && handle !== undefined) underway.set(seq, handle)
    return Reflect.apply(send, child, args)
  }
  Object.assign(child, { send: track })
  child.on('internalMessage', ({ ack }: ClusterMessage) => {
    if (ack !== undefined) underway.delete(ack)
  })
  let isDisconnected = false
  child.once('disconnect', () => {
    isDisconnected = true
  })
  const recover = (): void => {
    if (!isDisconnected) child.emit('disconnect')
    for (const [ack, handle] of [...underway]) {
      // The answer of a worker that has closed its server: `node:cluster` gives the connection to another one.
      if (hasOthers()) child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ack, accepted: false })
      else handle.close()
    }
    underway.clear()
  }
  // The process has ended, and its last message is read. The end of the channel is reported a turn later, if at all.
  child.once('close', () => setImmediate(recover))
}
