import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sealed } from '../../../engine/target.ts'
import { check } from '../../../property.ts'
import type { Loose } from '../../../reference-readers/read-stream.ts'
import { call, chunk, code, deltasOf, end, reasoningPart, result, signed, stop, text } from '../answers.ts'
import { contentsOf, encode, itemsOf, MODEL, SECOND } from '../histories.ts'

/** Parts of the model return as the model sent them: signed, split and ordered as before. */

const SKIPPED = 'skip_thought_signature_validator'

const isCall = (item: Loose): boolean => item.type === 'function_call'
const answersTo = (items: readonly Loose[]) =>
  items.filter(isCall).map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'ok' }))

/** Returns the parts of the model in the request that follows an answer of these chunks. */
function returned(chunks: readonly unknown[], model = MODEL): readonly Loose[] {
  const items = itemsOf(deltasOf(chunks), model)
  const { body, losses } = encode({ input: [{ role: 'user', content: 'Hi' }, ...items, ...answersTo(items)] }, model)
  expect(losses.filter(({ why }) => !/^Gemini does not accept/.test(why))).toEqual([])
  return body.contents.filter(({ role }: Loose) => role === 'model').flatMap(({ parts }: Loose) => parts)
}

const bare = ({ functionCall: { id, ...rest }, ...part }: Loose) => ({ functionCall: rest, ...part })

describe('a signature in the next gemini-generate request', () => {
  const cases: [string, readonly object[]][] = [
    ['on a call', [call('f', { a: 1 }, signed('s'))]],
    ['on the first of two calls', [call('f', {}, signed('s')), call('g', {})]],
    ['on the second of two calls', [call('f', {}, signed('r')), call('f', {}, signed('s'))]],
    ['on a call after reasoning', [reasoningPart('hm'), call('f', {}, signed('s'))]],
    ['on a call after a text', [text('A'), call('f', {}, signed('s'))]],
    ['on the empty part at the end', [text('A'), text('', signed('s'))]],
    ['on a whole text', [text('A', signed('s'))]],
    ['on the first fragment of a text', [text('A 🙂', signed('s')), text('B')]],
    ['on a fragment in the middle', [text('A'), text('B', signed('s')), text('C')]],
    ['on two fragments', [text('A', signed('r')), text('B', signed('s'))]],
    ['on reasoning', [reasoningPart('hm', signed('s')), text('A')]],
    ['on a fragment of reasoning', [reasoningPart('h'), reasoningPart('m', signed('s')), call('f', {}, signed('r'))]],
    ['on reasoning without text', [{ thought: true, text: '', ...signed('s') }, text('A')]],
    ['on a text and on the call after it', [text('A', signed('r')), call('f', {}, signed('s'))]],
    ['on an empty part after a call', [call('f', {}, signed('r')), text('', signed('s'))]],
    ['on code', [{ ...code, ...signed('s') }, result, text('A')]],
    ['on code between texts', [text('A'), { ...code, ...signed('s') }, result, text('B', signed('r'))]],
    [
      'on tools that Google ran side by side',
      [
        { toolCall: { toolType: 'FILE_SEARCH', args: {}, id: '1' }, ...signed('a') },
        { toolCall: { toolType: 'FILE_SEARCH', args: {}, id: '2' }, ...signed('b') },
        { toolResponse: { toolType: 'FILE_SEARCH', response: { r: [] }, id: '1' }, ...signed('c') },
        { toolResponse: { toolType: 'FILE_SEARCH', id: '2' }, ...signed('d') },
        text('A'),
      ],
    ],
    ['on an image', [{ inlineData: { mimeType: 'image/webp', data: 'UklGR' }, ...signed('s') }]],
  ]

  it.each(cases)('returns at the same position: %s', (_, parts) => {
    const back = returned([chunk(parts), end], MODEL)
    expect(back.map((part) => (part.functionCall === undefined ? part : bare(part)))).toEqual(parts)
    // Parts in chunks of their own give the same.
    expect(returned([...parts.map((part) => chunk([part])), end])).toEqual(back)
  })

  it('returns on calls with streamed arguments', () => {
    const chunks = [
      chunk([{ functionCall: { name: 'f', willContinue: true }, ...signed('s') }]),
      chunk([{ functionCall: { partialArgs: [{ jsonPath: '$.a', numberValue: 1 }] } }], stop),
    ]
    expect(returned(chunks).map(bare)).toEqual([call('f', { a: 1 }, signed('s'))])
  })

  it('returns by the id of its call, wherever a client has put the call', () => {
    const chunks = [chunk([{ functionCall: { id: 'i1', name: 'f', args: {} }, ...signed('s') }, call('g', {})], stop)]
    const [reasoning, first, second] = itemsOf(deltasOf(chunks))
    const [, { parts }] = contentsOf([{ role: 'user', content: 'Hi' }, reasoning, second, first]) as Loose
    expect(parts.find((part: Loose) => part.functionCall.id === 'i1').thoughtSignature).toBe('s')
  })

  it('returns in random answers of text, reasoning and calls', () => {
    const signature = fc.constantFrom({}, {}, signed('s1'), signed('s2'))
    const words = fc.constantFrom('a', 'é ', '🙂', 'Water', '\n')
    const part: fc.Arbitrary<Loose> = fc.oneof(
      { weight: 4, arbitrary: fc.tuple(words, signature).map(([content, its]) => text(content, its)) },
      { weight: 2, arbitrary: fc.tuple(words, signature).map(([content, its]) => reasoningPart(content, its)) },
      {
        weight: 3,
        arbitrary: fc.tuple(fc.constantFrom('f', 'g'), signature).map(([name, its]) => call(name, {}, its)),
      },
      { weight: 1, arbitrary: fc.constant(text('', signed('e'))) },
    )
    check(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const back = returned([chunk(parts), end])
        expect(plain(back)).toEqual(plain(parts))
      }),
    )
  })

  const kindOf = ({ functionCall, thought: thinks }: Loose): string =>
    functionCall === undefined ? (thinks === true ? 'thought' : 'text') : `call ${functionCall.name}`

  /** Parts without ids, and unsigned neighbours as one. */
  function plain(parts: readonly Loose[]): readonly string[] {
    const runs: Loose[][] = []
    for (const part of parts) {
      const last = runs.at(-1)
      if (last !== undefined && kindOf(last[0]) === kindOf(part) && part.functionCall === undefined) last.push(part)
      else runs.push([part])
    }
    const texts: string[] = []
    let open = ''
    for (const run of runs) {
      for (const { text = '', thoughtSignature: its } of run) {
        const isSigned = its !== undefined && its !== SKIPPED
        const kind = kindOf(run[0])
        // Unsigned pieces of one kind have no border between them.
        if (open === kind && !isSigned) texts.push(`${texts.pop()}${text}`)
        else texts.push(`${kind} ${isSigned ? its : ''}: ${text}`)
        open = isSigned || kind.startsWith('call') ? '' : kind
      }
    }
    return texts
  }
})

describe('parts without a signature in a gemini-generate request', () => {
  const turn = (model: string) =>
    contentsOf(
      [
        { role: 'user', content: 'Hi' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
        { type: 'function_call', call_id: 'c2', name: 'g', arguments: '{}' },
      ],
      model,
    )[1] as Loose

  it.each([MODEL, SECOND, 'gemini-flash-latest', 'gemini-pro-latest', 'tunedModels/mine-1', 'an-alias'])(
    'have a marker on the first call of a step for any name of a model: %s',
    (name) => {
      expect(turn(name).parts.map((part: Loose) => part.thoughtSignature)).toEqual([SKIPPED, undefined])
    },
  )

  const reasoning = (encrypted_content: string | null, summary: string[] = []) => ({
    type: 'reasoning',
    summary: summary.map((it) => ({ type: 'summary_text', text: it })),
    encrypted_content,
  })
  const answered = (item: object) => [{ role: 'user', content: 'Hi' }, item, { role: 'assistant', content: 'Yo' }]

  it.each([
    ['foreign', 'mr1.someone-elses', 'another upstream'],
    [
      'of another family',
      sealed('gemini-generate', { on: 'call', id: '', signature: 's' }, 'gemma-3'),
      'another upstream',
    ],
    ['in an unknown format', sealed('gemini-generate', { on: 'moon' }, MODEL), 'another upstream'],
    ['not even an object', sealed('gemini-generate', ['x'], MODEL), 'another upstream'],
    [
      'without its call',
      sealed('gemini-generate', { on: 'call', id: '', signature: 's' }, MODEL),
      'the content that it signed',
    ],
    [
      'without its image',
      sealed('gemini-generate', { on: 'image', mimeType: 'image/png', signature: 's' }, MODEL),
      'the content that it signed',
    ],
  ])('are dropped with a loss if the reasoning is %s', (_, encrypted, why) => {
    const { body, losses } = encode({ input: answered(reasoning(encrypted)) }, MODEL)
    expect(losses).toEqual([
      expect.objectContaining({ path: 'input[1]', action: 'dropped', why: expect.stringContaining(why) }),
    ])
    expect(body.contents[1]).toEqual({ role: 'model', parts: [{ text: 'Yo' }] })
    // A text goes back without its signature.
    const readable = encode({ input: answered(reasoning(encrypted, ['hm'])) }, MODEL)
    expect(readable.losses).toEqual([{ ...losses[0], path: 'input[1].encrypted_content' }])
    expect(readable.body.contents[1]).toEqual({ role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'Yo' }] })
  })

  it('have the text of reasoning that was never signed, for models that reason', () => {
    const input = answered({ ...reasoning(null), content: [{ type: 'reasoning_text', text: 'hm' }] })
    const { body, losses } = encode({ input }, MODEL)
    expect(losses).toEqual([])
    expect(body.contents[1]).toEqual({ role: 'model', parts: [{ text: 'hm', thought: true }, { text: 'Yo' }] })
    const other = encode({ input }, 'gemini-2.0-flash')
    expect(other.losses).toEqual([
      { path: 'input[1]', action: 'dropped', why: 'this model does not support reasoning' },
    ])
    expect(other.body.contents[1]).toEqual({ role: 'model', parts: [{ text: 'Yo' }] })
    expect(encode({ input: answered(reasoning(null)) }, MODEL).losses).toEqual([])
  })

  it('have the signature of a shortened text after the text', () => {
    const mark = sealed(
      'gemini-generate',
      {
        on: 'text',
        marks: [
          [4, 9, 's'],
          [2, 1, 'x'],
          ['a', 1, 'y'],
        ],
      },
      MODEL,
    )
    const input = [{ role: 'user', content: 'Hi' }, { role: 'assistant', content: 'Yo' }, reasoning(mark)]
    expect(contentsOf(input)[1]?.parts).toEqual([{ text: 'Yo' }, { text: '', thoughtSignature: 's' }])
  })
})
