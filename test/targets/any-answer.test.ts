import fc from 'fast-check'
import { describe, it } from 'vitest'
import type { Target } from '../../src/engine/target.ts'
import type { Delta } from '../../src/protocol/delta.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { deltas } from '../arbitraries/deltas.ts'
import { headOf, writtenFrom } from '../engine/run-engine.ts'
import { checkAsync } from '../property.ts'
import { expectReadByRun, expectReadByUi, RUN, UI, type WrittenStream } from './expect-readable.ts'

function written(target: Target, list: readonly Delta[]): WrittenStream {
  const { text, outcome } = writtenFrom({ wire: WIRES['openai-chat'], quirks: {}, target, head: headOf('any') }, list)
  return { bytes: Buffer.from(text), outcome }
}

describe('an answer of any deltas', () => {
  it.each([6, 7] as const)('is read by version %i of the AI SDK, with all that the answer has', (version) =>
    checkAsync(
      fc.asyncProperty(deltas, (list) => expectReadByUi(version, written(UI, list))),
      1000,
    ),
  )

  it.each([6, 7] as const)('has no input for version %i that is a text, unless its tool is a custom one', (version) =>
    expectReadByUi(
      version,
      written(UI, [
        { kind: 'call', key: 'a', callId: 'call_a', name: 'f', type: 'function_call', arguments: '"b"' },
        { kind: 'call', key: 'c', callId: 'call_c', name: 'g', type: 'custom_tool_call', arguments: '"b"' },
        { kind: 'finish', reason: 'stop' },
      ]),
    ),
  )

  it('is read by the client of AG-UI with the images that it has', () =>
    expectReadByRun(
      written(RUN, [
        {
          kind: 'hosted',
          key: 'a',
          item: {
            type: 'image_generation_call',
            id: '',
            status: 'completed',
            fields: { result: 'aGk=', output_format: 'png' },
          },
          done: true,
        },
        { kind: 'finish', reason: 'stop' },
      ]),
    ))

  it('is read by the client of AG-UI, with all that the answer has', () =>
    checkAsync(
      fc.asyncProperty(deltas, (list) => expectReadByRun(written(RUN, list))),
      1000,
    ))
})
