import { expect, it } from 'vitest'
import { WIRES } from '../../../../src/wires/registry.ts'
import { optionsFor, pass, text } from '../../../engine/passing.ts'
import { writeFrame } from '../../../framing/write-frame.ts'

/** Failures that only the name of their event marks as such, which clients do not read. */

const WIRE = WIRES['gemini-generate']

it.each([
  ['{"message":"Overloaded"}', { status: 'INTERNAL', message: 'Overloaded', code: 500 }],
  ['{"message":"Overloaded","code":503}', { message: 'Overloaded', code: 503 }],
])('an event `error` with the bare failure %s is the failure of the stream', (data, error) => {
  const chunk = JSON.stringify({ candidates: [{ content: { parts: [{ text: 'A' }] }, finishReason: 'STOP' }] })
  const frames = [chunk, data, chunk].map((one) => writeFrame({ event: one === data ? 'error' : '', data: one }, 'sse'))
  const { output, stream } = pass(optionsFor(WIRE), WIRE, frames, 'end')
  expect(stream.outcome()).toMatchObject({ status: 'failed', error: { message: 'Overloaded' } })
  const [, ...rest] = text(output).trim().split('\n\n')
  expect(rest.map((one) => JSON.parse(one.slice('data: '.length)))).toEqual([{ error }])
})
