import { describe, expect, it } from 'vitest'
import { toHttpRequests } from '../../../src/observability/export.ts'
import { clickhouseTable } from '../../../src/observability/exporters/clickhouse.ts'
import { type Behaviour, doneFrame, stopChunk, textChunk } from '../../mock-upstreams/server.ts'
import { readJson } from '../../observability/otlp-schema.ts'
import { destinationOf, traceOf } from '../../observability/samples.ts'
import { hasServer } from '../doors.ts'
import { lineOf, post, startTestServer, waitUntil } from '../test-server.ts'
import { spansOf, startReceiver } from './receiver.ts'
import { entryOf, KEYS, QUICK } from './telemetry-server.ts'

/** The price that an upstream reports reaches every client whose protocol has a place for it, and every record. */

const COST = 0.0421
const USAGE = { prompt_tokens: 3, completion_tokens: 5, total_tokens: 8, cost: COST }

const priced: Behaviour = (response, { body }) => {
  if (body.stream === true) {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    return void response.end(
      `${textChunk('Hi')}${stopChunk}data: ${JSON.stringify({ id: 'c', choices: [], usage: USAGE })}\n\n${doneFrame}`,
    )
  }
  const message = { role: 'assistant', content: 'Hi' }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }))
}

const MESSAGES = [{ role: 'user', content: 'Hello' }]
const CONTENTS = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }
const model = 'acme/mock-1'

/** A request of each client family, and whether its protocol has a place for a price. */
const FAMILIES: readonly [string, boolean, (stream: boolean) => readonly [path: string, body: object]][] = [
  ['beta', true, (stream) => ['/api/v1/responses', { model, input: 'Hello', stream }]],
  ['openai', true, (stream) => ['/openai/v1/responses', { model, input: 'Hello', stream }]],
  [
    'chat completions',
    true,
    (stream) => [
      '/openai/v1/chat/completions',
      { model, messages: MESSAGES, stream, ...(stream ? { stream_options: { include_usage: true } } : {}) },
    ],
  ],
  ['messages', true, (stream) => ['/openai/v1/messages', { model, messages: MESSAGES, max_tokens: 9, stream }]],
  [
    'gemini',
    false,
    (stream) => [
      `/openai/v1/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      CONTENTS,
    ],
  ],
  ['interactions', false, (stream) => ['/openai/v1/interactions', { model, input: 'Hello', stream }]],
  ['ollama', false, (stream) => ['/openai/v1/api/chat', { model, messages: MESSAGES, stream }]],
]

describe('the price that an upstream reports', () => {
  for (const [family, hasPlace, ask] of FAMILIES) {
    it.each([true, false])(`reaches a client of ${family}, or is a loss (stream: %s)`, async (stream) => {
      const { url, lines } = await startTestServer(priced, { keys: KEYS })
      const [path, body] = ask(stream)
      const answer = await post(url, body, { path })
      const text = await answer.text()
      expect(answer.status, text).toBe(200)
      expect(/"cost": ?0\.0421\b/.test(text)).toBe(hasPlace)
      const line = await lineOf(lines)
      expect(line.usage).toMatchObject({ cost: COST })
      const losses = (line.losses ?? []) as readonly string[]
      expect(losses.some((loss) => loss.startsWith('usage.cost'))).toBe(!hasPlace)
    })
  }

  it('reaches metrics and traces', async () => {
    const receiver = await startReceiver()
    const destinations = [entryOf('otel-collector', 1, { config: { endpoint: receiver.url } })]
    const { url, lines } = await startTestServer(priced, { keys: KEYS, destinations, forwarding: QUICK })
    for (let at = 0; at < 2; at += 1) await (await post(url, { model, input: 'Hello' })).text()
    await waitUntil(() => lines.filter(({ event }) => event === 'request').length === 2, 'two log lines')
    if (hasServer()) {
      const metrics = await (await fetch(`${url}/metrics`)).text()
      expect(metrics).toContain(`millrace_cost_usd_total{vendor="acme"} ${2 * COST}`)
    }
    await waitUntil(() => receiver.got.length > 0, 'a delivery')
    expect(spansOf(receiver.got, readJson)[0]?.attributes).toMatchObject({ 'gen_ai.usage.cost': COST })
  })

  it('reaches destinations in the field of each', () => {
    const usage = { input_tokens: 3, output_tokens: 5, total_tokens: 8, cached_tokens: null, reasoning_tokens: null }
    const trace = traceOf({ usage: { ...usage, cost: COST } })
    const sent = (type: Parameters<typeof destinationOf>[0]): string =>
      toHttpRequests(destinationOf(type), [trace])
        .map(({ body }) => Buffer.from(body).toString())
        .join('\n')
    expect(sent('datadog')).toContain(`"total_cost":${COST}`)
    expect(sent('posthog')).toContain(`"$ai_total_cost_usd":${COST}`)
    expect(sent('clickhouse')).toContain(`"TOTAL_COST":${COST}`)
    expect(clickhouseTable('T')).toContain('TOTAL_COST')
  })
})
