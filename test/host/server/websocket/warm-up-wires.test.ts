import { expect, it } from 'vitest'
import { WIRE_UPSTREAMS } from '../../../mock-upstreams/wires.ts'
import { startConversation } from '../../conversation.ts'
import { openSocket } from './socket-client.ts'

const TOOL = { type: 'function', name: 'get_weather', parameters: { type: 'object', properties: {} } }
const RULES = { type: 'message', role: 'developer', content: 'Be brief.' }

/** Codex sends its tools and rules with `generate: false` before it has a prompt. */
it.each(Object.values(WIRE_UPSTREAMS))('a warm-up without a prompt is continued over $wire', async (wireUpstream) => {
  const { upstream, url, model } = await startConversation(wireUpstream, [])
  const client = await openSocket(url)
  const warm = await client.ask({ model, input: [RULES], tools: [TOOL], generate: false })
  expect(warm.at(-1)).toMatchObject({ type: 'response.completed', response: { output: [] } })
  expect(upstream.received).toEqual([])

  const { id } = warm.at(-1).response
  const input = [{ type: 'message', role: 'user', content: 'Where is it warmer?' }]
  const answer = await client.ask({ model, input, tools: [TOOL], previous_response_id: id })
  expect(answer.at(-1)).toMatchObject({ type: 'response.completed' })
  const sent = JSON.stringify(upstream.received[0]?.body)
  expect([sent.includes('Be brief.'), sent.includes('Where is it warmer?')]).toEqual([true, true])
})
