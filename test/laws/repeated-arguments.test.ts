import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStreamTranslator } from '../../src/index.ts'
import { repeatsArguments } from '../../src/responses/argument-text.ts'
import { check, expectEqual } from '../property.ts'

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

/** The events that a client of the Responses API receives. */
function eventsOf(chunks: readonly string[]) {
  const translator = createStreamTranslator({ from: 'openai-chat', to: 'openai' })
  const text = [...chunks, '[DONE]']
    .map((data) => translator.push(new TextEncoder().encode(`data: ${data}\n\n`)))
    .concat(translator.end())
    .map((bytes) => new TextDecoder().decode(bytes))
    .join('')
  return text.split('\n\n').flatMap((event) => {
    const data = /^data: (\{.*)$/m.exec(event)?.[1]
    return data === undefined ? [] : [JSON.parse(data)]
  })
}

const responseOf = (chunks: readonly string[]) => eventsOf(chunks).at(-1).response

/** The arguments that a client of the Responses API receives. */
function translated(pieces: readonly string[]): readonly string[] {
  const chunks = [chunkOf('', true), ...pieces.map((piece) => chunkOf(piece, false)), LAST]
  const events = eventsOf(chunks.map((chunk) => JSON.stringify(chunk)))
  const deltas = events.filter(({ type }) => type === 'response.function_call_arguments.delta')
  return [deltas.map(({ delta }) => delta).join(''), events.at(-1).response.output[0].arguments]
}

test('arguments in pieces stay as they are, wherever they are cut and whatever they contain', () => {
  check(
    fc.property(cutArguments, ([text, cuts]) => {
      const ends = [...cuts].sort((a, b) => a - b)
      const pieces = [0, ...ends].map((from, i) => text.slice(from, ends[i] ?? text.length))
      expectEqual(translated(pieces), [text, text])
      const all = [...pieces, text]
      expectEqual(translated(all), [text, text])
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
      expectEqual(translated(pieces), [text, text])
    }),
    200,
  )
})

/** Chunks with pieces of calls: their index, their id, their name and their arguments. */
type Piece = readonly [index: number, id: string | null, name: string | null, args: string]
const chunkWith = (pieces: readonly Piece[]): object => ({
  id: 'c',
  model: 'm',
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: pieces.map(([index, id, name, args]) => ({
          index,
          ...(id === null ? {} : { id, type: 'function' }),
          function: { ...(name === null ? {} : { name }), arguments: args },
        })),
      },
      finish_reason: null,
    },
  ],
})

const SEVERAL: Readonly<
  Record<string, { readonly pieces: readonly (readonly Piece[])[]; readonly joined: readonly string[] }>
> = {
  'two calls that take turns, with their ids': {
    pieces: ['{"', '{"a', '{"a":1}'].flatMap((text) => [[[0, 'x', 'f', text]], [[1, 'y', 'f', text]]] as const),
    joined: ['{"a":1}', '{"a":1}'],
  },
  'a call that repeats its arguments beside one with a nested object': {
    pieces: [
      [[0, 'x', 'f', '{"b":2}']],
      [[0, null, null, '{"b":2}']],
      [[1, 'y', 'f', '{"a":']],
      [[1, null, null, '{"a":2}}']],
    ],
    joined: ['{"b":2}', '{"a":{"a":2}}'],
  },
  'a call whose name comes last': {
    pieces: [[[0, 'x', null, '{"']], [[0, null, null, '{"a"']], [[0, null, 'f', '{"a":1}']]],
    joined: ['{"a":1}'],
  },
}

test.each(Object.entries(SEVERAL))('%s: the arguments are joined once', (_, { pieces, joined }) => {
  const chunks = pieces.map((list) => chunkWith(list))
  const calls = responseOf([...chunks, LAST].map((chunk) => JSON.stringify(chunk))).output
  expect(calls.map((call: { readonly arguments: string }) => call.arguments)).toEqual(joined)
})

test('a bracket may be escaped, also where the fast path has learned the chunks', () => {
  const text = `{"a":[${Array.from({ length: 40 }, (_, i) => `"word ${i}"`).join(',')}]}`
  const ends = Array.from({ length: text.length - 1 }, (_, i) => i + 2)
  const chunks = ['{', ...ends.map((end) => text.slice(0, end))].map((piece) => JSON.stringify(chunkOf(piece, false)))
  const escaped = chunks.map((chunk) => chunk.replace('"arguments":"{', '"arguments":"\\u007b'))
  const first = JSON.stringify(chunkOf('', true))
  expect(responseOf([first, ...escaped, JSON.stringify(LAST)]).output[0].arguments).toBe(text)
  const plain = ends.map((end) => JSON.stringify(chunkOf(text.slice(end - 1, end), false)))
  const again = JSON.stringify(chunkOf(text, false)).replace('"arguments":"{', '"arguments":"\\u007B')
  const begun = JSON.stringify(chunkOf('{', false))
  expect(responseOf([first, begun, ...plain, again, JSON.stringify(LAST)]).output[0].arguments).toBe(text)
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
