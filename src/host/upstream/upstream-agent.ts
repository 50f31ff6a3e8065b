import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { Agent, type buildConnector, Client, type Dispatcher, errors, Pool } from 'undici/index.js'
import { InterimFilter } from './interim-answers.ts'

type Connector = buildConnector.connector

/** Receives an exception of undici or of a reader of its bytes, which is a bug. */
export type OnBug = (error: unknown) => void

/** An exchange, for the connection that carries it. */
export interface CarriedExchange {
  /** Set before the request is sent. */
  connection: UpstreamConnection | null
  /** Ends the exchange, because its connection cannot be used any more. */
  breakOff(error: unknown): void
}

/** The options of undici, with the exchange that the request belongs to. */
export interface CarryingOptions extends Dispatcher.DispatchOptions {
  readonly exchange: CarriedExchange
}

export type UpstreamAgentOptions = Agent.Options & { readonly connect: Connector; readonly idleMs?: number }

/**
 * Pools of connections to upstreams. Their number is unlimited by default, because each stream needs one for its whole
 * duration.
 */
export class UpstreamAgent extends Agent {
  /** The longest time without bytes of an answer whose reading is not paused; 0: unlimited. */
  readonly idleMs: number

  constructor({ idleMs = 0, ...options }: UpstreamAgentOptions, onBug: OnBug) {
    const factory = (origin: URL, shared: object): Dispatcher =>
      new UpstreamConnection(origin, shared as ConnectionOptions, onBug)
    // undici would also count the time in which a connection is held.
    super({ bodyTimeout: 0, ...options, factory: (origin, shared) => new Pool(origin, { ...shared, factory }) })
    this.idleMs = idleMs
  }
}

type ConnectionOptions = Client.Options & { readonly connect: Connector }

/**
 * One connection to an upstream, with one request at a time.
 *
 * Its back-pressure holds the socket below undici. The parser of undici 7 fails if a connection ends while the parser
 * is paused: an exception in an event of the socket, which ends the process (nodejs/undici#5360). Here the parser is
 * never paused; it has nothing to read. At most one read and the buffer of the socket arrive after `hold`.
 */
export class UpstreamConnection extends Client {
  isHeld = false
  private socket: Socket | null = null
  private exchange: CarriedExchange | null = null
  private isBroken = false
  private readonly origin: URL
  private readonly onBug: OnBug

  constructor(origin: URL, options: ConnectionOptions, onBug: OnBug) {
    const { connect } = options
    super(origin, {
      ...options,
      connect: (address: buildConnector.Options, callback: buildConnector.Callback) =>
        connect(address, (...result) => this.guard(() => callback(...this.linked(result)))),
    })
    this.origin = origin
    this.onBug = onBug
    // undici emits it if a handler throws while it receives an error. The types of undici lack this event.
    EventEmitter.prototype.on.call(this, 'error', (error: unknown) => this.breakOff(error))
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const exchange = 'exchange' in options ? (options as CarryingOptions).exchange : null
    this.exchange = exchange
    if (exchange !== null) exchange.connection = this
    return super.dispatch(options, handler)
  }

  /** Reads nothing more of the exchange until `release`. */
  hold(): void {
    this.isHeld = true
  }

  /** Reads on. The parser may be at work now, so that it reads in a turn of its own. */
  release(): void {
    if (!this.isHeld) return
    this.isHeld = false
    process.nextTick(readOn, this)
  }

  /** The exchange has ended. The connection may carry another one. */
  leave(exchange: CarriedExchange): void {
    if (this.exchange !== exchange) return
    this.exchange = null
    this.isHeld = false
  }

  readOn(): void {
    if (!this.isHeld) this.socket?.emit('readable')
  }

  /**
   * The last line of defence: an exception in an event of the socket ends the exchange of this connection, and nothing
   * else. The state of the client is unknown then, so that its pool drops it.
   */
  breakOff(error: unknown): void {
    if (this.isBroken) return
    this.isBroken = true
    this.isHeld = false
    this.onBug(error)
    this.emit('connectionError', this.origin, [this], Object.assign(new errors.UndiciError(), { cause: error }))
    this.socket?.destroy()
    this.exchange?.breakOff(error)
  }

  guard(act: () => void): void {
    try {
      act()
    } catch (error) {
      this.breakOff(error)
    }
  }

  private linked(result: Parameters<buildConnector.Callback>): Parameters<buildConnector.Callback> {
    const [error, socket] = result
    if (error === null) {
      this.socket = socket
      link(socket, this)
    }
    return result
  }
}

const readOn = (connection: UpstreamConnection): void => connection.readOn()

const LINK = Symbol('link')

/** A socket whose methods are replaced. All sockets share the methods, because they would be objects of every stream. */
type LinkedSocket = Socket & { readonly [LINK]: Link }

/** The original methods of a socket, and its connection. */
class Link {
  readonly connection: UpstreamConnection
  readonly interim = new InterimFilter()
  readonly read: Socket['read']
  readonly emit: Socket['emit']
  readonly destroy: Socket['destroy']

  constructor({ read, emit, destroy }: Pick<Socket, 'read' | 'emit' | 'destroy'>, connection: UpstreamConnection) {
    this.connection = connection
    this.read = read
    this.emit = emit
    this.destroy = destroy
  }
}

const link = (socket: Socket, connection: UpstreamConnection): void =>
  void Object.assign(socket, { [LINK]: new Link(socket, connection), read, emit, destroy })

/** undici reads a connection by `read` alone. `read(0)` returns nothing; by it, Node fills its buffer. */
function read(this: LinkedSocket, size?: number): unknown {
  const { connection, interim, read } = this[LINK]
  try {
    for (;;) {
      if (connection.isHeld && size !== 0) return null
      const chunk: unknown = read.call(this, size)
      if (!(chunk instanceof Buffer)) return chunk
      const passed = interim.pass(chunk, this.bytesWritten)
      if (passed.length > 0) return passed
    }
  } catch (error) {
    // Node also reads in a tick of its own, in which no event of the socket is emitted.
    connection.breakOff(error)
    return null
  }
}

function emit(this: LinkedSocket, ...event: Parameters<Socket['emit']>): boolean {
  const { connection, emit } = this[LINK]
  try {
    return emit.apply(this, event)
  } catch (error) {
    connection.breakOff(error)
    return true
  }
}

/** An error of the system breaks a connection. The bytes that came before it are part of the answer. */
function destroy(this: LinkedSocket, error?: Error): LinkedSocket {
  const { connection, destroy } = this[LINK]
  if (connection.isHeld && error !== undefined && 'syscall' in error) {
    connection.isHeld = false
    this.emit('readable')
  }
  destroy.call(this, error)
  return this
}
