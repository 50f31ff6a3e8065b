import { describe, expect, it } from 'vitest'
import { readJson } from '../observability/otlp-schema.ts'
import { uuid } from '../observability/samples.ts'
import { KEY, type Loose, openHouse, post, REQUEST, sha256, until } from './harness.ts'
import { beginning, inPieces, say, sleep, streamOf, withBody } from './mock-upstream.ts'
import { entryOf, KEYS } from './observability-house.ts'
import { openReceiver, spansOf } from './receiver.ts'

const QUICK = { batch_seconds: 0.02, attempts: 2, timeout_seconds: 1 }
const stream = inPieces(streamOf('Seven', ' degrees.'), 60)
const collector = (number: number, url: string, changes: object = {}) =>
  entryOf('otel-collector', number, { config: { endpoint: url }, ...changes })

const openWith = (destinations: readonly object[], behave = stream, config: object = {}) =>
  openHouse(behave, { keys: KEYS, destinations, forwarding: QUICK, ...config })

const metricOf = async (url: string, start: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(start))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

describe('a request', () => {
  it('becomes one span that validates, after its answer', async () => {
    const receiver = await openReceiver()
    const { url } = await openWith([collector(1, receiver.url)])
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
    await until(() => receiver.got.length > 0, 'a delivery')
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
    expect(Math.abs(Number(span?.startTimeUnixNano) / 1e6 - Date.now())).toBeLessThan(60_000)
  })

  it('that is not streamed is told, too', async () => {
    const receiver = await openReceiver()
    const { url } = await openWith([collector(1, receiver.url)])
    await (await post(url, { ...REQUEST, stream: false })).json()
    await until(() => receiver.got.length > 0, 'a delivery')
    expect(spansOf(receiver.got, readJson)[0]?.attributes).toMatchObject({
      'millrace.stream': false,
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
    ['for nobody', stream, { ...REQUEST, model: 'nobody/x' }, 'model_not_found', '404'],
    ['cut in the middle', beginningThenCut(), REQUEST, 'upstream_disconnected', '200'],
  ])('%s is a span that failed', async (_, behave, body, code, status) => {
    const receiver = await openReceiver()
    const { url } = await openWith([collector(1, receiver.url)], behave)
    await (await post(url, body)).text()
    await until(() => receiver.got.length > 0, 'a delivery')
    const [span] = spansOf(receiver.got, readJson)
    expect(span?.status?.code).toBe(2)
    expect(span?.attributes).toMatchObject({ 'error.type': code, 'http.response.status_code': status })
    expect(JSON.stringify(span)).not.toContain('Slow down')
  })

  it('whose client goes is told as far as it came', async () => {
    const receiver = await openReceiver()
    const { url } = await openWith([collector(1, receiver.url)], beginning(say('Half')))
    const leaving = new AbortController()
    const response = await post(url, REQUEST, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    await until(() => receiver.got.length > 0, 'a delivery')
    expect(spansOf(receiver.got, readJson)[0]?.attributes).toMatchObject({
      'error.type': 'client_gone',
      'gen_ai.output.messages': expect.stringContaining('Half'),
    })
  })

  it("without a known key is nobody's", async () => {
    const receiver = await openReceiver()
    const { url } = await openWith([collector(1, receiver.url)])
    await post(url, REQUEST, { headers: { authorization: 'Bearer wrong' } })
    await (await post(url)).text()
    await until(() => receiver.got.length > 0, 'a delivery')
    await sleep(60)
    expect(spansOf(receiver.got, readJson)).toHaveLength(1)
  })
})

function beginningThenCut(): typeof stream {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(say('Half'))
    await sleep(30)
    response.destroy()
  }
}

describe('a destination', () => {
  it('in privacy mode sees facts, and none of what was said', async () => {
    const [open, closed] = [await openReceiver(), await openReceiver()]
    const { url } = await openWith([collector(1, open.url), collector(2, closed.url, { privacy_mode: true })])
    await (await post(url, { ...REQUEST, input: 'my diagnosis', instructions: 'as a doctor' })).text()
    await until(() => open.got.length > 0 && closed.got.length > 0, 'two deliveries')
    expect(open.got[0]?.body.toString()).toMatch(/my diagnosis.*Seven degrees/s)
    expect(closed.got[0]?.body.toString()).not.toMatch(/diagnosis|doctor|Seven/)
    expect(spansOf(closed.got, readJson)[0]?.attributes).toMatchObject({ 'gen_ai.usage.output_tokens': '5' })
  })

  it('gets what its switches, keys, workspace, filters and sampling let through', async () => {
    const other = { name: 'other', sha256: sha256('other-key'), workspace: 'b' }
    const workspaces = [{ id: 'a', default: true }, { id: 'b' }]
    const filter = (value: string) => ({ groups: [{ rules: [{ field: 'input', operator: 'contains', value }] }] })
    const receivers = await Promise.all(Array.from({ length: 7 }, () => openReceiver()))
    const at = (index: number) => receivers[index]?.url ?? ''
    const { url } = await openWith(
      [
        collector(1, at(0), { enabled: false }),
        collector(2, at(1), { api_key_hashes: [sha256(KEY)] }),
        collector(3, at(2), { api_key_hashes: [sha256('other-key')] }),
        collector(4, at(3), { workspace: 'b' }),
        collector(5, at(4), { filter_rules: filter('Oslo') }),
        collector(6, at(5), { filter_rules: filter('Rome') }),
        collector(7, at(6), { sampling_rate: 0.0001 }),
      ],
      stream,
      { keys: [...KEYS, other], workspaces },
    )
    await (await post(url, { ...REQUEST, input: 'Oslo?', session_id: 'one' })).text()
    await (
      await post(
        url,
        { ...REQUEST, input: 'Rome?', session_id: 'two' },
        { headers: { authorization: 'Bearer other-key' } },
      )
    ).text()
    await until(() => [1, 3, 4].every((index) => receivers[index]?.got.length === 1), 'three deliveries')
    await sleep(80)
    expect(receivers.map(({ got }) => got.length)).toEqual([0, 1, 0, 1, 1, 0, 0])
  })

  it('gets many traces in one delivery', async () => {
    const receiver = await openReceiver()
    const { url } = await openWith([collector(1, receiver.url)], stream, {
      forwarding: { ...QUICK, batch_seconds: 0.5 },
    })
    await Promise.all(Array.from({ length: 20 }, async () => (await post(url)).text()))
    await until(() => spansOf(receiver.got, readJson).length === 20, 'twenty spans', 5000)
    expect(receiver.got.length).toBeLessThanOrEqual(3)
  })

  it('that fails for a moment is tried again', async () => {
    const receiver = await openReceiver(
      (response, _, number) => void response.writeHead(number === 1 ? 503 : 200).end(),
    )
    const { url } = await openWith([collector(1, receiver.url)])
    await (await post(url)).text()
    await until(() => receiver.got.length === 2, 'a second attempt', 5000)
    expect(receiver.got[1]?.body.equals(receiver.got[0]?.body as Buffer)).toBe(true)
    await sleep(30)
    expect(await metricOf(url, 'millrace_destination_delivered_total')).toBe(1)
    expect(await metricOf(url, 'millrace_destination_retries_total')).toBe(1)
    expect(await metricOf(url, 'millrace_destination_dropped_total')).toBe(0)
  })

  it.each([
    ['refuses', 401, 'status_401', 1],
    ['redirects', 302, 'status_302', 1],
    ['fails again and again', 500, 'status_500', 2],
  ])('that %s loses the batch, which is counted and told', async (_, status, reason, attempts) => {
    const receiver = await openReceiver((response) => void response.writeHead(status, { location: '/elsewhere' }).end())
    const { url, lines } = await openWith([collector(1, receiver.url)])
    await (await post(url)).text()
    await until(() => lines.some(({ event }) => event === 'traces_dropped'), 'a line', 5000)
    expect(receiver.got).toHaveLength(attempts)
    expect(lines.find(({ event }) => event === 'traces_dropped')).toEqual({
      event: 'traces_dropped',
      destination: uuid(1),
      type: 'otel-collector',
      reason,
      traces: 1,
    })
    expect(await metricOf(url, `millrace_destination_dropped_total{destination="${uuid(1)}"`)).toBe(1)
  })

  it('that takes a part of a batch is believed', async () => {
    const answer = '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'
    const receiver = await openReceiver((response) => void response.writeHead(200).end(answer))
    const { url, lines } = await openWith([collector(1, receiver.url)])
    await (await post(url)).text()
    await until(() => lines.some(({ event }) => event === 'traces_dropped'), 'a line')
    expect(lines.find(({ event }) => event === 'traces_dropped')).toMatchObject({ reason: 'rejected_spans', traces: 1 })
  })

  it('that is dead or silent delays nothing, holds a bounded queue, and the rest is dropped and counted', async () => {
    const silent = await openReceiver(() => {})
    const healthy = await openReceiver()
    const forwarding = { ...QUICK, queue_traces: 5, batch_traces: 2, attempts: 1, timeout_seconds: 30 }
    const { url } = await openWith(
      [collector(1, 'http://127.0.0.1:9'), collector(2, silent.url), collector(3, healthy.url)],
      stream,
      { forwarding },
    )
    const startedAt = performance.now()
    for (let n = 0; n < 30; n += 1) await (await post(url)).text()
    expect(performance.now() - startedAt).toBeLessThan(10_000)
    await until(() => spansOf(healthy.got, readJson).length === 30, 'all of them', 5000)
    expect(await metricOf(url, `millrace_destination_queue{destination="${uuid(2)}"`)).toBeLessThanOrEqual(5)
    expect(await metricOf(url, `millrace_destination_dropped_total{destination="${uuid(2)}"`)).toBeGreaterThanOrEqual(
      25,
    )
    expect(await metricOf(url, `millrace_destination_dropped_total{destination="${uuid(1)}"`)).toBeGreaterThanOrEqual(
      25,
    )
    expect(await metricOf(url, `millrace_destination_delivered_total{destination="${uuid(3)}"`)).toBe(30)
  })

  it('whose kind cannot be reached is told of when the server starts', async () => {
    const { url, lines } = await openWith([entryOf('ramp', 1)])
    expect(lines).toContainEqual({ event: 'forwarding_unsupported', destination: uuid(1), type: 'ramp' })
    expect((await post(url)).status).toBe(200)
  })

  it('is given what waits when the server drains', async () => {
    const receiver = await openReceiver()
    const { url, running } = await openWith([collector(1, receiver.url)], stream, { forwarding: { batch_seconds: 60 } })
    await (await post(url)).text()
    await running.drain()
    expect(spansOf(receiver.got, readJson)).toHaveLength(1)
  })

  it("of an embedder's own store is as good", async () => {
    const receiver = await openReceiver()
    const { toDestinations } = await import('../../src/host/observability-store.ts')
    const { toWorkspaces } = await import('../../src/host/workspaces.ts')
    const { CONFIG } = await import('../../src/host/config.ts')
    const { destinations } = CONFIG.parse({ destinations: [collector(1, receiver.url)] })
    const own = toDestinations(destinations, toWorkspaces([]), {})
    const { url } = await openHouse(
      stream,
      { keys: KEYS, forwarding: QUICK },
      { destinations: { all: async () => own } },
    )
    await (await post(url)).text()
    await until(() => receiver.got.length === 1, 'a delivery')
  })
})

describe('what was said', () => {
  it('is left out where it is too long, and images are never in it', async () => {
    const receiver = await openReceiver()
    const { url } = await openWith([collector(1, receiver.url)], stream, {
      forwarding: { ...QUICK, content_characters: 3000 },
    })
    const image = { type: 'input_image', image_url: `data:image/png;base64,${'QUJD'.repeat(20_000)}` }
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'What is this?' }, image] }]
    await (await post(url, { ...REQUEST, input })).text()
    await (await post(url, { ...REQUEST, input: 'word '.repeat(1000) })).text()
    await until(() => spansOf(receiver.got, readJson).length === 2, 'two spans')
    const attributes: Loose[] = spansOf(receiver.got, readJson).map((span) => span.attributes)
    const [small, large] = attributes[0]['millrace.content_left_out'] ? attributes.toReversed() : attributes
    expect(small['gen_ai.input.messages']).toMatch(/What is this\?.*data:image\/png \(80022 characters left out\)/)
    expect(large).toHaveProperty('millrace.content_left_out', true)
    expect(large).not.toHaveProperty('gen_ai.input.messages')
  })

  it('is in no log line and no metric', async () => {
    const receiver = await openReceiver()
    const { url, lines } = await openWith([collector(1, receiver.url), collector(2, 'http://127.0.0.1:9')])
    await (
      await post(url, { ...REQUEST, input: 'my diagnosis', user: 'ada-of-nobody', session_id: 'secret-session' })
    ).text()
    await until(() => lines.some(({ event }) => event === 'traces_dropped'), 'a line', 5000)
    const told = JSON.stringify(lines) + (await (await fetch(`${url}/metrics`)).text())
    expect(told).not.toMatch(/diagnosis|ada-of-nobody|secret-session|Seven|127\.0\.0\.1:9/)
  })
})
