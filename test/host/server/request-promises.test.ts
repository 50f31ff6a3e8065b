import { createHook } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { createInProcessGateway, toHttp } from '../in-process.ts'
import { stopClock } from '../stopped-clock.ts'
import { whenDone } from '../test-server.ts'

const chunk = (delta: object, finish_reason: string | null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

const ANSWER = `${chunk({ role: 'assistant', content: 'Hello' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`

/** Node creates the frames of promises in these modules. */
const OF_NODE = /\(?(?:node:|<anonymous>)/

/** Counts the promises that modules of `src` create while the work runs. */
async function countPromises(work: () => Promise<unknown>): Promise<number> {
  let count = 0
  const hook = createHook({
    init(_, type) {
      if (type !== 'PROMISE') return
      const calls = (new Error().stack ?? '').split('\n').slice(2)
      if (calls.find((call) => !OF_NODE.test(call))?.includes('/src/') === true) count += 1
    },
  }).enable()
  await work()
  hook.disable()
  return count
}

describe('a short streamed request', () => {
  it('makes fewer than 15 promises', async () => {
    // A slice of work that takes too long is followed by others, each with promises of its own.
    stopClock()
    const { send, close } = createInProcessGateway(
      { vendors: { up: { wire: 'openai-chat', base_url: 'http://127.0.0.1:9/v1' } } },
      {
        answer: () => ({
          status: 200,
          headers: { 'content-type': 'text/event-stream' },
          chunks: [new TextEncoder().encode(ANSWER)],
        }),
      },
    )
    whenDone(async () => close())
    const headers = { authorization: 'Bearer development-key-of-nobody', 'content-type': 'application/json' }
    const request = toHttp('POST', '/api/v1/responses', headers, '{"model":"up/m","input":"Hello","stream":true}')
    expect(String(await send(request))).toContain('response.completed')
    const count = await countPromises(() => send(request))
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThan(15)
  })
})
