import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { keepConnections } from '../../mock-upstreams/server.ts'
import { whenDone } from '../test-server.ts'

/** One delivery that a destination received. */
export interface Delivery {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Receiver {
  readonly url: string
  readonly got: Delivery[]
}

export type ReceiverAnswer = (response: ServerResponse, delivery: Delivery, number: number) => void

const accept: ReceiverAnswer = (response) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end('{}')

/** Opens a destination on loopback that accepts everything, or answers with the given function. */
export async function startReceiver(answer: ReceiverAnswer = accept): Promise<Receiver> {
  const got: Delivery[] = []
  const server = createServer(async (request, response) => {
    const body = await buffer(request)
    const delivery = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
    got.push(delivery)
    answer(response, delivery, got.length)
  })
  keepConnections(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, got }
}

/** Returns the spans of deliveries in OTLP JSON, with their attributes as plain objects. */
export const spansOf = (got: readonly Delivery[], read: (text: string) => object): Span[] =>
  got.flatMap(({ body }) => {
    const { resourceSpans } = read(body.toString()) as { resourceSpans: { scopeSpans: { spans: Raw[] }[] }[] }
    return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans.map(toSpan)))
  })

interface Raw {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly status?: { readonly code?: number }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

export interface Span extends Omit<Raw, 'attributes'> {
  readonly attributes: Readonly<Record<string, unknown>>
}

const toSpan = ({ attributes, ...rest }: Raw): Span => ({
  ...rest,
  attributes: Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
})
