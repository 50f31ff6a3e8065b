import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Frame } from '../../src/framing/frame.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import type { GatewayError } from '../../src/protocol/error.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import type { Request } from '../../src/protocol/request.ts'
import type { Origin } from '../../src/responses/encrypted-content.ts'
import { runSteps } from '../../src/text/steps.ts'
import { validateRequest } from '../../src/validation/request.ts'
import type { ClientCodec, DecodeContext } from '../../src/wires/client-contract.ts'
import { keepConnections } from '../mock-upstreams/server.ts'
import { decodeContext, encodeContext, framesOf, HOME, inOrder, requestWith, sealOf } from './deltas.ts'

/** One turn as the server received it. */
export interface ServedRequest {
  readonly body: JsonObject
  /** The request as the hub reads it. */
  readonly read: JsonObject
  readonly request: Request
  readonly stop: readonly string[] | null
}

export interface Served {
  readonly url: string
  readonly received: readonly ServedRequest[]
}

/** Returns the deltas that answer a turn; `turn` counts from 0. */
type Answer = (request: ServedRequest, turn: number) => readonly Delta[]

const readText = async (chunks: AsyncIterable<Buffer>): Promise<string> => {
  const read: Buffer[] = []
  for await (const chunk of chunks) read.push(chunk)
  return Buffer.concat(read).toString('utf8')
}

const toText = (client: ClientCodec, { data, event }: Frame): string =>
  client.format === 'ndjson' ? `${data}\n` : `${event === '' ? '' : `event: ${event}\n`}data: ${data}\n\n`

/** Google has the model and the kind of the answer in the path. */
function readPath(url = ''): Partial<DecodeContext> {
  const [, model, method] = /\/models\/(.+):(generateContent|streamGenerateContent)/.exec(decodeURIComponent(url)) ?? []
  return model === undefined ? {} : { model, stream: method === 'streamGenerateContent' }
}

/**
 * Starts a server around the client side of one wire: requests pass through `decodeRequest` and the validation, answers
 * through the hub and the encoder, in pieces that end anywhere, with a keep-alive after every frame. An error that is
 * the first delta has a status. `from`: the origin whose reasoning this wire can read.
 */
export async function serve(client: ClientCodec, answer: Answer, from: Origin | null = null): Promise<Served> {
  const received: ServedRequest[] = []
  const comment = client.format === 'ndjson' ? '' : ': keep-alive\n\n'
  const keepAlive = client.keepAlive === null ? comment : toText(client, client.keepAlive)
  const server = createServer(async (incoming, response) => {
    const body = JSON.parse(await readText(incoming)) as JsonObject
    const decoded = runSteps(client.decodeRequest(body, { ...decodeContext(from), ...readPath(incoming.url) }))
    const validated = decoded.ok ? validateRequest(decoded.body) : decoded
    const fail = (error: GatewayError): void => {
      const { status, body } = client.encodeError(error, 'req_1')
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    }
    if (!validated.ok) return fail(validated.error)
    const { settings, stop, body: read } = requestWith(decoded)
    const turn = { body, read, request: validated.request, stop }
    received.push(turn)
    const given = answer(turn, received.length - 1)
    if (given[0]?.kind === 'error') return fail(given[0].error)
    const deltas = inOrder(given, sealOf(from ?? HOME))
    const answering = encodeContext(settings, from)
    if (!validated.request.stream) {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(client.encodeBody(deltas, answering)))
      return
    }
    response.writeHead(200, {
      'content-type': client.format === 'ndjson' ? 'application/x-ndjson' : 'text/event-stream',
    })
    const text = framesOf(client, deltas, answering)
      .map((frame) => toText(client, frame) + keepAlive)
      .join('')
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 37) {
      response.write(bytes.subarray(at, at + 37))
      await new Promise((resolve) => setImmediate(resolve))
    }
    response.end()
  })
  keepConnections(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}
