import cluster, { type Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { startPrimary } from '../../../src/host/workers/primary.ts'

/** The primary process with simulated workers, whose messages a test writes. */

/** The clock is simulated: no test waits for a restart. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const configOf = (value: object = {}) => {
  const loaded = checkConfigValue(value)
  return loaded.ok ? loaded.config : expect.unreachable(loaded.problems.join())
}

function start(count: number) {
  const workers: { say: (message: object) => void; end: () => void; readonly sent: Record<string, unknown>[] }[] = []
  vi.spyOn(cluster, 'fork').mockImplementation(() => {
    const sent: Record<string, unknown>[] = []
    const child = Object.assign(new EventEmitter(), { pid: 1, kill: () => true, send: () => true })
    const worker = Object.assign(new EventEmitter(), {
      process: child,
      isConnected: () => true,
      send: (message: Record<string, unknown>) => void sent.push(message),
    })
    workers.push({
      sent,
      say: (message) => void worker.emit('message', message),
      end: () => void worker.emit('exit', null, 'SIGKILL'),
    })
    return worker as unknown as Worker
  })
  const primary = startPrimary({ config: configOf(), count, developmentKey: 'k', log: () => undefined })
  ends.push(() => {
    primary.stop(true)
    for (const { end } of workers) end()
  })
  const listen = (at: number): void => {
    workers[at]?.say({ kind: 'loaded' })
    workers[at]?.say({ kind: 'listening', url: 'http://127.0.0.1:8080' })
  }
  const kindsOf = (at: number) => workers[at]?.sent.map(({ kind }) => kind)
  return { primary, workers, listen, kindsOf }
}

it('the other workers start when the first one listens', async () => {
  const { primary, workers, listen } = start(3)
  expect(workers).toHaveLength(1)
  listen(0)
  expect(workers).toHaveLength(3)
  expect(await primary.listening).toMatchObject({ url: 'http://127.0.0.1:8080' })
  listen(1)
  expect(workers).toHaveLength(3)
})

it('a configuration that is read again goes to the workers that listen, and to the others as they start', () => {
  const { primary, workers, listen, kindsOf } = start(2)
  listen(0)
  const changed = configOf({ timeouts: { count_seconds: 7 } })
  primary.reload(changed, changed)
  expect(kindsOf(0)).toEqual(['start', 'reload'])
  expect(kindsOf(1)).toEqual([])
  expect(workers[0]?.sent.at(-1)).toMatchObject({ config: { timeouts: { count_seconds: 7 } } })
  listen(1)
  expect(kindsOf(1)).toEqual(['start'])
  expect(workers[1]?.sent.at(-1)).toMatchObject({ config: { timeouts: { count_seconds: 7 } } })
})

const counter = (value: number) => [
  { name: 'asked_total', help: 'Asked.', type: 'counter', aggregator: 'sum', values: [{ value, labels: {} }] },
]

it.each([
  ['answers', 'asked_total 5'],
  ['ends instead', 'asked_total 2'],
])('the metrics are those of all workers that run, if the second one %s', async (does, line) => {
  const { workers, listen } = start(2)
  listen(0)
  listen(1)
  workers[0]?.say({ kind: 'metrics', id: 9 })
  for (const [at, worker] of workers.entries()) {
    const id = worker.sent.at(-1)?.id
    if (at === 1 && does === 'ends instead') worker.end()
    else worker.say({ kind: 'collected', id, metrics: counter(2 + at) })
  }
  await vi.waitFor(() => expect(workers[0]?.sent.at(-1)).toMatchObject({ kind: 'metrics', id: 9 }))
  expect(workers[0]?.sent.at(-1)?.text).toContain(line)
})
