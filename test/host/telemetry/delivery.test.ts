import { describe, expect, it } from 'vitest'
import { toWorkspaces } from '../../../src/gateway/auth/workspaces.ts'
import { NODE_HASHES } from '../../../src/host/node-hashes.ts'
import { readJson } from '../../observability/otlp-schema.ts'
import { destinationOf, uuid } from '../../observability/samples.ts'
import { hasServer } from '../doors.ts'
import { KEY, post, REQUEST, sha256, startTestServer, waitUntil } from '../test-server.ts'
import { spansOf, startReceiver } from './receiver.ts'
import { collector, entryOf, KEYS, metricOf, QUICK, startTelemetryServer, stream } from './telemetry-server.ts'

describe('a destination', () => {
  it('in privacy mode receives metadata without any content', async () => {
    const [open, closed] = [await startReceiver(), await startReceiver()]
    const { url } = await startTelemetryServer([
      collector(1, open.url),
      collector(2, closed.url, { privacy_mode: true }),
    ])
    const own = {
      user: 'ada-lovelace',
      session_id: 's-lovelace',
      trace: { trace_name: 'my visit', topic: 'my illness' },
    }
    await (await post(url, { ...REQUEST, ...own, input: 'my diagnosis', instructions: 'as a doctor' })).text()
    await waitUntil(() => open.got.length > 0 && closed.got.length > 0, 'two deliveries')
    expect(open.got[0]?.body.toString()).toMatch(/my diagnosis.*Seven degrees/s)
    expect(open.got[0]?.body.toString()).toMatch(/lovelace/)
    expect(closed.got[0]?.body.toString()).not.toMatch(/diagnosis|doctor|Seven|lovelace|visit|illness/)
    expect(spansOf(closed.got, readJson)[0]?.attributes).toMatchObject({ 'gen_ai.usage.output_tokens': '5' })
  })

  it('receives only traces that pass its switch, keys, workspace, filters and sampling', async () => {
    const other = { name: 'other', sha256: sha256('other-key'), workspace: 'b' }
    const workspaces = [{ id: 'a', default: true }, { id: 'b' }]
    const filter = (value: string) => ({ groups: [{ rules: [{ field: 'input', operator: 'contains', value }] }] })
    const receivers = await Promise.all(Array.from({ length: 7 }, () => startReceiver()))
    const at = (index: number) => receivers[index]?.url ?? ''
    const { url, running } = await startTelemetryServer(
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
    await waitUntil(() => [1, 3, 4].every((index) => receivers[index]?.got.length === 1), 'three deliveries')
    // The server delivers all remaining traces when it stops.
    await (hasServer() ? running.drain() : running.close())
    expect(receivers.map(({ got }) => got.length)).toEqual([0, 1, 0, 1, 1, 0, 0])
  })

  it('receives many traces in one delivery', async () => {
    const receiver = await startReceiver()
    const { url } = await startTelemetryServer([collector(1, receiver.url)], stream, {
      forwarding: { ...QUICK, batch_seconds: 3600, batch_traces: 20 },
    })
    await Promise.all(Array.from({ length: 20 }, async () => (await post(url)).text()))
    await waitUntil(() => spansOf(receiver.got, readJson).length === 20, 'twenty spans')
    expect(receiver.got).toHaveLength(1)
  })

  it('that fails temporarily receives the same batch again', async () => {
    const receiver = await startReceiver(
      (response, _, number) => void response.writeHead(number === 1 ? 503 : 200).end(),
    )
    const { url } = await startTelemetryServer([collector(1, receiver.url)])
    await (await post(url)).text()
    await waitUntil(() => receiver.got.length === 2, 'a second attempt')
    expect(receiver.got[1]?.body.equals(receiver.got[0]?.body as Buffer)).toBe(true)
    if (!hasServer()) return
    await waitUntil(async () => (await metricOf(url, 'millrace_destination_delivered_total')) === 1, 'the count')
    expect(await metricOf(url, 'millrace_destination_retries_total')).toBe(1)
    expect(await metricOf(url, 'millrace_destination_dropped_total')).toBe(0)
  })

  it.each([
    ['refuses', 401, 'status_401', 1],
    ['redirects', 302, 'status_302', 1],
    ['fails again and again', 500, 'status_500', 2],
  ])('that %s loses the batch, which is counted and logged', async (_, status, reason, attempts) => {
    const receiver = await startReceiver(
      (response) => void response.writeHead(status, { location: '/elsewhere' }).end(),
    )
    const { url, lines } = await startTelemetryServer([collector(1, receiver.url)])
    await (await post(url)).text()
    await waitUntil(() => lines.some(({ event }) => event === 'traces_dropped'), 'a line')
    expect(receiver.got).toHaveLength(attempts)
    expect(lines.find(({ event }) => event === 'traces_dropped')).toEqual({
      event: 'traces_dropped',
      destination: uuid(1),
      type: 'otel-collector',
      reason,
      traces: 1,
    })
    if (!hasServer()) return
    expect(await metricOf(url, `millrace_destination_dropped_total{destination="${uuid(1)}"`)).toBe(1)
  })

  it('that rejects a part of a batch has that part counted as dropped', async () => {
    const answer = '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'
    const receiver = await startReceiver((response) => void response.writeHead(200).end(answer))
    const { url, lines } = await startTelemetryServer([collector(1, receiver.url)])
    await (await post(url)).text()
    await waitUntil(() => lines.some(({ event }) => event === 'traces_dropped'), 'a line')
    expect(lines.find(({ event }) => event === 'traces_dropped')).toMatchObject({ reason: 'rejected_spans', traces: 1 })
  })

  it('that is unreachable or silent delays no request, and traces beyond its queue are counted', async () => {
    const silent = await startReceiver(() => {})
    const healthy = await startReceiver()
    const forwarding = { ...QUICK, queue_traces: 5, batch_traces: 2, attempts: 1, timeout_seconds: 3600 }
    const { url } = await startTelemetryServer(
      [collector(1, 'http://127.0.0.1:9'), collector(2, silent.url), collector(3, healthy.url)],
      stream,
      { forwarding },
    )
    // A request that waited for the silent destination would wait for longer than the test.
    for (let n = 1; n <= 30; n += 1) {
      await (await post(url)).text()
      // A queue of the healthy one would be full if its receiver ran later than the requests.
      if (n % 4 === 0 || n === 30) await waitUntil(() => spansOf(healthy.got, readJson).length === n, `${n} of them`)
    }
    expect(await metricOf(url, `millrace_destination_queue{destination="${uuid(2)}"`)).toBeLessThanOrEqual(5)
    const dropped = (number: number) =>
      metricOf(url, `millrace_destination_dropped_total{destination="${uuid(number)}"`)
    await waitUntil(async () => (await dropped(2)) >= 25 && (await dropped(1)) >= 25, 'what was dropped to be counted')
    const delivered = () => metricOf(url, `millrace_destination_delivered_total{destination="${uuid(3)}"`)
    await waitUntil(async () => (await delivered()) === 30, 'what was delivered to be counted')
  })

  it('of an unsupported type is logged when the server starts', async () => {
    const { url, lines } = await startTelemetryServer([entryOf('ramp', 1)])
    expect(lines).toContainEqual({ event: 'forwarding_unsupported', destination: uuid(1), type: 'ramp' })
    expect((await post(url)).status).toBe(200)
  })

  it('receives the waiting traces when the server drains', async () => {
    const receiver = await startReceiver()
    const { url, running } = await startTelemetryServer([collector(1, receiver.url)], stream, {
      forwarding: { batch_seconds: 3600 },
    })
    await (await post(url)).text()
    await running.drain()
    expect(spansOf(receiver.got, readJson)).toHaveLength(1)
  })

  it('with unreadable rules loses its own traces and affects no other destination', async () => {
    const receiver = await startReceiver()
    const good = destinationOf('otel-collector', { id: uuid(1), config: { endpoint: receiver.url } })
    const rules = {
      enabled: true,
      groups: [{ logic: 'and' as const, rules: [{ field: 'model' as const, operator: 'regex' as const, value: '(' }] }],
    }
    const bad = { ...good, id: uuid(2), filter_rules: rules }
    const own = [bad, good].map((one) => ({ ...one, workspace_id: toWorkspaces([], NODE_HASHES).idOf(null) }))
    const options = { destinations: { all: async () => own } }
    const { url, lines } = await startTestServer(stream, { keys: KEYS, forwarding: QUICK }, options)
    await (await post(url)).text()
    await waitUntil(() => receiver.got.length === 1, 'a delivery')
    expect(lines).toContainEqual({
      event: 'traces_dropped',
      destination: uuid(2),
      type: 'otel-collector',
      reason: 'unreadable_rules',
      traces: 1,
    })
  })

  it("from an embedder's own store receives its traces", async () => {
    const receiver = await startReceiver()
    const workspace_id = toWorkspaces([], NODE_HASHES).idOf(null)
    const own = [destinationOf('otel-collector', { workspace_id, config: { endpoint: receiver.url } })]
    const { url } = await startTestServer(
      stream,
      { keys: KEYS, forwarding: QUICK },
      { destinations: { all: async () => own } },
    )
    await (await post(url)).text()
    await waitUntil(() => receiver.got.length === 1, 'a delivery')
  })
})
