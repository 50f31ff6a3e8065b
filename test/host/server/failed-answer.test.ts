import { queryObjects } from 'node:v8'
import { expect, it } from 'vitest'
import { AnswerReader } from '../../../src/gateway/answer/answer-reader.ts'
import { beginning, roleChunk, textChunk, withBody } from '../../mock-upstreams/server.ts'
import { KEY, post, readSlowly, startTestServer } from '../test-server.ts'
import { connectWebSocket } from '../websocket-client.ts'

const FAILURE = 'data: {"error":{"message":"It broke.","code":500,"type":"server_error"}}\n\n'
const failing = withBody(FAILURE, 200, { 'content-type': 'text/event-stream' })
const answering = beginning(roleChunk, textChunk('Hello'))

/** A server whose upstream fails twice with status 200 before it answers. */
function startFailing() {
  let calls = 0
  return startTestServer(
    (response, request) => {
      calls += 1
      return calls < 3 ? failing(response, request) : answering(response, request)
    },
    { retry: { attempts: 3, first_delay_ms: 1 } },
  )
}

/** Collects garbage before it counts. */
const countReaders = (): number => queryObjects(AnswerReader, { format: 'count' }) as unknown as number

it('an open stream does not keep the answers that failed before it', async () => {
  const { url, upstream } = await startFailing()
  const before = countReaders()
  const reading = readSlowly(await post(url))
  await reading.until((text) => text.includes('Hello'))
  expect(upstream.received).toHaveLength(3)
  expect(countReaders()).toBeLessThanOrEqual(before + 1)
})

it('an open answer on a WebSocket does not keep the answers that failed before it', async () => {
  const { url, upstream } = await startFailing()
  const before = countReaders()
  const client = await connectWebSocket(url, { headers: { authorization: `Bearer ${KEY}` } })
  client.send({ type: 'response.create', model: 'acme/mock-1', input: 'Hello' })
  for (let event = await client.next(); event.delta !== 'Hello'; ) event = await client.next()
  expect(upstream.received).toHaveLength(3)
  expect(countReaders()).toBeLessThanOrEqual(before + 1)
})
