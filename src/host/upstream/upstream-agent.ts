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
  /** All bytes of one read have arrived. */
  flush(): void
  /** Ends the exchange, because its connection cannot be used any more. */
  breakOff(error: unknown): void
}

/** The options of undici, with the exchange that the request belongs to. */
export interface CarryingOptions extends Dispatcher.DispatchOptions {
  readonly exchange: CarriedExchange
}

type UpstreamAgentOptions = Agent.Options & { readonly connect: Connector; readonly idleMs?: number }

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
  /** The methods of the socket that are replaced. */
  own: SocketMethods | null = null
  private socket: Socket | null = null
  /** Null from the head of an answer on. */
  private interim: InterimFilter | null = null
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
    this.interim = new InterimFilter()
    if (exchange !== null) exchange.connection = this
    return super.dispatch(options, handler)
  }

  /** Reads nothing more of the exchange until `release`. */
  hold(): void {
    this.isHeld = true
  }

  /** Reads on. The parser may be at work now, so that it reads in a tick of its own. */
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

  /** The parser is done with the bytes of the last read. */
  flush(): void {
    this.exchange?.flush()
  }

  /** Returns the bytes of a read that the parser gets. */
  passed(chunk: Buffer): Buffer {
    const { interim } = this
    if (interim === null) return chunk
    const passed = interim.pass(chunk)
    if (interim.isDone) this.interim = null
    return passed
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

type SocketMethods = Pick<Socket, 'read' | 'emit' | 'destroy'>

const CONNECTION = Symbol('connection')

/** A socket whose methods are replaced. All sockets share the methods, because they would be objects of every stream. */
type LinkedSocket = Socket & { readonly [CONNECTION]: UpstreamConnection & { readonly own: SocketMethods } }

function link(socket: Socket, connection: UpstreamConnection): void {
  const { read: ownRead, emit: ownEmit, destroy: ownDestroy } = socket
  connection.own = { read: ownRead, emit: ownEmit, destroy: ownDestroy }
  Object.assign(socket, { [CONNECTION]: connection, read, emit, destroy })
}

/**
 * undici reads a connection by `read` alone, and once more after each chunk that it has parsed. `read(0)` returns
 * nothing; by it, Node fills its buffer.
 */
function read(this: LinkedSocket, size?: number): unknown {
  const connection = this[CONNECTION]
  try {
    if (size !== 0) connection.flush()
    for (;;) {
      if ((connection.isHeld && size !== 0) || this.destroyed) return null
      const chunk: unknown = connection.own.read.call(this, size)
      if (!(chunk instanceof Buffer)) return chunk
      const passed = connection.passed(chunk)
      if (passed.length > 0) return passed
    }
  } catch (error) {
    // Node also reads in a tick of its own, in which no event of the socket is emitted.
    connection.breakOff(error)
    return null
  }
}

function emit(this: LinkedSocket, ...event: Parameters<Socket['emit']>): boolean {
  const connection = this[CONNECTION]
  try {
    return connection.own.emit.apply(this, event)
  } catch (error) {
    connection.breakOff(error)
    return true
  }
}

/** An error of the system breaks a connection. The bytes that came before it are part of the answer. */
function destroy(this: LinkedSocket, error?: Error): LinkedSocket {
  const connection = this[CONNECTION]
  if (connection.isHeld && error !== undefined && 'syscall' in error) {
    connection.isHeld = false
    this.emit('readable')
  }
  connection.own.destroy.call(this, error)
  return this
}
