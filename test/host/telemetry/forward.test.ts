import { describe, expect, it } from 'vitest'
import { beginning, inPieces, streamOf, textChunk, withBody } from '../../mock-upstreams/server.ts'
import { readJson } from '../../observability/otlp-schema.ts'
import { hasServer } from '../doors.ts'
import { type Loose, lineOf, post, REQUEST, readSlowly, waitUntil } from '../test-server.ts'
import { spansOf, startReceiver } from './receiver.ts'
import { collector, QUICK, startTelemetryServer, stream } from './telemetry-server.ts'

const NOW = Date.UTC(2026, 10, 1)

describe('a request', () => {
  it('produces one valid span after its answer', async () => {
    const receiver = await startReceiver()
    const { url } = await startTelemetryServer([collector(1, receiver.url)], stream, {}, { clock: () => NOW })
    const trace = {
      trace_id: 'a'.repeat(32),
      parent_span_id: 'b'.repeat(16),
      generation_name: 'Weather',
      feature: 'quiz',
    }
    const body = {
      ...REQUEST,
      user: 'ada',
      session_id: 'session-1',
      temperature: 0.5,
      instructions: 'Be brief.',
      trace,
    }
    const answer = await (await post(url, body, { headers: { 'x-request-id': 'request-0001' } })).text()
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    expect(receiver.got[0]).toMatchObject({ method: 'POST', url: '/v1/traces' })
    const [span] = spansOf(receiver.got, readJson)
    expect(span).toMatchObject({ name: 'Weather', traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) })
    expect(span?.attributes).toMatchObject({
      'gen_ai.provider.name': 'acme',
      'gen_ai.request.model': 'mock-1',
      'gen_ai.response.model': 'mock-1',
      'gen_ai.request.temperature': 0.5,
      'gen_ai.usage.input_tokens': '3',
      'gen_ai.usage.output_tokens': '5',
      'gen_ai.conversation.id': 'session-1',
      'user.id': 'ada',
      'http.response.status_code': '200',
      'millrace.wire': 'openai-chat',
      'millrace.api_key_name': 'tester',
      'millrace.request_id': 'request-0001',
      'millrace.outcome': 'completed',
      'trace.metadata.feature': 'quiz',
      'gen_ai.system_instructions': '[{"type":"text","content":"Be brief."}]',
      'gen_ai.input.messages': '[{"role":"user","parts":[{"type":"text","content":"Hello"}]}]',
      'gen_ai.output.messages':
        '[{"role":"assistant","parts":[{"type":"text","content":"Seven degrees."}],"finish_reason":"stop"}]',
    })
    expect(answer).toContain(String(span?.attributes['gen_ai.response.id']))
    expect(Number(span?.attributes['gen_ai.response.time_to_first_chunk'])).toBeGreaterThan(0)
    const took = BigInt(span?.endTimeUnixNano ?? 0) - BigInt(span?.startTimeUnixNano ?? 0)
    expect(Number(took) / 1e6).toBeGreaterThan(0)
    expect(Number(span?.startTimeUnixNano) / 1e6).toBe(NOW)
  })

  it('for a count of tokens produces none', async () => {
    const receiver = await startReceiver()
    const { url } = await startTelemetryServer([collector(1, receiver.url)])
    const counted = await post(url, REQUEST, { path: '/api/v1/responses/input_tokens' })
    expect((await counted.json()).input_tokens).toBeGreaterThan(0)
    await (await post(url)).text()
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    const spans = spansOf(receiver.got, readJson)
    expect(spans.map(({ attributes }) => attributes['gen_ai.usage.output_tokens'])).toEqual(['5'])
  })

  it('that is not streamed produces a span with its output', async () => {
    const receiver = await startReceiver()
    const { url } = await startTelemetryServer([collector(1, receiver.url)])
    await (await post(url, { ...REQUEST, stream: false })).json()
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    expect(spansOf(receiver.got, readJson)[0]?.attributes).toMatchObject({
      'gen_ai.request.stream': false,
      'gen_ai.output.messages': expect.stringContaining('Seven degrees.'),
    })
  })

  it.each([
    [
      'refused by the upstream',
      withBody('{"error":{"message":"Slow down."}}', 429),
      REQUEST,
      'rate_limit_exceeded',
      '429',
    ],
    ['with a mistake in it', stream, { ...REQUEST, input: 7 }, 'invalid_prompt', '400'],
    ['for an unknown model', stream, { ...REQUEST, model: 'groq/x' }, 'model_not_found', '404'],
    ['cut in the middle', beginning(textChunk('Half')), REQUEST, 'upstream_disconnected', '200'],
  ])('%s produces a span with an error status', async (_, behave, body, code, status) => {
    const receiver = await startReceiver()
    const { url, upstream } = await startTelemetryServer([collector(1, receiver.url)], behave)
    const answer = readSlowly(await post(url, body))
    if (code === 'upstream_disconnected') {
      await answer.until((text) => text.includes('Half'))
      upstream.received[0]?.response.destroy()
    }
    await answer.rest()
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    const [span] = spansOf(receiver.got, readJson)
    expect(span?.status?.code).toBe(2)
    expect(span?.attributes).toMatchObject({ 'error.type': code, 'http.response.status_code': status })
    expect(JSON.stringify(span)).not.toContain('Slow down')
  })

  it('whose client disconnects produces a span with the output so far', async () => {
    const receiver = await startReceiver()
    const { url } = await startTelemetryServer([collector(1, receiver.url)], beginning(textChunk('Half')))
    const leaving = new AbortController()
    const response = await post(url, REQUEST, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    expect(spansOf(receiver.got, readJson)[0]?.attributes).toMatchObject({
      'error.type': 'client_gone',
      'gen_ai.output.messages': expect.stringContaining('Half'),
    })
  })

  it('without a valid key produces no span', async () => {
    const receiver = await startReceiver()
    const { url, running } = await startTelemetryServer([collector(1, receiver.url)])
    await post(url, REQUEST, { headers: { authorization: 'Bearer wrong' } })
    await (await post(url)).text()
    // The server delivers all remaining traces when it stops.
    await (hasServer() ? running.drain() : running.close())
    expect(spansOf(receiver.got, readJson)).toHaveLength(1)
  })
})

describe('the content of a request and its answer', () => {
  it('is left out of a span if it is too long, and never contains image data', async () => {
    const receiver = await startReceiver()
    const { url } = await startTelemetryServer([collector(1, receiver.url)], stream, {
      forwarding: { ...QUICK, content_characters: 3000 },
    })
    const image = { type: 'input_image', image_url: `data:image/png;base64,${'QUJD'.repeat(20_000)}` }
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, image] }]
    await (await post(url, { ...REQUEST, input })).text()
    await (await post(url, { ...REQUEST, input: 'word '.repeat(1000) })).text()
    await waitUntil(() => spansOf(receiver.got, readJson).length === 2, 'two spans')
    const attributes: Loose[] = spansOf(receiver.got, readJson).map((span) => span.attributes)
    const [small, large] = attributes[0]['millrace.content_left_out'] ? attributes.toReversed() : attributes
    expect(small['gen_ai.input.messages']).toMatch(/What is this\?.*data:image\/png \(80022 characters left out\)/)
    expect(large).toHaveProperty('millrace.content_left_out', true)
    expect(large).not.toHaveProperty('gen_ai.input.messages')
  })

  it('is whole in the span of a long answer that is passed on', async () => {
    const receiver = await startReceiver()
    const words = Array.from({ length: 50 }, (_, at) => `${at} ${'word '.repeat(20)}`)
    const { url, lines } = await startTelemetryServer([collector(1, receiver.url)], inPieces(streamOf(...words), 500))
    const body = { model: REQUEST.model, messages: [{ role: 'user', content: 'Count.' }], stream: true }
    await (await post(url, body, { path: '/api/v1/chat/completions' })).text()
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    const [span] = spansOf(receiver.got, readJson)
    expect((await lineOf(lines)).edits).toContain('model')
    expect(span?.attributes['gen_ai.output.messages']).toContain(words.join(''))
  })

  it('appears in no log line and no metric', async () => {
    const receiver = await startReceiver()
    const { url, lines } = await startTelemetryServer([collector(1, receiver.url), collector(2, 'http://127.0.0.1:9')])
    await (
      await post(url, { ...REQUEST, input: 'my diagnosis', user: 'ada-of-nobody', session_id: 'secret-session' })
    ).text()
    await waitUntil(() => lines.some(({ event }) => event === 'traces_dropped'), 'a line')
    const text = JSON.stringify(lines) + (hasServer() ? await (await fetch(`${url}/metrics`)).text() : '')
    expect(text).not.toMatch(/diagnosis|ada-of-nobody|secret-session|Seven|127\.0\.0\.1:9/)
  })
})
