import { expect, it } from 'vitest'
import { WIRES } from '../../../../src/wires/registry.ts'
import { optionsFor, pass, text } from '../../../engine/passing.ts'
import { writeFrame } from '../../../framing/write-frame.ts'

/** Failures that only the name of their event marks as such. */

const WIRE = WIRES['anthropic-messages']

const usage = { input_tokens: 1, output_tokens: 1 }
const START = JSON.stringify({ type: 'message_start', message: { id: 'a', usage } })

const passed = (data: string) => {
  const frames = [START, data, START].map((one, at) =>
    writeFrame({ event: at === 1 ? 'error' : 'message_start', data: one }, 'sse'),
  )
  const { output, stream } = pass(optionsFor(WIRE), WIRE, frames, 'end')
  return { sent: text(output), outcome: stream.outcome() }
}

it('an event `error` with a bare failure is the failure of the stream', () => {
  const { sent, outcome } = passed('{"message":"Overloaded"}')
  expect(outcome).toMatchObject({ status: 'failed', error: { message: 'Overloaded' } })
  expect(sent.split('\n\n').slice(1)).toEqual([
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"Overloaded"}}',
    '',
  ])
})

it('an event `error` that reports a status is not', () => {
  expect(passed('{"status":"processing"}').sent).toContain('\n\ndata: {"status":"processing"}\n\n')
})
