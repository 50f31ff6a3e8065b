/**
 * The load client. Its cost is minimal, because on two cores it takes processor time from the measured
 * servers.
 */
import { Agent } from 'undici'
import { HEADERS } from './protocol.ts'

/** Node accepts one connection in each turn of its loop: on a busy machine, the last one of thousands waits long. */
const CONNECT_MS = 60_000

const agent = new Agent({
  connections: null,
  headersTimeout: 0,
  bodyTimeout: 0,
  pipelining: 1,
  connect: { timeout: CONNECT_MS },
})

export const close = (): Promise<void> => agent.destroy()

/**
 * A body that both servers accept: a Responses request and a chat request in one. `model` selects the upstream's
 * behaviour.
 */
const bodyOf = (model: string): string =>
  JSON.stringify({
    model: `bench/${model}`,
    input: 'Hello',
    messages: [{ role: 'user', content: 'Hello' }],
    stream: true,
    stream_options: { include_usage: true },
  })

export interface SentRequest {
  /** Resolves when the head of the answer has arrived, and also if it never does: `done` has the error. */
  readonly started: Promise<void>
  /** Resolves when the stream has ended or was aborted; rejects if the answer is not a stream, or breaks off. */
  readonly done: Promise<void>
  abort(): void
}

export function sendRequest(url: string, model: string, onBytes: (bytes: Buffer) => void): SentRequest {
  const { origin, pathname: path } = new URL(url)
  let abort = (): void => {}
  let given = false
  let start = (): void => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const done = new Promise<void>((resolve, reject) => {
    agent.dispatch(
      { origin, path, method: 'POST', headers: HEADERS, body: bodyOf(model) },
      {
        onRequestStart(controller) {
          abort = () => {
            given = true
            controller.abort(new Error('given up'))
          }
        },
        onResponseStart(_, status) {
          start()
          if (status !== 200) reject(new Error(`status ${status}`))
        },
        onResponseData: (_, bytes) => onBytes(bytes as Buffer),
        onResponseEnd: () => resolve(),
        onResponseError(_, error) {
          start()
          if (given) resolve()
          else reject(error)
        },
      },
    )
  })
  return { started, done, abort: () => abort() }
}
