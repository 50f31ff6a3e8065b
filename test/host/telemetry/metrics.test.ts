import { describe, expect, it } from 'vitest'
import {
  beginning,
  doneFrame,
  inPieces,
  stopChunk,
  streamOf,
  textChunk,
  withBody,
} from '../../mock-upstreams/server.ts'
import { lineOf, post, REQUEST, sha256, startTestServer, waitUntil } from '../test-server.ts'
import { KEYS, MANAGEMENT_KEY } from './telemetry-server.ts'

const stream = inPieces(streamOf('Seven', ' degrees.'), 60)

async function metricsOf(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]))
}

/** Resolves after the event loop has run its timers. */
async function nextTimers(): Promise<void> {
  for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve))
}

describe('the metrics', () => {
  it('are in the text format of Prometheus', async () => {
    const { url } = await startTestServer(stream, { keys: KEYS })
    const response = await fetch(`${url}/metrics`)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(await response.text()).toMatch(/^# HELP millrace_requests_total .*\n# TYPE millrace_requests_total counter/)
  })

  it('count an answer with its tokens, chunks, times and losses', async () => {
    const { url, lines } = await startTestServer(stream, { keys: KEYS })
    await (await post(url, { ...REQUEST, metadata: { a: 'b' } })).text()
    await lineOf(lines)
    const metrics = await metricsOf(url)
    const labels = 'path="/api/v1/responses",status="200",vendor="acme",outcome="completed"'
    expect(metrics.get(`millrace_requests_total{${labels}}`)).toBe(1)
    expect(metrics.get('millrace_tokens_total{vendor="acme",kind="input"}')).toBe(3)
    expect(metrics.get('millrace_tokens_total{vendor="acme",kind="output"}')).toBe(5)
    expect(metrics.get('millrace_translated_chunks_total{vendor="acme"}')).toBe(6)
    expect(metrics.get('millrace_time_to_first_token_seconds_count{vendor="acme"}')).toBe(1)
    expect(metrics.get('millrace_request_duration_seconds_count{vendor="acme"}')).toBe(1)
    expect(metrics.get('millrace_losses_total{vendor="acme"}')).toBeGreaterThanOrEqual(1)
    expect(metrics.get('millrace_streams_open')).toBe(0)
    // The vendor has no pool.
    expect([...metrics.keys()].filter((name) => name.startsWith('millrace_pool_calls_total'))).toEqual([])
  })

  it('have the label of a key only where it is configured', async () => {
    const labelled = { name: 'second', sha256: sha256('second-key'), label: 'team-a' }
    const { url, lines } = await startTestServer(stream, { keys: [...KEYS, labelled] })
    await (await post(url)).text()
    await (await post(url, REQUEST, { headers: { authorization: 'Bearer second-key' } })).text()
    await (await post(url, REQUEST, { headers: { authorization: 'Bearer wrong-key' } })).text()
    await waitUntil(() => lines.filter(({ event }) => event === 'request').length === 3, 'three log lines')
    expect(lines.map(({ key_label }) => key_label)).toContain('team-a')
    const metrics = await metricsOf(url)
    const labels = 'path="/api/v1/responses",status="200",vendor="acme",outcome="completed"'
    expect(metrics.get(`millrace_requests_total{${labels}}`)).toBe(1)
    expect(metrics.get(`millrace_requests_total{key="team-a",${labels}}`)).toBe(1)
    expect(metrics.get('millrace_tokens_total{key="team-a",vendor="acme",kind="input"}')).toBe(3)
    expect(
      [...metrics.keys()].filter((name) => name.includes('key="')).every((name) => name.includes('"team-a"')),
    ).toBe(true)
  })

  it('count an answer under the names of the OpenTelemetry conventions', async () => {
    const { url, lines } = await startTestServer(stream, { keys: KEYS })
    await (await post(url, REQUEST)).text()
    await lineOf(lines)
    const metrics = await metricsOf(url)
    const labels = 'gen_ai_operation_name="chat",gen_ai_provider_name="acme"'
    expect(metrics.get(`gen_ai_client_operation_duration_seconds_count{${labels}}`)).toBe(1)
    expect(metrics.get(`gen_ai_client_operation_time_to_first_chunk_seconds_count{${labels}}`)).toBe(1)
    expect(metrics.get(`gen_ai_client_token_usage_sum{${labels},gen_ai_token_type="input"}`)).toBe(3)
    expect(metrics.get(`gen_ai_client_token_usage_bucket{le="4",${labels},gen_ai_token_type="output"}`)).toBe(0)
    expect(metrics.get(`gen_ai_client_token_usage_bucket{le="16",${labels},gen_ai_token_type="output"}`)).toBe(1)
  })

  it('describe the process: CPU, memory, files, handles, and the delay of its event loop', async () => {
    const { url } = await startTestServer(stream, { keys: KEYS })
    const before = await metricsOf(url)
    let metrics = before
    const lag = (): number => metrics.get('nodejs_eventloop_lag_max_seconds') ?? 0
    await waitUntil(async () => {
      // Blocks the event loop for 60 ms. Node measures from the first timers after a scrape, which the first one delays.
      for (let blocked = 0; blocked < 2; blocked += 1) {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60)
        await nextTimers()
      }
      metrics = await metricsOf(url)
      return lag() > 0.03
    }, 'a delay of the event loop')
    const { user, system } = process.cpuUsage()
    const cpu = metrics.get('process_cpu_seconds_total') ?? 0
    expect(cpu - (before.get('process_cpu_seconds_total') ?? 0)).toBeGreaterThan(0)
    expect(cpu).toBeLessThanOrEqual((user + system) / 1e6)
    expect(metrics.get('process_resident_memory_bytes')).toBeGreaterThan(1e7)
    expect(metrics.get('nodejs_heap_size_used_bytes')).toBeGreaterThan(1e6)
    expect(metrics.get('nodejs_active_resources{type="TCPSocketWrap"}')).toBeGreaterThan(1)
    // Both are times at which this process started, so that it does not matter how long the test takes.
    expect(Math.abs((metrics.get('process_start_time_seconds') ?? 0) - performance.timeOrigin / 1000)).toBeLessThan(60)
    if (process.platform !== 'linux') return
    expect(metrics.get('process_open_fds')).toBeGreaterThan(2)
    expect(metrics.get('process_max_fds')).toBeGreaterThan(metrics.get('process_open_fds') ?? 0)
  })

  it('count streams only while they are open', async () => {
    const { url, upstream } = await startTestServer(beginning(textChunk('Half')), { keys: KEYS })
    const answer = await post(url)
    await answer.body?.getReader().read()
    expect((await metricsOf(url)).get('millrace_streams_open')).toBe(1)
    const { response } = await upstream.next()
    response.end(stopChunk + doneFrame)
    for (let open = 1; open !== 0; ) open = (await metricsOf(url)).get('millrace_streams_open') ?? 0
  })

  it('count only upstream failures as upstream errors, without paths or names of clients', async () => {
    const { url, lines } = await startTestServer(withBody('{"error":{"message":"Slow down."}}', 429), { keys: KEYS })
    await post(url)
    await post(url, { ...REQUEST, model: 'groq/x' })
    await fetch(`${url}/nowhere/at/all`)
    await waitUntil(() => lines.filter(({ event }) => event === 'request').length === 3, 'three lines')
    const metrics = await metricsOf(url)
    expect(metrics.get('millrace_upstream_errors_total{vendor="acme",code="rate_limit_exceeded"}')).toBe(1)
    expect([...metrics.keys()].filter((name) => name.startsWith('millrace_upstream_errors_total'))).toHaveLength(1)
    expect(metrics.get('millrace_requests_total{path="none",status="404",vendor="none",outcome="none"}')).toBe(1)
    expect([...metrics.keys()].join()).not.toMatch(/nowhere|groq/)
  })

  it('require a management key if one is configured', async () => {
    const { url, lines } = await startTestServer(stream, { keys: KEYS, metrics: { management_key: true } })
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    const headers = { authorization: `Bearer ${MANAGEMENT_KEY}` }
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(200)
    await waitUntil(() => lines.some(({ path, key }) => path === '/metrics' && key === 'boss'), 'a line')
  })
})
