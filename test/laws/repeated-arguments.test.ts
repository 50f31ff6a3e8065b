import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStreamTranslator } from '../../src/index.ts'
import { repeatsArguments } from '../../src/responses/call-arguments.ts'
import { readableChunk } from '../../src/wires/openai-chat/passthrough/chunk-form.ts'
import { check } from '../property.ts'

/** Upstreams that send the arguments so far with each piece, or the whole arguments once more at their end. */

const objects = fc
  .dictionary(fc.constantFrom('a', 'b', '{', '"', '\\'), fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, maxKeys: 4 })
  .map((value) => JSON.stringify(value))

/** Arguments, and where they are cut. */
const cutArguments = objects.chain((text) =>
  fc.tuple(fc.constant(text), fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 12 })),
)

const chunkOf = (args: string, isFirst: boolean): object => ({
  id: 'c',
  model: 'm',
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: [
          {
            index: 0,
            ...(isFirst ? { id: 'call_1', type: 'function' } : {}),
            function: { ...(isFirst ? { name: 'f' } : {}), arguments: args },
          },
        ],
      },
      finish_reason: null,
    },
  ],
})
const LAST = { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }

/** The arguments that a client of the Responses API receives. */
function translated(pieces: readonly string[]): readonly string[] {
  const chunks = [chunkOf('', true), ...pieces.map((piece) => chunkOf(piece, false)), LAST]
  const translator = createStreamTranslator({ from: 'openai-chat', to: 'openai' })
  const text = [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n']
    .map((event) => translator.push(new TextEncoder().encode(event)))
    .concat(translator.end())
    .map((bytes) => new TextDecoder().decode(bytes))
    .join('')
  const events = text.split('\n\n').flatMap((event) => {
    const data = /^data: (\{.*)$/m.exec(event)?.[1]
    return data === undefined ? [] : [JSON.parse(data)]
  })
  const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta')
  return [deltas.map(({ delta }) => delta).join(''), events.at(-1).response.output[0].arguments]
}

/** The arguments that a client joins if the chunks are passed. */
function passed(pieces: readonly string[]): string {
  const stream = { event: '', memory: {} }
  const chunks = [chunkOf('', true), ...pieces.map((piece) => chunkOf(piece, false))]
  return chunks
    .map((chunk) => JSON.parse(JSON.stringify(readableChunk(chunk as never, stream as never))))
    .map(({ choices: [{ delta }] }) => delta.tool_calls[0].function.arguments)
    .join('')
}

test('arguments in pieces stay as they are, wherever they are cut and whatever they contain', () => {
  check(
    fc.property(cutArguments, ([text, cuts]) => {
      const ends = [...cuts].sort((a, b) => a - b)
      const pieces = [0, ...ends].map((from, i) => text.slice(from, ends[i] ?? text.length))
      expect([...translated(pieces), passed(pieces)]).toEqual([text, text, text])
      const all = [...pieces, text]
      expect([...translated(all), passed(all)]).toEqual([text, text, text])
    }),
    200,
  )
})

test('arguments that each piece repeats are joined once', () => {
  check(
    fc.property(cutArguments, fc.integer({ min: 1, max: 3 }), ([text, cuts], times) => {
      // The first repetition decides; after a colon, a comma or a bracket it could be a nested object.
      const ends = [1, ...[...cuts].sort((a, b) => a - b), text.length]
      const pieces = ends.flatMap((end) => Array.from({ length: times }, () => text.slice(0, end)))
      expect([...translated(pieces), passed(pieces)]).toEqual([text, text, text])
    }),
    200,
  )
})

test.each([
  ['{"a":', '{"a":1}', false],
  ['{"a": [', '{"a": [1]}', false],
  ['{"a"', '{"a": 1', true],
  ['{"', '{"a', true],
  ['{"a":"', '{"a":"x', true],
  ['{":', '{":1}', false],
  ['{"a":"\\', '{"a":"\\n', true],
  ['{"a":1}', '{"a":1}', true],
  ['{"a":1', '{"b":1', false],
  ['', '{', false],
])('%s is repeated by %s: %s', (before, piece, repeats) => {
  expect(repeatsArguments(before, piece)).toBe(repeats)
})
