import { Agent, type Dispatcher } from 'undici'
import type { GatewayError } from '../protocol/error.ts'
import { type Attempt, failure, success } from './attempt.ts'
import type { Config } from './config.ts'
import type { Answer, Call, Reader, Source } from './source.ts'
import { transportError } from './transport-error.ts'

type Controller = Dispatcher.DispatchController
type Headers = Readonly<Record<string, string | undefined>>

/** One pool of connections for one server. Their number is left open: each stream holds one for as long as it lasts. */
export const openAgent = ({ connect_seconds, first_byte_seconds, idle_seconds }: Config['timeouts']): Agent =>
  new Agent({
    pipelining: 1,
    connect: { timeout: connect_seconds * 1000 },
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
      if (signal.aborted) resolve(failure(signal.reason as GatewayError))
      else dispatch(agent, call, signal, resolve)
    })

function dispatch(agent: Agent, call: Call, signal: AbortSignal, resolve: (head: Attempt<Answer>) => void): void {
  const body = openBody()
  let controller: Controller | null = null
  let over = false

  const close = (): boolean => {
    if (over) return false
    over = true
    signal.removeEventListener('abort', giveUp)
    return true
  }
  const fail = (error: GatewayError): void => {
    if (!close()) return
    resolve(failure(error))
    body.fail(error)
  }
  const letGo = (): void => controller?.abort(new Error('The request was given up.'))
  const giveUp = (): void => {
    fail(signal.reason as GatewayError)
    letGo()
  }
  signal.addEventListener('abort', giveUp)

  agent.dispatch(
    { origin: call.url.origin, path: call.url.pathname + call.url.search, method: 'POST', ...toParts(call) },
    {
      onRequestStart(own) {
        controller = own
        // Given up while the connection was being made: nothing is sent.
        if (over) letGo()
      },
      onResponseStart(own, status, headers) {
        if (status < 200) return
        own.pause()
        const abort = (): void => {
          close()
          letGo()
        }
        resolve(success(toAnswer(own, status, flatten(headers), body, abort)))
      },
      onResponseData: (_, chunk) => {
        if (!over) body.bytes(chunk)
      },
      onResponseEnd: () => {
        if (close()) body.end()
      },
      onResponseError: (_, error) => fail(transportError(error)),
    },
  )
}

const toParts = ({ headers, body }: Call) => ({ headers, body })

const toAnswer = (controller: Controller, status: number, headers: Headers, body: Body, abort: () => void): Answer => ({
  status,
  headers,
  read: (reader) => {
    body.attach(reader)
    controller.resume()
  },
  pause: () => controller.pause(),
  resume: () => controller.resume(),
  abort,
})

interface Body extends Reader {
  attach(reader: Reader): void
}

/** The reader comes a moment after the head: what happens to the connection in between is told to it then. */
function openBody(): Body {
  let target: Reader | null = null
  const missed: ((reader: Reader) => void)[] = []
  const tell = (what: (reader: Reader) => void): void => {
    if (target === null) missed.push(what)
    else what(target)
  }
  return {
    bytes: (chunk) => (target === null ? tell((reader) => reader.bytes(chunk)) : target.bytes(chunk)),
    end: () => tell((reader) => reader.end()),
    fail: (error) => tell((reader) => reader.fail(error)),
    attach(reader) {
      target = reader
      for (const what of missed.splice(0)) what(reader)
    },
  }
}

const flatten = (headers: Readonly<Record<string, string | readonly string[] | undefined>>): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'object' ? value.join(', ') : value,
    ]),
  )
