import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../../property.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import { call, code, reasoningPart, result, signed, text } from '../answers.ts'
import { HI, HOME, inputOf, model, passedOn, sealForeign, user } from '../clients.ts'

const response = (name: string, value: object, more: object = {}) => ({
  functionResponse: { name, response: value, ...more },
})
describe('calls and responses in a Gemini history', () => {
  const idsOf = (contents: readonly object[]) =>
    inputOf([HI, ...contents]).flatMap(({ type, call_id }) => (call_id === undefined ? [] : [`${type} ${call_id}`]))

  it('have invented ids that stay the same in later requests and never collide', () => {
    const turns = [model(call('f')), user(response('f', {})), model(call('f')), user(response('f', {}))]
    const all = idsOf(turns)
    expect(idsOf(turns.slice(0, 2))).toEqual(all.slice(0, 2))
    expect(new Set(all).size).toBe(4)
    const taken = model({ functionCall: { id: 'call_1', name: 'f' } }, call('f'))
    expect(idsOf([taken])).toEqual(['function_call call_1', 'function_call call_1_'])
    const later = [model(call('f')), user(response('f', {})), model({ functionCall: { id: 'call_0', name: 'g' } })]
    expect(idsOf(later)).toEqual(['function_call call_0_', 'function_call_output call_0_', 'function_call call_0'])
  })

  it.each([
    [{ result: 11 }, '{"result":11}'],
    [{ output: 'sunny' }, 'sunny'],
    [{ output: '{"a":1}' }, '{"output":"{\\"a\\":1}"}'],
    [{ output: 3 }, '{"output":3}'],
    [{ output: 'x', error: 'y' }, '{"output":"x","error":"y"}'],
    [{}, '{}'],
  ])('are carried with the response %j', (value, output) => {
    const contents = [HI, model(call('f')), user(response('f', value))]
    expect(inputOf(contents)[2].output).toBe(output)
    expect(passedOn(contents)[2].parts[0].functionResponse.response).toEqual(value)
  })

  it('may have images in a response', () => {
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }]
    const contents = [HI, model(call('f')), user(response('f', { ok: true }, { parts }))]
    expect(inputOf(contents)[2].output).toEqual([
      { type: 'input_text', text: '{"ok":true}' },
      { type: 'input_image', image_url: 'data:image/png;base64,QUJD' },
    ])
    expect(passedOn(contents)[2].parts[0].functionResponse).toMatchObject({ response: { ok: true }, parts })
  })
})

describe('calls that a client has stored in the pieces in which they were streamed', () => {
  const piece = (found: object) => model({ functionCall: found })
  const text = (jsonPath: string, stringValue: string) => ({ partialArgs: [{ jsonPath, stringValue }] })
  const callsIn = (contents: readonly object[]) =>
    inputOf([HI, ...contents]).flatMap(({ type, name, arguments: args }) =>
      type === 'function_call' ? [[name, args]] : [],
    )

  it('are whole calls, of pieces without a name and an id', () => {
    const pieces = [
      piece({ name: 'f', willContinue: true }),
      piece({ ...text('$.p', 'x'), willContinue: true }),
      piece({ ...text('$.p', 'y'), willContinue: true }),
      piece({}),
    ]
    expect(callsIn(pieces)).toEqual([['f', '{"p":"xy"}']])
    expect(passedOn([HI, ...pieces, user(response('f', {}))])[1].parts[0].functionCall).toMatchObject({
      name: 'f',
      args: { p: 'xy' },
    })
  })

  it('are told apart by their ids', () => {
    const pieces = [
      piece({ id: 'a', name: 'f', willContinue: true }),
      piece({ id: 'b', name: 'g', args: { n: 1 }, willContinue: true }),
      piece({ id: 'a', ...text('$.p', 'x'), willContinue: true }),
      piece({ id: 'b', name: 'g', ...text('$.q', 'y') }),
      piece({ id: 'a' }),
    ]
    expect(callsIn(pieces)).toEqual([
      ['f', '{"p":"x"}'],
      ['g', '{"n":1,"q":"y"}'],
    ])
  })
})

describe('messages of the model in a Gemini history', () => {
  it('have their own images as generated images', () => {
    const image = { inlineData: { mimeType: 'image/webp', data: 'UklGR' } }
    expect(inputOf([HI, model(image)])[1]).toMatchObject({ type: 'image_generation_call', result: 'UklGR' })
    expect(passedOn([HI, model(image)])[1].parts).toEqual([image])
  })
})

describe('signatures in a Gemini history', () => {
  const bare = (part: Loose): Loose =>
    part.functionCall === undefined ? part : { ...part, functionCall: { name: part.functionCall.name, args: {} } }

  it.each([
    ['on a call', [call('f', {}, signed('s'))]],
    ['on the second of two calls', [call('f', {}, signed('r')), call('f', {}, signed('s'))]],
    ['on a call after signed reasoning', [reasoningPart('hm', signed('r')), call('f', {}, signed('s'))]],
    ['on an empty part at the end', [text('A'), text('', signed('s'))]],
    ['on a fragment in the middle', [text('A'), text('B', signed('s')), text('C')]],
    ['on a part with only a signature', [text('A'), call('f', {}, signed('r')), text('', signed('s'))]],
    ['on code, unsigned results between', [{ ...code, ...signed('s') }, result, text('A')]],
    ['on an image', [{ inlineData: { mimeType: 'image/webp', data: 'UklGR' }, ...signed('s') }]],
    [
      'on tools that it ran itself',
      [
        { toolCall: { toolType: 'FILE_SEARCH', args: {}, id: '1' }, ...signed('a') },
        { toolResponse: { toolType: 'FILE_SEARCH', response: { r: [] }, id: '1' }, ...signed('b') },
        text('A'),
      ],
    ],
  ])('return to the same part %s', (_, parts) => {
    expect(passedOn([HI, model(...parts)])[1].parts.map(bare)).toEqual(parts.map(bare))
    const apart = parts.map((part) => model(part))
    expect(passedOn([HI, ...apart])[1].parts.map(bare)).toEqual(parts.map(bare))
  })

  it('return from the other spelling of their field', () => {
    const snake = { function_call: { name: 'f', args: {} }, thought_signature: 's' }
    expect(passedOn([HI, model(snake)])[1].parts[0]).toMatchObject({ thoughtSignature: 's' })
  })

  it('are not required for steps of code to return', () => {
    expect(passedOn([HI, model(code, result, text('A'))])[1].parts).toEqual([code, result, text('A')])
  })

  it('return to their parts at any position', () => {
    const signature = fc.constantFrom({}, {}, signed('s1'), signed('s2'))
    const words = fc.constantFrom('a', 'é ', '🙂', '\n')
    const part: fc.Arbitrary<Loose> = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(words, signature).map(([it, its]) => text(it, its)) },
      { weight: 2, arbitrary: words.map((it) => reasoningPart(it, signed('t'))) },
      { weight: 3, arbitrary: signature.map((its) => call('f', {}, its)) },
      { weight: 1, arbitrary: fc.constant(text('', signed('e'))) },
      { weight: 1, arbitrary: fc.constantFrom(code, { ...code, ...signed('c') }, result) },
    )
    const kindOf = (it: Loose): string =>
      it.functionCall ? 'call' : it.text === undefined ? 'step' : it.thought === true ? 'thought' : 'text'
    /**
     * Merges unsigned neighbours of one kind. The marker of an unsigned first call of a turn, which skips the
     * validation, counts as no signature.
     */
    const plain = (parts: readonly Loose[]) =>
      parts.reduce<Loose[]>((all, it) => {
        const its = it.thoughtSignature?.startsWith('skip') ? undefined : it.thoughtSignature
        const last = all.at(-1)
        const kind = kindOf(it)
        if (last?.kind === kind && kind === 'text' && last.its === undefined && its === undefined) last.text += it.text
        else all.push({ kind, its, text: it.text })
        return all
      }, [])
    check(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        expect(plain(passedOn([HI, model(...parts)])[1].parts)).toEqual(plain(parts))
      }),
    )
  })
})

it('an envelope of another vendor is removed from parts that return to Google unchanged', () => {
  const envelope = sealForeign({ type: 'thinking', thinking: 'hm', signature: 's' })
  const sealed = model({ ...code, ...signed(envelope) })
  const [, item] = inputOf([HI, sealed], HOME)
  expect(item).toEqual({ type: 'reasoning', summary: [], encrypted_content: envelope })
  expect(passedOn([HI, sealed])[1].parts).toEqual([code])
})
