import { describe, expect, it } from 'vitest'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { ASSISTANT_ANSWERS, ASSISTANT_REQUESTS, OUTPUTS, QUESTION, SEAL, startConversation } from '../conversation.ts'
import { eventsOf, json, type Loose, post } from '../test-server.ts'

/**
 * `thoughtSignature` is bytes in Google's API: typed clients of Go and Java read it and write it again in their own form
 * of base64. Reasoning of upstreams of other protocols must reach them again in every form.
 */

const UPSTREAMS = (['anthropic-messages', 'openai-responses', 'bedrock-converse'] as const).map(
  (wire) => WIRE_UPSTREAMS[wire],
)

const withoutPadding = (text: string): string => text.replace(/=+$/, '')
const urlSafe = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_')

const FORMS: readonly (readonly [string, (signature: string) => string])[] = [
  ['as it was', (signature) => signature],
  ['without padding', withoutPadding],
  ['in the url-safe alphabet', urlSafe],
  ['in the url-safe alphabet without padding', (signature) => urlSafe(withoutPadding(signature))],
  ['as the envelope itself', (signature) => Buffer.from(signature, 'base64').toString()],
]

const asked = { role: 'user', parts: [{ text: QUESTION }] }
const responses = OUTPUTS.map((result, i) => ({
  functionResponse: { id: i === 0 ? 'call_a' : 'call_b', name: 'get_weather', response: { result } },
}))

describe.each(UPSTREAMS)('a signature of $wire for a Gemini client', (upstream) => {
  it.each(FORMS)('is base64, and reaches its upstream when it is sent back %s', async (_, form) => {
    for (const method of ['generateContent', 'streamGenerateContent?alt=sse']) {
      const turns = [ASSISTANT_REQUESTS, ASSISTANT_ANSWERS]
      const conversation = await startConversation(upstream, turns)
      const path = `/api/v1/models/${conversation.model}:${method}`
      const first = await post(conversation.url, { contents: [asked] }, { path })
      const answers: readonly Loose[] = method.includes('stream') ? eventsOf(await first.text()) : [await json(first)]
      const parts: readonly Loose[] = answers.flatMap(({ candidates }) => candidates[0].content?.parts ?? [])
      const signed = parts.filter(({ thoughtSignature }) => thoughtSignature !== undefined)
      expect(signed.length).toBeGreaterThan(0)
      for (const { thoughtSignature } of signed)
        expect(Buffer.from(thoughtSignature, 'base64').toString('base64')).toBe(thoughtSignature)
      const back = parts.map((part) =>
        part.thoughtSignature === undefined ? part : { ...part, thoughtSignature: form(part.thoughtSignature) },
      )
      const contents = [asked, { role: 'model', parts: back }, { role: 'user', parts: responses }]
      const second = await post(conversation.url, { contents }, { path })
      expect(second.status).toBe(200)
      await second.text()
      expect(JSON.stringify(conversation.upstream.received[1]?.body)).toContain(SEAL)
    }
  })
})
