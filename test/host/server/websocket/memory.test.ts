import { describe, expect, it } from 'vitest'
import { bodyOf, withBody } from '../../../mock-upstreams/server.ts'
import { startTestServer } from '../../test-server.ts'
import { connectWebSocket, encodeFrame, TEXT } from '../../websocket-client.ts'

const create = (input: unknown, more: object = {}) => ({ type: 'response.create', model: 'acme/m', input, ...more })

describe('the kept responses of a connection', () => {
  it('count with the memory of their values, which may be many times their JSON', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')), { websocket: { kept_bytes: 100_000 } })
    const client = await connectWebSocket(url)
    const extra = { list: Array(2000).fill({}) }
    const warm = create([{ type: 'message', role: 'user', content: 'Hi', extra }])
    const [last] = (await client.turn({ ...warm, generate: false })).slice(-1)
    const next = await client.turn(create('Go on', { previous_response_id: last.response.id }))
    expect(next.at(-1)).toMatchObject({ type: 'error', error: { code: 'previous_response_not_found' } })
  })

  it('may have values of every kind', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')))
    const client = await connectWebSocket(url)
    const input = [{ type: 'message', role: 'user', content: 'Hi', extra: [null, 1, true, { a: null }] }]
    const [last] = (await client.turn(create(input))).slice(-1)
    const next = await client.turn(create('Go on', { previous_response_id: last.response.id }))
    expect(next.at(-1)?.type).toBe('response.completed')
  })

  it('are dropped beyond the memory of all connections', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')), { websocket: { kept_memory_bytes: 100_000 } })
    const warm = async () => {
      const client = await connectWebSocket(url)
      const events = await client.turn({ ...create('x'.repeat(20_000)), generate: false })
      return { client, id: events.at(-1)?.response.id }
    }
    const all = [await warm(), await warm(), await warm()]
    const ends = await Promise.all(
      all.map(({ client, id }) => client.turn(create('Go on', { previous_response_id: id, generate: false }))),
    )
    const codes = ends.map((events) => events.at(-1)?.error?.code ?? events.at(-1)?.type)
    expect(codes.sort()).toEqual(['previous_response_not_found', 'response.completed', 'response.completed'])
  })
})

describe('a message that arrives', () => {
  const frame = encodeFrame({ opcode: TEXT, payload: JSON.stringify(create('x'.repeat(50_000))) })

  it('is refused after the time of a body, and the connection goes on', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')), { connections: { body_seconds: 0.1 } })
    const client = await connectWebSocket(url)
    client.socket.write(frame.subarray(0, 40_000))
    expect(await client.next()).toMatchObject({ type: 'error', status: 408, error: { code: 'request_timeout' } })
    client.socket.write(frame.subarray(40_000))
    expect((await client.turn(create('Hi'))).at(-1)?.type).toBe('response.completed')
  })

  it('is refused if other bodies use the memory for them, and the connection goes on', async () => {
    const { url } = await startTestServer(withBody(bodyOf('Hi')), { limits: { request_bodies_memory_bytes: 400_000 } })
    const [first, second] = [await connectWebSocket(url), await connectWebSocket(url)]
    first.socket.write(frame.subarray(0, 49_000))
    // The server has read the beginning once it has answered a later connection.
    await connectWebSocket(url)
    second.socket.write(frame.subarray(0, 45_000))
    expect(await second.next()).toMatchObject({ type: 'error', status: 503, error: { code: 'server_is_overloaded' } })
    second.socket.write(frame.subarray(45_000))
    first.socket.destroy()
    expect((await second.turn(create('Hi'))).at(-1)?.type).toBe('response.completed')
  })
})
