import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** Bytes of the first slice, of which the shortest requests have 18 each, and of the longest one, inside of a long body. */
const SHORT = 512
const LONG = 8192

/** Bytes of a read that are kept: a method. */
const KEPT = 16

const READS = Symbol('reads')

interface Reads {
  readonly parse: (bytes: Buffer) => void
  /** The bytes of the last read that are not parsed, while it is parsed. */
  rest: Buffer | null
  /** Bytes of the next slice. */
  size: number
  isHeld: boolean
  /** The beginning of the last read, until all of it is parsed. */
  beginning: Buffer | null
}

type ReadSocket = Socket & { [READS]?: Reads | undefined }

/**
 * Parses the reads of all connections in slices. Node parses all requests of a read before it pauses the connection of
 * the first, and a read of 64 KiB may have thousands of them: objects that are made although none of them is answered.
 * Slices grow while no request begins, so that long bodies have few. `event`: that of a new connection. A runtime whose server does not read by `data` reads as it does.
 */
export function readInSlices(server: Server, event: 'connection' | 'secureConnection'): void {
  server.on(event, (socket: ReadSocket) => {
    const parse = socket.listeners('data').at(-1)
    if (parse === undefined) return
    socket.off('data', parse as Reads['parse'])
    Object.assign(socket, {
      [READS]: { parse: parse as Reads['parse'], rest: null, size: SHORT, isHeld: false, beginning: null },
    })
    socket.on('data', onData)
    socket.on('resume', onResume)
  })
  for (const started of ['request', 'checkExpectation'] as const)
    server.on(started, ({ socket }: { readonly socket: ReadSocket }) => {
      const reads = socket[READS]
      if (reads !== undefined) reads.size = SHORT
    })
  server.prependListener('connect', (_, socket) => void endReads(socket as Socket))
}

/**
 * Stops the reads of a connection until they are released. `pause` alone does not: Node resumes a connection when it has
 * answered a request.
 */
export function holdReads(socket: ReadSocket): void {
  const reads = socket[READS]
  if (reads !== undefined) reads.isHeld = true
  socket.pause()
}

export function releaseReads(socket: ReadSocket): void {
  const reads = socket[READS]
  if (reads !== undefined) reads.isHeld = false
  if (socket.isPaused()) socket.resume()
}

/** The first bytes of the read that is being parsed, of which Node has only the last slice; null if there is none. */
export const beginningOf = (socket: ReadSocket): Buffer | null => socket[READS]?.beginning ?? null

/** Ends the reads of HTTP, and returns the bytes after `head`, which Node has not parsed of the last slice. */
export function endReads(socket: ReadSocket, head: Buffer = NOTHING): Buffer {
  const rest = socket[READS]?.rest ?? NOTHING
  Object.assign(socket, { [READS]: undefined })
  socket.off('data', onData)
  socket.off('resume', onResume)
  return rest.length === 0 ? head : Buffer.concat([head, rest])
}

const NOTHING: Buffer = Buffer.alloc(0)

/** All sockets share these listeners, because functions of their own would be further objects of every connection. */
function onData(this: ReadSocket, bytes: Buffer): void {
  const reads = this[READS]
  if (reads === undefined) return
  reads.rest = bytes
  reads.beginning = bytes.subarray(0, KEPT)
  while (this[READS] === reads && reads.rest !== null) {
    if (reads.isHeld || this.isPaused()) putBack(this, reads)
    else parseSlice(this, reads)
  }
  reads.beginning = null
}

function parseSlice(socket: ReadSocket, reads: Reads): void {
  const { rest, parse, size } = reads
  if (rest === null) return
  reads.rest = rest.length > size ? rest.subarray(size) : null
  reads.size = Math.min(2 * size, LONG)
  parse.call(socket, rest.length > size ? rest.subarray(0, size) : rest)
}

/** The stream keeps what is not parsed, so that its end comes after it. */
function putBack(socket: ReadSocket, reads: Reads): void {
  const { rest } = reads
  reads.rest = null
  socket.pause()
  if (rest !== null) socket.unshift(rest)
}

function onResume(this: ReadSocket): void {
  if (this[READS]?.isHeld === true) this.pause()
}
