import type { Socket } from 'node:net'
import { removeLast } from '../../../collections/remove-last.ts'
import type { RequestContext } from '../../../gateway/exchange/request-context.ts'
import { KeptMemory } from './kept-memory.ts'

interface OpenSocket {
  /** The id of the key that opened it. */
  readonly keyId: string
  readonly transport: Socket
  /** The requests that are being answered. */
  readonly exchanges: readonly RequestContext[]
  /** Accepts no more requests, and closes when the last answer has ended. */
  drain(): void
}

/** All open WebSockets of one server. */
export class SocketRegistry {
  private readonly sockets: OpenSocket[] = []
  private readonly counts = new Map<string, number>()
  /** The memory of their kept responses. */
  readonly kept: KeptMemory

  /** `keptBytes`: the limit of the kept responses of all connections. */
  constructor(keptBytes: number) {
    this.kept = new KeptMemory(keptBytes)
  }

  add(socket: OpenSocket): void {
    this.sockets.push(socket)
    this.counts.set(socket.keyId, this.countOf(socket.keyId) + 1)
  }

  remove(socket: OpenSocket): void {
    removeLast(this.sockets, socket)
    const left = this.countOf(socket.keyId) - 1
    if (left > 0) this.counts.set(socket.keyId, left)
    else this.counts.delete(socket.keyId)
  }

  countOf(keyId: string): number {
    return this.counts.get(keyId) ?? 0
  }

  all(): readonly OpenSocket[] {
    return this.sockets
  }

  exchanges(): readonly RequestContext[] {
    return this.sockets.flatMap(({ exchanges }) => exchanges)
  }
}
