import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { AnswerStream } from '../../src/fetch/answer-stream.ts'
import { KeepAlive } from '../../src/fetch/keep-alive.ts'
import { KEEP_ALIVE } from '../../src/framing/format.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const NO_EVENTS = { onFull: () => undefined, onDrain: () => undefined, onOver: () => undefined }

it.each([
  ['is written after each silence', KEEP_ALIVE, 15_000, KEEP_ALIVE.repeat(2)],
  ['is not written if any silence is permitted', KEEP_ALIVE, 0, ''],
  ['is not written into a stream that has none', null, 15_000, ''],
])('a text %s', async (_, keepAlive, ms, expected) => {
  const stream = new AnswerStream(NO_EVENTS, 3_600_000)
  const alive = new KeepAlive(stream, { format: 'sse', keepAlive }, ms)
  vi.advanceTimersByTime(32_000)
  alive.stop()
  stream.end()
  vi.useRealTimers()
  expect(await new Response(stream.readable).text()).toBe(expected)
})
