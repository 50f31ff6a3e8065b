import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { beta } from '../../src/dialects/beta.ts'
import { checkStream } from '../../src/dialects/check-stream.ts'
import { writeFrames } from '../../src/dialects/write.ts'
import { feed, run } from '../../src/machine/run.ts'
import { createPrinter, printAll } from '../../src/output/frame-printer.ts'
import type { CallDelta, Delta } from '../../src/protocol/delta.ts'
import { upstreamError } from '../../src/protocol/error.ts'
import type { FunctionCallItem } from '../../src/protocol/item.ts'
import { collect } from '../../src/responses/collect.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import { respond } from '../../src/responses/respond.ts'
import { anyCodePoints, hostile } from '../arbitraries/strings.ts'
import { check } from '../property.ts'

const HEAD = { id: 'resp_1', created_at: 1, model: 'm', echo: EMPTY_ECHO }
const hub = respond(HEAD, beta)

const custom = (key: string, text: string, name: string | null = null): CallDelta => ({
  kind: 'call',
  key,
  type: 'custom_tool_call',
  callId: name === null ? null : `call_${key}`,
  name,
  arguments: text,
})
const FINISH: Delta = { kind: 'finish', reason: 'stop' }

/** Returns the answer. The state is serialised and parsed before each step. */
function answer(...deltas: readonly Delta[]) {
  let state = hub.initial
  const events = deltas.flatMap((delta) => {
    const step = feed(hub, JSON.parse(JSON.stringify(state)) as typeof state, [delta])
    state = step.state
    return step.events
  })
  const all = [...events, ...hub.end(state)]
  const stream = Buffer.from(printAll(createPrinter(), run(writeFrames(beta), all))).toString()
  expect(checkStream(stream, beta)).toEqual([])
  const [response] = run(collect, all)
  return { response, calls: (response?.output ?? []) as readonly FunctionCallItem[] }
}

describe('a custom tool call in a dialect that has only functions', () => {
  it('has the text as its JSON input, wherever the text is cut', () => {
    check(
      fc.property(fc.array(fc.oneof(hostile, anyCodePoints()), { maxLength: 5 }), fc.boolean(), (pieces, stops) => {
        const stop: readonly Delta[] = stops ? [{ kind: 'stop', key: 'a' }] : []
        const { calls, response } = answer(
          custom('a', '', 'note'),
          ...pieces.map((it) => custom('a', it)),
          ...stop,
          FINISH,
        )
        expect(response?.status).toBe('completed')
        expect(calls).toMatchObject([{ type: 'function_call', call_id: 'call_a', name: 'note', status: 'completed' }])
        expect(JSON.parse(calls[0]?.arguments ?? '')).toEqual({ input: pieces.join('') })
      }),
    )
  })

  it('can overlap with other calls that start before it ends', () => {
    const plain: Delta = { ...custom('c', '{"x":1}', 'find'), type: 'function_call', callId: 'call_f' }
    const { calls } = answer(custom('a', 'one', 'note'), custom('b', 'two', 'note'), plain, custom('a', '!'), FINISH)
    expect(calls.map(({ name, arguments: json }) => [name, JSON.parse(json)])).toEqual([
      ['note', { input: 'one!' }],
      ['note', { input: 'two' }],
      ['find', { x: 1 }],
    ])
  })

  it('is incomplete if the answer ends inside it', () => {
    const { calls, response } = answer(custom('a', 'half', 'note'), { kind: 'finish', reason: 'max_output_tokens' })
    expect(response?.status).toBe('incomplete')
    expect(calls).toMatchObject([{ arguments: '{"input":"half', status: 'incomplete' }])
  })

  it('is complete if the transport breaks after the finish', () => {
    const broken: Delta = { kind: 'cut', error: upstreamError('upstream_disconnected', 'gone') }
    const { calls, response } = answer(custom('a', 'all', 'note'), FINISH, broken)
    expect(response?.status).toBe('completed')
    expect(calls).toMatchObject([{ arguments: '{"input":"all"}', status: 'completed' }])
  })
})
