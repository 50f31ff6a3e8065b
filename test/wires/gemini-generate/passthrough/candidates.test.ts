import { expect, it } from 'vitest'
import { PassedStream } from '../../../../src/engine/passthrough/passed-stream.ts'
import { createTranslation } from '../../../../src/engine/translation.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { answersOf, CUT, optionsFor, pass } from '../../../engine/passing.ts'
import { writeFrame } from '../../../framing/write-frame.ts'

/** The candidates of an answer that is passed on. */

const WIRE = WIRES['gemini-generate']

const chunk = (index: number, text: string, finishReason?: string): Uint8Array => {
  const candidate = { index, content: { role: 'model', parts: [{ text }] }, finishReason }
  return writeFrame({ event: '', data: JSON.stringify({ candidates: [candidate] }) }, 'sse')
}

const OPEN = [chunk(0, 'A'), chunk(1, 'B is not fin'), chunk(0, '', 'STOP'), chunk(1, 'ish')]

it.each(['end', 'fail'] as const)('a stream that stops (%s) inside a further candidate fails', (ending) => {
  const { stream } = pass(optionsFor(WIRE), WIRE, OPEN, ending)
  expect(stream.outcome()).toMatchObject({ status: 'failed', answer: { output: [{ content: [{ text: 'A' }] }] } })
  const whole = pass(optionsFor(WIRE), WIRE, [...OPEN, chunk(1, 'ed', 'STOP')], ending)
  expect(whole.stream.outcome()).toMatchObject({ status: 'completed', error: null })
})

it('more is expected until all candidates have ended, of a stream that is passed on alone', () => {
  const stream = new PassedStream(optionsFor(WIRE), answersOf(WIRE), null)
  for (const bytes of OPEN) stream.push(bytes)
  expect(stream.progress.remainder()).toBe('more')
  const translation = createTranslation(optionsFor(WIRE))
  for (const bytes of OPEN) translation.push(bytes)
  expect(translation.progress.remainder()).toBe('details')
  translation.push({ error: CUT })
  expect(translation.outcome()).toMatchObject({ status: 'completed', error: null })
})
