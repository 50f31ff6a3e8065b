import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import type { ClientWire } from '../../src/engine/client-target.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { createTranslation } from '../../src/engine/translation.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import type { AnswerPassthrough } from '../../src/wires/passthrough-contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { optionsOf, toBytes } from './run-engine.ts'

const WORDS = 'word '.repeat(200)
const chunk = toBytes(
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: WORDS } }] })}\n\n`,
)
const CHUNKS = 400
const wire = WIRES['openai-chat']
const options = { ...optionsOf(DIALECTS.openai), target: wireTarget(wire as ClientWire), lend: true, slice: 256 }
const passed = (forgets: boolean, opener: typeof openFastPath | null = openFastPath) =>
  new PassedStream(options, wire.passthrough?.answer as AnswerPassthrough, opener, forgets)

const LONG = WORDS.length * CHUNKS
/** Text that the fast path has written and the machines do not have yet. */
const BEHIND = 64 * 1024

describe('the texts that an open answer keeps', () => {
  it.each([1, 7])('are counted while it is translated, %i chunks in a read', (together) => {
    const answer = createTranslation({ ...optionsOf(DIALECTS.openai), lend: true, slice: 256 })
    const read = Buffer.concat(Array(together).fill(chunk))
    for (let n = 0; n < CHUNKS; n += together) {
      answer.push(read)
      while (answer.busy()) answer.resume()
    }
    expect(answer.kept()).toBeGreaterThan(LONG - BEHIND)
    expect(answer.kept()).toBeLessThan(LONG + BEHIND)
  })

  it.each([
    ['on the fast path', openFastPath],
    ['on the slow path', null],
  ])('are none if it is passed and nothing needs them, %s', (_, opener) => {
    const answer = passed(true, opener)
    for (let n = 0; n < CHUNKS; n += 1) answer.push(chunk)
    expect(answer.kept()).toBeLessThan(BEHIND)
    answer.push(toBytes('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'))
    answer.push('end')
    const { status, hasOutput, chunks, answer: response } = answer.outcome()
    expect([status, hasOutput]).toEqual(['completed', true])
    expect(JSON.stringify(response).length).toBeLessThan(BEHIND)
    if (opener !== null) expect(chunks.fast).toBeGreaterThan(CHUNKS / 2)
  })

  it('are kept if it is passed and its outcome needs them', () => {
    const answer = passed(false)
    for (let n = 0; n < CHUNKS; n += 1) answer.push(chunk)
    expect(answer.kept()).toBeGreaterThan(LONG - BEHIND)
    answer.push('end')
    expect(JSON.stringify(answer.outcome().answer)).toContain(WORDS.repeat(CHUNKS))
  })
})
