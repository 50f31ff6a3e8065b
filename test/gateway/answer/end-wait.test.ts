import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openai } from '../../../src/dialects/openai.ts'
import type { Expected } from '../../../src/engine/answer.ts'
import { createTranslation } from '../../../src/engine/translation.ts'
import { EndWait } from '../../../src/gateway/answer/end-wait.ts'
import { Slices } from '../../../src/gateway/answer/work-slices.ts'
import { ANSWER_ENDING } from '../../../src/protocol/limits.ts'
import { optionsOf, toBytes } from '../../engine/run-engine.ts'
import { stopChunk, textChunk, usageChunk } from '../../mock-upstreams/server.ts'

/** The clock is simulated: no test waits. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const FINISH_MS = 2000

function open() {
  const answer = createTranslation(optionsOf(openai))
  const slices = new Slices<Uint8Array>({ answer, take: () => undefined, onBug: expect.unreachable })
  const ends: number[] = []
  const wait = new EndWait(answer, slices, FINISH_MS, () => ends.push(1))
  const receive = (text: string): Expected => {
    answer.push(toBytes(text))
    wait.update(answer.progress.remainder())
    return answer.progress.remainder()
  }
  const pass = (ms: number): number => {
    vi.advanceTimersByTime(ms)
    return ends.length
  }
  return { slices, wait, receive, pass }
}

describe('the wait for the end of an answer', () => {
  it('begins with the finish reason, and again with each read that changes the answer', () => {
    const { receive, pass } = open()
    expect([receive(textChunk('Hi')), pass(10 * FINISH_MS)]).toEqual(['more', 0])
    expect([receive(stopChunk), pass(FINISH_MS - 1)]).toEqual(['details', 0])
    expect([receive(usageChunk), pass(FINISH_MS - 1)]).toEqual(['details', 0])
    expect([receive(textChunk(' there')), pass(FINISH_MS - 1)]).toEqual(['details', 0])
    for (let i = 0; i < 3; i += 1) expect(receive(': heartbeat\n\n')).toBe('details')
    expect(pass(1)).toBe(1)
  })

  it('is short after a failure, whatever follows it', () => {
    const { receive, pass } = open()
    receive('data: {"error":{"message":"Broken."}}\n\n')
    expect(pass(ANSWER_ENDING.failure_ms - 1)).toBe(0)
    expect([receive(usageChunk), pass(1)]).toEqual(['failure', 1])
  })

  it('stands still while the client is behind, and has its whole time after it', () => {
    const { slices, receive, pass } = open()
    receive(stopChunk)
    slices.hold()
    expect(pass(10 * FINISH_MS)).toBe(0)
    slices.release()
    expect([pass(FINISH_MS - 1), pass(FINISH_MS)]).toEqual([0, 1])
  })

  it('has its whole time after a pause that ended before', () => {
    const { slices, receive, pass } = open()
    receive(stopChunk)
    pass(FINISH_MS / 2)
    slices.hold()
    slices.release()
    expect([pass(FINISH_MS / 2), pass(FINISH_MS)]).toEqual([0, 1])
  })

  it('ends with the wait itself', () => {
    const { wait, receive, pass } = open()
    receive(stopChunk)
    wait.stop()
    expect(pass(10 * FINISH_MS)).toBe(0)
  })
})
