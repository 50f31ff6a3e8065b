import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { PassedStream } from '../../../../src/engine/passthrough/passed-stream.ts'
import { createTranslation } from '../../../../src/engine/translation.ts'
import type { Json, JsonObject } from '../../../../src/protocol/json.ts'
import { LIMITS } from '../../../../src/protocol/limits.ts'
import { WIRES } from '../../../../src/wires/registry.ts'
import { answersOf, CUT, optionsFor, pass, text } from '../../../engine/passing.ts'
import { writeFrame } from '../../../framing/write-frame.ts'

/** The choices of a chat completion that is passed on, as OpenAI's library reads them. */

const WIRE = WIRES['openai-chat']

const CHUNK = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }

const frame = (data: string): Uint8Array => writeFrame({ event: '', data }, 'sse')

const chunk = (...choices: readonly Json[]): Uint8Array => frame(JSON.stringify({ ...CHUNK, choices }))

const piece = (index: number, content: string, finish_reason: string | null = null): JsonObject => ({
  index,
  delta: { role: 'assistant', content },
  finish_reason,
})

const DONE = frame('[DONE]')

async function readBy(sent: string) {
  const fetch = async () => new Response(sent, { headers: { 'content-type': 'text/event-stream' } })
  const client = new OpenAI({ apiKey: 'x', maxRetries: 0, fetch })
  const { choices } = await client.chat.completions.stream({ model: 'm', messages: [] }).finalChatCompletion()
  return choices.map(({ message, finish_reason }) => ({
    content: message.content,
    calls: (message.tool_calls ?? []).map((call) => (call.type === 'function' ? call.function.arguments : '')),
    finish_reason,
  }))
}

const passed = (pieces: readonly Uint8Array[], ending: 'end' | 'fail' = 'end', limits = {}) => {
  const options = optionsFor(WIRE)
  const { output, stream } = pass({ ...options, ...limits }, WIRE, pieces, ending)
  return { sent: text(output), outcome: stream.outcome(), stream }
}

const CALLS = [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }]
const WHOLE = { role: 'assistant', content: 'Hello' }

it.each<[before: string, choices: readonly JsonObject[], content: string, calls: readonly string[]]>([
  ['nothing', [{ index: 0, message: WHOLE, finish_reason: 'stop' }], 'Hello', []],
  ['an empty delta', [{ index: 0, delta: {}, message: WHOLE, finish_reason: 'stop' }], 'Hello', []],
  ['pieces', [piece(0, 'Hel'), piece(0, 'lo'), { index: 0, message: WHOLE, finish_reason: 'stop' }], 'Hello', []],
  [
    'pieces, and without a delta',
    [piece(0, 'Hel'), piece(0, 'lo'), { index: 0, delta: null, message: WHOLE, finish_reason: 'stop' }],
    'Hello',
    [],
  ],
  [
    'calls',
    [
      { index: 0, delta: { role: 'assistant', content: 'Hello', tool_calls: CALLS } },
      { index: 0, message: { ...WHOLE, tool_calls: CALLS }, finish_reason: 'tool_calls' },
    ],
    'Hello',
    ['{"a":1}'],
  ],
  [
    'reasoning',
    [
      { index: 0, delta: { role: 'assistant', reasoning_content: 'I think' } },
      { index: 0, message: { ...WHOLE, reasoning_content: 'I think' }, finish_reason: 'stop' },
    ],
    'Hello',
    [],
  ],
  [
    'reasoning, with the reason of calls',
    [
      { index: 0, delta: { role: 'assistant', reasoning_content: 'I think' } },
      { index: 0, message: WHOLE, finish_reason: 'tool_calls' },
    ],
    'Hello',
    [],
  ],
  [
    'pieces of its text, with a call',
    [piece(0, 'Hello'), { index: 0, message: { ...WHOLE, tool_calls: CALLS }, finish_reason: 'tool_calls' }],
    'Hello',
    ['{"a":1}'],
  ],
  [
    'messages as pieces',
    [{ message: { content: 'Hel' } }, { message: { content: 'lo' } }, piece(0, '', 'stop')],
    'Hello',
    [],
  ],
  [
    'the same message',
    [
      { delta: {}, message: WHOLE },
      { delta: {}, message: WHOLE, finish_reason: 'stop' },
    ],
    'Hello',
    [],
  ],
  [
    'messages as pieces, at the end',
    [{ message: { content: 'Hel' } }, { message: { content: 'lo' } }, { message: WHOLE, finish_reason: 'stop' }],
    'Hello',
    [],
  ],
  [
    'pieces, beside each, with citations',
    [
      { ...piece(0, 'Hel'), message: { ...WHOLE, content: 'Hel', annotations: [{}] } },
      { ...piece(0, 'lo', 'stop'), message: { ...WHOLE, annotations: [{}] } },
    ],
    'Hello',
    [],
  ],
  [
    'pieces, beside each of them (Perplexity)',
    [
      { ...piece(0, 'Hel'), message: { role: 'assistant', content: 'Hel' } },
      { ...piece(0, 'l'), message: { role: 'assistant', content: 'Hell' } },
      { ...piece(0, 'o', 'stop'), message: WHOLE },
    ],
    'Hello',
    [],
  ],
  [
    'pieces of its text, and beside an empty delta, with a call',
    [piece(0, 'Hello'), { ...piece(0, '', 'tool_calls'), message: { ...WHOLE, tool_calls: CALLS } }],
    'Hello',
    ['{"a":1}'],
  ],
  [
    'pieces, beside the last one, with a call',
    [piece(0, 'Hel'), { ...piece(0, 'lo', 'tool_calls'), message: { ...WHOLE, tool_calls: CALLS } }],
    'Hello',
    ['{"a":1}'],
  ],
  [
    'nothing, beside the only piece, with a call',
    [{ ...piece(0, 'Hello', 'tool_calls'), message: { ...WHOLE, tool_calls: CALLS } }],
    'Hello',
    ['{"a":1}'],
  ],
])('a message behind %s reaches the client once', async (_, choices, content, calls) => {
  const { sent, outcome } = passed([...choices.map((one) => chunk(one)), DONE])
  expect(outcome.error).toBeNull()
  expect(await readBy(sent)).toMatchObject([
    { content, calls, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' },
  ])
})

const IMAGES = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,QQ==' } }]
const WITH_MORE = { ...WHOLE, refusal: null, images: IMAGES, annotations: [] }

it.each([0, 1])('a message behind pieces of choice %i keeps all that they lack', (index) => {
  const first = index === 0 ? [] : [chunk(piece(0, 'A', 'stop'))]
  const { sent } = passed([
    ...first,
    chunk(piece(index, 'Hello')),
    chunk({ index, delta: {}, message: WITH_MORE, finish_reason: 'stop' }),
    DONE,
  ])
  const last = sent.split('\n\n').at(-3)?.replace('data: ', '') ?? ''
  expect(JSON.parse(last).choices).toEqual([{ index, delta: { images: IMAGES }, finish_reason: 'stop' }])
  const repeated = { index, delta: { images: IMAGES }, message: { ...WHOLE, images: IMAGES }, finish_reason: 'stop' }
  const bytes = chunk(repeated)
  expect(passed([...first, chunk({ index, delta: { role: 'assistant', content: 'Hello' } }), bytes]).sent).toContain(
    text(bytes),
  )
})

// OpenAI's library for JavaScript puts a message in the place of the pieces before, and joins the delta beside it.
const CALLING = { role: 'assistant', content: 'Hello', tool_calls: CALLS }
it.each<[what: string, choices: readonly JsonObject[], calls?: readonly string[]]>([
  ['with the last piece', [piece(0, 'Hel'), { ...piece(0, 'lo', 'stop'), message: WHOLE }]],
  ['with the only piece', [{ ...piece(0, 'Hello', 'stop'), message: WHOLE }]],
  [
    'with the only piece and its call',
    [{ delta: CALLING, message: CALLING, finish_reason: 'tool_calls' }],
    ['{"a":1}'],
  ],
  ['without the call', [{ delta: CALLING }, { delta: {}, message: WHOLE, finish_reason: 'tool_calls' }], ['{"a":1}']],
  ['without anything', [piece(0, 'Hello'), { delta: {}, message: {}, finish_reason: 'stop' }]],
  [
    'without the text, inside the pieces',
    [
      piece(0, 'Hel'),
      { ...piece(0, ''), message: { role: 'assistant', content: '', reasoning_steps: [{ thought: 'a' }] } },
      piece(0, 'lo', 'stop'),
    ],
  ],
  ...[undefined, []].map((tool_calls): [string, readonly JsonObject[], readonly string[]] => [
    `with ${JSON.stringify(tool_calls)} calls, behind their end`,
    [
      { delta: CALLING, finish_reason: 'tool_calls' },
      { delta: {}, message: { ...WHOLE, ...(tool_calls && { tool_calls }) } },
    ],
    ['{"a":1}'],
  ]),
  [
    'that is null',
    [
      { ...piece(0, 'Hello'), message: null },
      { delta: {}, message: null, finish_reason: 'stop' },
    ],
  ],
  [
    'with a role alone beside each piece',
    [piece(0, 'Hel'), piece(0, 'lo', 'stop')].map((one) => ({ ...one, message: { role: 'assistant', content: '' } })),
  ],
])('a message %s takes nothing from the client, and doubles nothing', async (_, choices, calls = []) => {
  const { sent, outcome } = passed([...choices.map((one) => chunk(one)), DONE])
  expect(outcome.error).toBeNull()
  expect(await readBy(sent)).toMatchObject([
    { content: 'Hello', calls, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' },
  ])
})

/** The texts and the arguments of an answer, in the log or translated. */
const contentIn = (answer: unknown) => {
  const output = (answer as { output: readonly JsonObject[] }).output
  return {
    texts: output.flatMap(({ content }) => ((content ?? []) as readonly JsonObject[]).map((part) => part.text)),
    calls: output.flatMap((item) => (item.type === 'function_call' ? [item.arguments] : [])),
  }
}

const MORE_CALLS = [{ id: 'b', type: 'function', function: { name: 'g', arguments: '{"b":2}' } }]
const HELLO = [piece(0, 'Hello'), piece(0, '', 'stop')]
const end = (finish_reason: string): JsonObject => ({ index: 0, message: {}, finish_reason })

it.each<[what: string, choices: readonly JsonObject[], texts: readonly string[], calls?: readonly string[]]>([
  ['that repeats a text, behind its end', [...HELLO, { message: WHOLE }], ['Hello']],
  ['beside a delta of null', [...HELLO, { delta: null, message: WHOLE }], ['Hello']],
  ['that is a text', [piece(0, 'Hello'), { message: 'Hello', finish_reason: 'stop' }], ['Hello']],
  ['that is a piece', [{ message: 'Hel' }, { message: { content: 'lo' } }, end('stop')], ['Hello']],
  ['of reasoning', [{ message: { reasoning_content: 'R' } }, { message: WHOLE }, piece(0, '', 'stop')], ['R', 'Hello']],
  ['behind reasoning', [{ delta: { reasoning_content: 'R' } }, { message: WHOLE }, end('stop')], ['R', 'Hello']],
  [
    'of one call each',
    [{ message: { tool_calls: CALLS } }, { message: { tool_calls: MORE_CALLS } }, piece(0, '', 'tool_calls')],
    [],
    ['{"a":1}', '{"b":2}'],
  ],
  ['of calls', [{ message: WHOLE }, { message: { tool_calls: CALLS } }, end('tool_calls')], ['Hello'], ['{"a":1}']],
  [
    'of calls, behind a delta',
    [piece(0, 'Hello'), { message: { tool_calls: CALLS } }, piece(0, '', 'tool_calls')],
    ['Hello'],
    ['{"a":1}'],
  ],
  [
    'of calls, twice behind a delta',
    [piece(0, 'Hello'), { message: { tool_calls: CALLS } }, { message: CALLING, finish_reason: 'tool_calls' }],
    ['Hello'],
    ['{"a":1}'],
  ],
  ['with a second end', [...HELLO, { delta: {}, message: CALLING, finish_reason: 'stop' }], ['Hello'], ['{"a":1}']],
  ['with calls, behind the end', [...HELLO, { delta: {}, message: CALLING }], ['Hello'], ['{"a":1}']],
  ['with calls, beside all', [{ ...piece(0, 'Hello', 'stop'), message: CALLING }], ['Hello'], ['{"a":1}']],
])('a message %s is the same for the client, the log and a translation', async (_, choices, texts, calls = []) => {
  const pieces = [...choices.map((one) => chunk(one)), DONE]
  const { sent, outcome } = passed(pieces)
  const [choice] = await readBy(sent)
  expect({ ...choice, content: choice?.content ?? '' }).toMatchObject({
    content: texts.filter((one) => one !== 'R').join(''),
    calls,
    finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
  })
  expect(contentIn(outcome.answer)).toEqual({ texts, calls })
  const translation = createTranslation(optionsFor(WIRE))
  for (const bytes of pieces) translation.push(bytes)
  expect(contentIn(translation.outcome().answer)).toEqual({ texts, calls })
})

it('a message without a role takes no place of pieces', async () => {
  const { sent } = passed([
    chunk(piece(0, 'Hello')),
    chunk({ message: { content: 'Hello' }, finish_reason: 'stop' }),
    DONE,
  ])
  expect(await readBy(sent)).toMatchObject([{ content: 'Hello' }])
})

it('an empty list of calls is no call, also in a further choice', async () => {
  const { sent } = passed([
    chunk(piece(0, 'A', 'stop')),
    chunk({ ...piece(1, 'Hello'), delta: { role: 'assistant', content: 'Hello', tool_calls: [] } }),
    chunk({ index: 1, message: { ...WHOLE, tool_calls: [] }, finish_reason: 'stop' }),
    DONE,
  ])
  expect(await readBy(sent)).toMatchObject([{ content: 'A' }, { content: 'Hello', calls: [], finish_reason: 'stop' }])
})

it.each(['tool_calls', 'stop'])('calls behind the reason %s of a text have their own', async (reason) => {
  const calls = { index: 0, delta: { tool_calls: CALLS } }
  const { sent, outcome } = passed([chunk(piece(0, 'Hello')), chunk(piece(0, '', reason)), chunk(calls), DONE])
  expect(outcome.error).toBeNull()
  expect(await readBy(sent)).toMatchObject([{ content: 'Hello', calls: ['{"a":1}'], finish_reason: 'tool_calls' }])
})

const bare = (text: string): JsonObject => ({ delta: { tool_calls: [{ index: 0, function: { arguments: text } }] } })
const NAMED = { delta: { tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'f' } }] } }
const ENTIRE = { delta: { tool_calls: CALLS } }

it.each<[what: string, choices: readonly JsonObject[]]>([
  ['once more', [ENTIRE, ENTIRE]],
  ['without its name', [ENTIRE, bare('{"a":1}')]],
  ['behind its pieces', [NAMED, bare('{"a":'), bare('1}'), ENTIRE]],
  ['twice in a list', [{ delta: { tool_calls: [...CALLS, ...CALLS] } }]],
])('a whole call that comes %s has its arguments once', async (_, choices) => {
  const { sent } = passed([...choices.map((one) => chunk(one)), chunk(piece(0, '', 'tool_calls')), DONE])
  expect(await readBy(sent)).toMatchObject([{ calls: ['{"a":1}'], finish_reason: 'tool_calls' }])
})

it('an unreadable frame in an open choice is no end of it', () => {
  const half = { index: 1, delta: { tool_calls: [{ ...CALLS[0], function: { name: 'f', arguments: '{"pa' } }] } }
  const { sent, outcome } = passed([chunk(piece(0, 'A', 'stop')), chunk(half), frame('{"choices":[{"ind'), DONE])
  expect(outcome.status).toBe('failed')
  expect(sent).not.toContain('"finish_reason":"tool_calls"')
})

it('counts complete a stream whose only choice has another index', () => {
  const counts = frame(JSON.stringify({ ...CHUNK, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }))
  expect(passed([chunk(piece(1, 'A')), counts]).outcome).toMatchObject({ status: 'completed' })
})

it('a message behind the pieces of a further choice reaches the client once', async () => {
  const { sent } = passed([
    chunk(piece(0, 'A', 'stop')),
    chunk(piece(1, 'Hello')),
    chunk({ index: 1, message: WHOLE, finish_reason: 'stop' }),
    DONE,
  ])
  expect(await readBy(sent)).toMatchObject([{ content: 'A' }, { content: 'Hello' }])
})

it('choices without an index have that of their place, as in the log', async () => {
  const choice = (content: string, finish_reason: string | null = null) => ({
    ...piece(0, content, finish_reason),
    index: null,
  })
  const { sent, outcome } = passed([
    chunk(choice('A'), 'x', choice('B')),
    chunk(choice('', 'stop'), choice('', 'stop')),
    DONE,
  ])
  expect(await readBy(sent)).toMatchObject([{ content: 'A' }, { content: 'B' }])
  expect(outcome.answer).toMatchObject({ output: [{ content: [{ text: 'A' }] }] })
})

it('choices that are an object reach the client as they are logged', async () => {
  const { sent } = passed([frame(JSON.stringify({ ...CHUNK, choices: piece(0, 'A', 'stop') })), DONE])
  expect(await readBy(sent)).toMatchObject([{ content: 'A', finish_reason: 'stop' }])
})

// ---------------------------------------------------------------- the end of further choices

const A_THEN_B = [chunk(piece(0, 'A')), chunk(piece(0, '', 'stop')), chunk(piece(1, 'B is not fin'))]

it.each(['end', 'fail'] as const)('a stream that stops (%s) inside a further choice fails', async (ending) => {
  const { sent, outcome } = passed(A_THEN_B, ending)
  expect(outcome).toMatchObject({ status: 'failed', answer: { output: [{ content: [{ text: 'A' }] }] } })
  expect(sent).not.toContain('[DONE]')
  await expect(readBy(sent)).rejects.toThrow(outcome.error?.message)
  const whole = passed([...A_THEN_B, chunk(piece(1, 'ished', 'length'))], ending)
  expect(whole.outcome).toMatchObject({ status: 'completed', error: null })
  expect(await readBy(whole.sent)).toMatchObject([{ content: 'A' }, { content: 'B is not finished' }])
})

it('counts behind each choice complete none that has not ended', () => {
  const counts = frame(JSON.stringify({ ...CHUNK, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }))
  const half = { index: 1, delta: { tool_calls: [{ ...CALLS[0], function: { name: 'f', arguments: '{"pa' } }] } }
  for (const pieces of [
    [chunk(piece(0, 'A', 'stop')), counts, chunk(half)],
    [chunk(piece(0, 'A')), chunk(piece(1, 'B', 'stop')), counts],
  ]) {
    const { sent, outcome } = passed(pieces)
    expect(outcome).toMatchObject({ status: 'failed', error: { code: 'upstream_truncated' } })
    expect(sent).not.toMatch(/"finish_reason":"tool_calls"|\[DONE\]/)
  }
})

it('more is expected until all choices have ended, of a stream that is passed on alone', () => {
  const streams = [new PassedStream(optionsFor(WIRE), answersOf(WIRE), null), createTranslation(optionsFor(WIRE))]
  const seen = [...A_THEN_B, chunk(piece(1, 'ished', 'stop'))].map((bytes) =>
    streams.map((stream) => {
      stream.push(bytes)
      return stream.progress.remainder()
    }),
  )
  expect(seen).toEqual([
    ['more', 'more'],
    ['details', 'details'],
    ['more', 'details'],
    ['details', 'details'],
  ])
  const translation = createTranslation(optionsFor(WIRE))
  for (const bytes of A_THEN_B) translation.push(bytes)
  translation.push({ error: CUT })
  expect(translation.outcome()).toMatchObject({ status: 'completed', error: null })
})

it('every choice that lacks its finish reason gets one', async () => {
  const calls = { index: 2, delta: { role: 'assistant', tool_calls: CALLS }, finish_reason: null }
  const { sent, outcome } = passed([chunk(piece(0, 'A', 'length')), chunk(piece(1, 'B')), chunk(calls), DONE])
  expect(outcome.status).toBe('incomplete')
  expect((await readBy(sent)).map(({ finish_reason }) => finish_reason)).toEqual(['length', 'stop', 'tool_calls'])
  const first = passed([chunk(piece(0, 'A')), chunk(piece(1, 'B', 'stop')), DONE])
  expect((await readBy(first.sent)).map(({ finish_reason }) => finish_reason)).toEqual(['stop', 'stop'])
})

// ---------------------------------------------------------------- what further choices keep

const LIMITED = { ...optionsFor(WIRE), limits: { ...LIMITS, answerSize: 10_000 } }

it.each([
  ['passed', () => new PassedStream(LIMITED, answersOf(WIRE), null)],
  ['translated', () => createTranslation(LIMITED)],
] as const)('chunks of a further choice that wait for the first one count, %s', (_, open) => {
  const words = chunk(piece(1, 'some words of the other choice'))
  const endless = open()
  endless.push(words)
  expect(endless.kept()).toBeGreaterThan(100)
  for (let i = 0; i < 200 && !endless.progress.over(); i += 1) endless.push(words)
  expect(endless.outcome().error).toMatchObject({ code: 'upstream_too_large' })
  const whole = open()
  for (let i = 0; i < 70; i += 1) whole.push(words)
  expect(whole.kept()).toBeGreaterThan(6000)
  whole.push(chunk(piece(1, '', 'stop')))
  whole.push(DONE)
  expect(whole.outcome()).toMatchObject({ status: 'completed', error: null })
})

it('chunks of an alternative are not kept', () => {
  const stream = new PassedStream(LIMITED, answersOf(WIRE), null)
  stream.push(chunk(piece(1, 'B')))
  stream.push(chunk(piece(0, 'A')))
  for (let i = 0; i < 200; i += 1) stream.push(chunk(piece(1, 'some words of the other choice')))
  expect(stream.kept()).toBeLessThan(1000)
  expect(stream.progress.over()).toBe(false)
})
