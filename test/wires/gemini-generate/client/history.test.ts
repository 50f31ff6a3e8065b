import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { check } from '../../../property.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import { call, code, reasoningPart, result, signed, text } from '../answers.ts'
import { decoded, FOREIGN_ENVELOPE, HI, HOME, inputOf, model, passedOn, sealForeign, user } from '../clients.ts'

const response = (name: string, value: object, more: object = {}) => ({
  functionResponse: { name, response: value, ...more },
})
const assistantText = (words: string) => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: words }],
})
const reasoning = (encrypted_content: string | null, ...summary: string[]) => ({
  type: 'reasoning',
  summary: summary.map((it) => ({ type: 'summary_text', text: it })),
  encrypted_content,
})
const ENVELOPE = sealForeign({ type: 'thinking', thinking: 'hm', signature: 's' })

describe('calls and responses in a Gemini history', () => {
  const idsOf = (contents: readonly object[]) =>
    inputOf([HI, ...contents]).flatMap(({ type, call_id }) => (call_id === undefined ? [] : [`${type} ${call_id}`]))

  it('are decoded with their ids and arguments', () => {
    expect(inputOf([HI, model(call('f', { a: 1 }), { functionCall: { id: 'x', name: 'g' } })]).slice(1)).toEqual([
      { type: 'function_call', call_id: 'call_0', name: 'f', arguments: '{"a":1}' },
      { type: 'function_call', call_id: 'x', name: 'g', arguments: '{}' },
    ])
  })

  it('are matched by their ids in any order', () => {
    const calls = model({ functionCall: { id: 'a', name: 'f' } }, { functionCall: { id: 'b', name: 'f' } })
    expect(idsOf([calls, user(response('f', {}, { id: 'b' }), response('f', {}, { id: 'a' }))])).toEqual([
      'function_call a',
      'function_call b',
      'function_call_output b',
      'function_call_output a',
    ])
  })

  it('are sent once if the client repeats a response, and the copy answers no other call', () => {
    const calls = model({ functionCall: { id: 'a', name: 'f' } }, { functionCall: { id: 'b', name: 'f' } })
    const [one, other] = [response('f', { output: '1' }, { id: 'a' }), response('f', { output: '2' }, { id: 'b' })]
    const { body, losses, stop } = decoded({ contents: [HI, calls, user(one, one, other, one, other)] })
    expect(stop).toBeNull()
    expect((body.input as Loose[]).slice(-2)).toEqual([
      { type: 'function_call_output', call_id: 'a', output: '1' },
      { type: 'function_call_output', call_id: 'b', output: '2' },
    ])
    expect(losses.map(({ path, action }) => `${path} ${action}`)).toEqual(
      [1, 3, 4].map((at) => `contents[2].parts[${at}].functionResponse dropped`),
    )
  })

  it('are matched by name and order if they have no ids', () => {
    const answers = user(response('g', {}), response('f', {}), response('f', {}))
    expect(idsOf([model(call('f'), call('g'), call('f')), answers]).slice(3)).toEqual([
      'function_call_output call_1',
      'function_call_output call_0',
      'function_call_output call_2',
    ])
  })

  it('are matched by name despite an unknown id, and by order without a name', () => {
    expect(idsOf([model(call('f')), user(response('f', {}, { id: 'other' }))])).toEqual([
      'function_call call_0',
      'function_call_output call_0',
    ])
    expect(idsOf([model(call('f')), user({ functionResponse: { response: {} } })])[1]).toBe(
      'function_call_output call_0',
    )
  })

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

  it('are rejected if one call has two responses', () => {
    expect(() => inputOf([HI, model(call('f')), user(response('f', {}), response('f', {}))])).toThrow(
      'contents[2].parts[1].functionResponse',
    )
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

  it('may have the role function or model, and text beside the response', () => {
    const contents = [
      HI,
      model(call('f'), call('g')),
      { role: 'function', parts: [response('f', { a: 1 })] },
      user(text('First.'), response('g', {}), text('Then.')),
    ]
    expect(inputOf(contents).map(({ type, role }) => role ?? type)).toEqual([
      'user',
      'function_call',
      'function_call',
      'function_call_output',
      'user',
      'function_call_output',
      'user',
    ])
    expect(inputOf([HI, model(call('f'), response('f', {}))])[2].type).toBe('function_call_output')
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

describe('messages of the model in a Gemini history', () => {
  it('are one message if they are the kept chunks of a stream', () => {
    const contents = [
      HI,
      model(reasoningPart('h')),
      model(reasoningPart('m')),
      model(text('Hel')),
      model(text('lo'), text('')),
    ]
    expect(inputOf(contents).slice(1)).toEqual([reasoning(null, 'hm'), assistantText('Hello')])
  })

  it('drop executed code for other vendors with a loss', () => {
    const { body, losses } = decoded({ contents: [HI, model(text('A'), code, result, text('B'))] })
    expect(body.input.slice(1)).toEqual([assistantText('AB')])
    expect(losses.map(({ path }) => path)).toEqual(['contents[1].parts[1]', 'contents[1].parts[2]'])
  })

  it('have their own images as generated images', () => {
    const image = { inlineData: { mimeType: 'image/webp', data: 'UklGR' } }
    expect(inputOf([HI, model(image)])[1]).toMatchObject({ type: 'image_generation_call', result: 'UklGR' })
    expect(passedOn([HI, model(image)])[1].parts).toEqual([image])
  })
})

describe('signatures in a Gemini history', () => {
  it('are dropped with a loss for other vendors', () => {
    const { body, losses } = decoded({ contents: [HI, model(call('f', {}, signed('s')))] }, FOREIGN_ENVELOPE)
    expect(body.input[1].type).toBe('function_call')
    expect(losses).toEqual([
      expect.objectContaining({ path: 'contents[1].parts[0].thoughtSignature', action: 'dropped' }),
    ])
  })

  it('are no loss if they only skip the validation', () => {
    const parts = [call('f', {}, signed('skip_thought_signature_validator'))]
    const { body, losses } = decoded({ contents: [HI, model(...parts)] }, FOREIGN_ENVELOPE)
    expect([body.input.length, losses]).toEqual([2, []])
  })

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

describe('an envelope of another vendor in a Gemini history', () => {
  const items = (parts: readonly object[], asking = FOREIGN_ENVELOPE) =>
    inputOf([HI, ...parts.map((part) => model(part))], asking).slice(1)

  it('belongs to the reasoning before it, whichever part has it', () => {
    const env = signed(ENVELOPE)
    const own = reasoning(ENVELOPE, 'hm')
    expect(items([reasoningPart('h'), reasoningPart('m'), call('f', {}, env)])).toMatchObject([
      own,
      { type: 'function_call' },
    ])
    expect(items([reasoningPart('hm'), text('A', env), text('B')])).toEqual([own, assistantText('AB')])
    expect(items([reasoningPart('hm'), text('', env)])).toEqual([own])
    expect(items([reasoningPart('hm'), reasoningPart('next', env)])).toEqual([own, reasoning(null, 'next')])
  })

  it('returns even if its reasoning does not', () => {
    expect(items([call('f', {}, signed(ENVELOPE))])[0]).toEqual(reasoning(ENVELOPE))
    expect(items([text('A'), text('', signed(ENVELOPE))])).toEqual([assistantText('A'), reasoning(ENVELOPE)])
  })

  it('returns on reasoning that a client has merged into one part', () => {
    expect(items([reasoningPart('hm', signed(ENVELOPE)), text('A')])).toEqual([
      reasoning(ENVELOPE, 'hm'),
      assistantText('A'),
    ])
  })

  it('stays sealed in its reasoning item if the request goes to Google', () => {
    expect(items([call('f', {}, signed(ENVELOPE))], HOME)[0]).toEqual(reasoning(ENVELOPE))
  })

  it('is removed from parts that return to Google unchanged', () => {
    const input = inputOf([HI, model({ ...code, ...signed(ENVELOPE) })], HOME)
    expect(input[1]).toEqual(reasoning(ENVELOPE))
    expect(passedOn([HI, model({ ...code, ...signed(ENVELOPE) })])[1].parts).toEqual([code])
  })
})
