import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation, streamWholeBody } from '../../src/engine/translation.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import { WIRES } from '../../src/wires/registry.ts'

const head = { id: 'resp_x', created_at: 0, model: 'm', echo: EMPTY_ECHO }
const options = { wire: WIRES['openai-chat'], target: dialectTarget(DIALECTS.openai), head }

const outcomeOf = (...payloads: readonly string[]) => {
  const translation = createTranslation(options)
  for (const payload of payloads) translation.push(new TextEncoder().encode(`data: ${payload}\n\n`))
  translation.push('end')
  return translation.outcome()
}

const chunk = (choice: object): string => JSON.stringify({ choices: [{ index: 0, ...choice }] })

describe('the outcome of a translation', () => {
  it('lists a call without a name as a loss', () => {
    const call = { index: 0, id: 'a', function: { arguments: '{"a":1}' } }
    const outcome = outcomeOf(
      chunk({ delta: { tool_calls: [call] } }),
      chunk({ delta: {}, finish_reason: 'tool_calls' }),
    )
    expect(outcome.losses).toEqual(['a call without a name'])
  })

  it('lists a payload that is not JSON as a loss', () => {
    const outcome = outcomeOf(chunk({ delta: { content: 'pay 1' } }), '{"choices":[', chunk({ finish_reason: 'stop' }))
    expect(outcome).toMatchObject({ status: 'completed', losses: ['a payload that is not a JSON object'] })
  })
})

it('a stream whose client has left writes nothing more, also on the fast path', () => {
  const translation = createTranslation(options)
  const word = (n: number): Uint8Array =>
    new TextEncoder().encode(`data: ${chunk({ delta: { content: ` word ${n}` } })}\n\n`)
  for (let n = 0; n < 40; n += 1) translation.push(word(n))
  translation.discard()
  const after = Array.from({ length: 20 }, (_, n) => translation.push(word(n)).length)
  expect(translation.outcome().chunks.fast).toBeGreaterThan(20)
  expect([...after, translation.push('end').length].every((length) => length === 0)).toBe(true)
})

const progressOf = (translation: ReturnType<typeof createTranslation>) => {
  const { chunks, answer } = translation.outcome()
  return [chunks.received, translation.progress.started(), answer]
}

describe('the progress of a stream', () => {
  const receive = (translation: ReturnType<typeof createTranslation>, payload: string): void =>
    void translation.push(new TextEncoder().encode(`data: ${payload}\n\n`))

  it('reports the frames, the first token, and the answer at the end', () => {
    const translation = createTranslation(options)
    receive(translation, chunk({ delta: { role: 'assistant', content: '' } }))
    expect(progressOf(translation)).toEqual([1, false, null])
    receive(translation, chunk({ delta: { content: 'Hi' } }))
    expect(progressOf(translation)).toEqual([2, true, null])
    receive(translation, chunk({ delta: {}, finish_reason: 'stop' }))
    translation.push('end')
    expect(translation.outcome().answer).toMatchObject({ status: 'completed', output: [{ content: [{ text: 'Hi' }] }] })
  })

  it('reports the partial answer of a stream that breaks', () => {
    const translation = createTranslation(options)
    receive(translation, chunk({ delta: { content: 'Half' } }))
    translation.push({ error: upstreamError('upstream_disconnected', 'gone') })
    expect(translation.outcome().answer).toMatchObject({ status: 'failed', output: [{ content: [{ text: 'Half' }] }] })
  })

  it('reports the answer of a whole body', () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] })
    expect(translateWholeBody(options, body).outcome.answer).toMatchObject({ output: [{ content: [{ text: 'Hi' }] }] })
    expect(streamWholeBody(options, body).outcome.answer).toEqual(translateWholeBody(options, body).outcome.answer)
  })
})

describe('two calls with the same id in one body', () => {
  it('stay two calls, the second with a new id', () => {
    const calls = ['f', 'g'].map((name) => ({ id: 'a', function: { name, arguments: '{}' } }))
    const body = { choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }] }
    const { body: response } = translateWholeBody(options, JSON.stringify(body))
    expect(response.output).toMatchObject([
      { name: 'f', call_id: 'a', status: 'completed' },
      { name: 'g', call_id: 'call_x_1', status: 'completed' },
    ])
  })
})
