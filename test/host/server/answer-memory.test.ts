import { describe, expect, it } from 'vitest'
import { AnswerMemory, type HeldAnswer } from '../../../src/gateway/answer/answer-memory.ts'
import { type Behaviour, beginning, bodyOf, inPieces, textChunk } from '../../mock-upstreams/server.ts'
import { lineOf, post, readSlowly, startTestServer, waitUntil } from '../test-server.ts'

function answerOf(failed: string[], name: string): HeldAnswer {
  return { heldBytes: 0, heldAt: -1, onNoRoom: ({ code }) => void failed.push(`${name} ${code}`) }
}

describe('the memory of open answers', () => {
  it('fails the largest answers beyond the limit, and never the only one', async () => {
    const memory = new AnswerMemory(100)
    const failed: string[] = []
    const [small, large, only] = ['small', 'large', 'only'].map((name) => answerOf(failed, name)) as [
      HeldAnswer,
      HeldAnswer,
      HeldAnswer,
    ]
    memory.hold(large, 90)
    memory.hold(small, 20)
    await waitUntil(() => failed.length > 0, 'a failure')
    expect([failed, memory.held()]).toEqual([['large server_is_overloaded'], 20])
    memory.release(small)
    memory.hold(only, 500)
    await new Promise((resolve) => setImmediate(resolve))
    expect([failed.length, memory.held()]).toEqual([1, 500])
    memory.release(only)
    memory.release(only)
    expect(memory.held()).toBe(0)
  })

  it.each([
    ['a translated stream', '/openai/v1/responses', { input: 'Hi' }, 'response.failed'],
    ['a stream of another client', '/openai/v1/messages', { max_tokens: 9, messages: [USER] }, 'event: error'],
  ])('ends %s in the protocol of its client, and leaves the other answers', async (_, path, body, ending) => {
    const { url, upstream, lines } = await startTestServer(beginning(textChunk('Hi')), {
      limits: { answers_memory_bytes: 100_000 },
    })
    const ask = () => post(url, { model: 'acme/m', stream: true, ...body }, { path })
    const first = readSlowly(await ask())
    const second = readSlowly(await ask())
    await waitUntil(() => upstream.received.length === 2, 'both requests')
    upstream.received[1]?.response.write(textChunk('y'.repeat(20_000)))
    await second.until((text) => text.includes('yyy'))
    for (let n = 0; n < 3; n += 1) upstream.received[0]?.response.write(textChunk('x'.repeat(20_000)))
    const text = await first.rest()
    expect(text).toContain(ending)
    expect(text).toContain('limits.answers_memory_bytes')
    expect(await lineOf(lines)).toMatchObject({ error: 'server_is_overloaded', party: 'gateway' })
    upstream.received[1]?.response.write(textChunk('zzz'))
    await second.until((sofar) => sofar.includes('zzz'))
  })

  it('closes the connection of a very long answer, whose failure would repeat its text', async () => {
    const { url, upstream, lines } = await startTestServer(beginning(textChunk('Hi')), {
      limits: { answers_memory_bytes: 100_000 },
    })
    const ask = () => post(url, { model: 'acme/m', stream: true, input: 'Hi' }, { path: '/openai/v1/responses' })
    const first = readSlowly(await ask())
    const second = readSlowly(await ask())
    await waitUntil(() => upstream.received.length === 2, 'both requests')
    for (let n = 0; n < 60; n += 1) upstream.received[0]?.response.write(textChunk('x'.repeat(20_000)))
    upstream.received[0]?.response.write(textChunk('last'))
    await first.until((text) => text.includes('last'))
    upstream.received[1]?.response.write(textChunk('y'.repeat(20_000)))
    await expect(first.rest()).rejects.toThrow()
    expect(await lineOf(lines)).toMatchObject({ error: 'server_is_overloaded', party: 'gateway' })
    await second.until((text) => text.includes('yyy'))
  })

  it.each([
    ['passed', '/openai/v1/chat/completions', { messages: [USER] }],
    ['translated', '/openai/v1/messages', { max_tokens: 9, messages: [USER] }],
  ])('returns with the end of each whole %s answer', async (_, path, body) => {
    let size = 20_000
    const answer: Behaviour = (response, request) => inPieces(bodyOf('x'.repeat(size)), 8000)(response, request)
    const { url } = await startTestServer(answer, { limits: { answers_memory_bytes: 100_000 } })
    const statuses: number[] = []
    // The largest answer fails for those whose memory was not returned.
    for (; size < 80_000; size += 10_000) {
      const response = await post(url, { model: 'acme/m', ...body }, { path })
      await response.text()
      statuses.push(response.status)
    }
    expect(statuses).toEqual(Array(6).fill(200))
  })
})

const USER = { role: 'user', content: 'Hi' }
