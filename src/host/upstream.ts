import type { IncomingHttpHeaders } from 'node:http'
import { Agent, buildConnector, type Dispatcher } from 'undici/index.js'
import type { GatewayError } from '../protocol/error.ts'
import { type Attempt, failure, success } from './attempt.ts'
import type { Config } from './config.ts'
import { ignoringContinue } from './interim.ts'
import type { Signal } from './signal.ts'
import type { Answer, Call, Reader, Source } from './source.ts'
import { transportError } from './transport-error.ts'

type Controller = Dispatcher.DispatchController

const encoder = new TextEncoder()

/** One pool of connections for one server. Their number is left open: each stream holds one for as long as it lasts. */
export const openAgent = ({ connect_seconds, first_byte_seconds, idle_seconds }: Config['timeouts']): Agent =>
  new Agent({
    pipelining: 1,
    connect: ignoringContinue(buildConnector({ timeout: connect_seconds * 1000 })),
    headersTimeout: first_byte_seconds * 1000,
    bodyTimeout: idle_seconds * 1000,
  })

/**
 * An upstream over HTTP. undici's dispatcher is used as it is, without a stream in between: one callback per chunk, and
 * `pause` reaches down to the socket.
 */
export const httpSource =
  (agent: Agent): Source =>
  (call, signal) =>
    new Promise((resolve) => {
      if (signal.reason !== null) resolve(failure(signal.reason))
      else dispatch(agent, call, signal, resolve)
    })

function dispatch(agent: Agent, call: Call, signal: Signal, resolve: (head: Attempt<Answer>) => void): void {
  const { url, headers, body } = call
  const path = url.pathname + url.search
  // Memory of its own: undici keeps what it sends for as long as the answer lasts. Of a short text it would make a piece of
  // node's pool, and keep that whole: 8 KiB in Node 20, 64 in Node 24.
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  agent.dispatch({ origin: url.origin, path, method: 'POST', headers, body: bytes }, new Hearing(signal, resolve))
}

/**
 * One call, as undici tells it. A class, and not closures: with a thousand streams, of which each says something ten
 * times a second, nothing of a stream is in a cache when its next chunk comes. Every object on the chunk's way then
 * costs as much as a hundred steps: of a class there is one a stream, of closures three for each function.
 */
class Hearing implements Dispatcher.DispatchHandler {
  private reader: Reader | null = null
  private over = false
  /** The reader comes a moment after the head: what happens in between is told to it then. */
  private missed: ((reader: Reader) => void)[] = []
  private controller: Controller | null = null
  private readonly signal: Signal
  private readonly resolve: (head: Attempt<Answer>) => void

  constructor(signal: Signal, resolve: (head: Attempt<Answer>) => void) {
    this.signal = signal
    this.resolve = resolve
    signal.listen(this.giveUp)
  }

  onRequestStart(controller: Controller): void {
    this.controller = controller
    // Given up while the connection was being made: nothing is sent.
    if (this.over) this.letGo()
  }

  onResponseStart(controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    controller.pause()
    // Parts of the read in which they came: all 64 KiB of it would be kept for as long as the answer lasts.
    controller.rawHeaders = null
    const answer = {
      status,
      headers: flatten(headers),
      read: (reader: Reader) => this.attach(reader),
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      abort: () => {
        this.close()
        this.letGo()
      },
    }
    this.resolve(success(answer))
  }

  onResponseData(_: Controller, chunk: Uint8Array): void {
    if (this.over) return
    if (this.reader === null) this.tell((reader) => reader.bytes(chunk))
    else this.reader.bytes(chunk)
  }

  onResponseEnd(): void {
    if (this.close()) this.tell((reader) => reader.end())
  }

  onResponseError(_: Controller, error: Error): void {
    this.fail(transportError(error))
  }

  private attach(reader: Reader): void {
    this.reader = reader
    for (const what of this.missed.splice(0)) what(reader)
    this.controller?.resume()
  }

  private tell(what: (reader: Reader) => void): void {
    if (this.reader === null) this.missed.push(what)
    else what(this.reader)
  }

  private fail(error: GatewayError): void {
    if (!this.close()) return
    this.resolve(failure(error))
    this.tell((reader) => reader.fail(error))
  }

  private readonly giveUp = (): void => {
    const { reason } = this.signal
    if (reason !== null) this.fail(reason)
    this.letGo()
  }

  private letGo(): void {
    this.controller?.abort(new Error('The request was given up.'))
  }

  private close(): boolean {
    if (this.over) return false
    this.over = true
    this.signal.forget(this.giveUp)
    return true
  }
}

const flatten = (headers: IncomingHttpHeaders): Answer['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'object' ? value.join(', ') : value,
    ]),
  )
