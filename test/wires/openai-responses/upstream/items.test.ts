import { expect, it } from 'vitest'
import { run } from '../../../../src/machine/run.ts'
import { decodeStream } from '../../../../src/wires/openai-responses/upstream/stream.ts'
import type { AnswerCase } from '../../answer-cases.ts'
import { added, answers, at, call, completed, done, ev, message, text, textDelta } from '../answers.ts'

const args = (delta: string, output_index = 0) => ev('function_call_arguments.delta', { output_index, delta })
const of = (items: AnswerCase['items'], ...stream: readonly object[]): AnswerCase => ({ stream, items })
/** A stream whose terminal event lists no items. */
const ended = (items: AnswerCase['items'], ...stream: readonly object[]) => of(items, ...stream, completed())
const water = (...stream: readonly object[]) => ended(['Water'], ...stream)
const begin = added(0, message(''))
const WATER = message('Water')
const finish = done(0, WATER)
const whole = at(0, 'output_text.done', { text: 'Water' })
const part = at(0, 'content_part.done', { part: text('Water') })
const a = { id: 'a' }

// biome-ignore format: a row a case
answers('a message over openai-responses', 'has its text once: ', {
  'in pieces': of(['Water'], begin, textDelta('Wat'), textDelta('er'), finish, completed([WATER])),
  'in pieces, and an empty list at the end (ChatGPT)': water(begin, textDelta('Water'), finish),
  'without being announced': water(textDelta('Water')),
  'without a part being announced': water(begin, textDelta('Water')),
  'whole, in output_text.done (LM Studio)': water(begin, whole),
  'whole, in content_part.done': water(part),
  'whole, in output_item.done': water(finish),
  'whole, in the terminal response': of(['Water'], completed([WATER])),
  'which every event repeats': of(['Water'], textDelta('Water'), whole, part, finish, completed([WATER])),
  'whose item has more text than its deltas': water(textDelta('Wa'), finish),
  'whose terminal response has more text, without a done item': of(['Water'], textDelta('Wa'), completed([WATER])),
  'whose item has no text': water(begin, textDelta('Water'), done(0, { type: 'message' })),
  'whose finished item is null': water(begin, textDelta('Water'), done(0, null)),
  'whose text is counted up token by token (vLLM)': water(begin, textDelta('Wa'),
    textDelta('ter', 0, { content_index: 1 }), finish),
  'whose part has an index other than its position': water(at(1, 'content_part.added', { part: text('') }),
    textDelta('Water', 0, { content_index: 1 }), finish),
  'without any index, by its id': water(added(0, message('', a)), { ...textDelta('Water', null), item_id: 'a' },
    done(null, message('Water', a))),
  'under a new id with every event (Copilot)': of(['Water'], added(0, message('', a)), textDelta('Wa', 0, { item_id: 'b' }),
    textDelta('ter', 0, { item_id: 'c' }), done(0, message('Water', { id: 'd' })), completed([message('Water', { id: 'e' })])),
  'announced twice': water(added(0, message('', a)), added(0, message('', a)), textDelta('Water'), finish),
  'in the format of the service’s description': of(['Water'], at(0, 'content_part.delta', { delta: 'Water' }),
    ev('completed', { response: { output: [WATER] } }), ev('done', { response: { status: 'completed' } })),
  'with other events between its deltas': { losses: ['event response.something.later'], ...water(begin, textDelta('Wa'), { type: 'keepalive', sequence_number: 7 },
    textDelta('ter', 0, { obfuscation: 'xyz' }), ev('something.later', { output_index: 0, delta: 'x' })) },
  'with a second terminal event without text': { body: null, ...of(['Water'], textDelta('Water'), completed(),
    textDelta('!'), completed([message('Beer')])) },
})

const phase = { phase: 'commentary' }
const phased = (...stream: readonly object[]): AnswerCase => ({
  ...ended([{ ...phase, content: [{ text: 'A' }] }], ...stream),
  deltas: expect.toSatisfy((found) => found.filter((it: { kind: string }) => it.kind === 'phase').length === 1),
})
const refusal = (words: string) => ({ type: 'refusal', refusal: words })
const parts = { type: 'message', content: [text('A'), refusal('No'), text('B')] }
const logprobs = [{ token: 'Wa', logprob: -0.5, bytes: null, top_logprobs: [] }]

// biome-ignore format: a row a case
answers('a message over openai-responses', '', {
  'has the phase of the announced item, the finished item, both, or the terminal item': [
    phased(added(0, message('', phase)), textDelta('A'), done(0, message('A'))),
    phased(begin, textDelta('A'), done(0, message('A', phase))),
    phased(added(0, message('', phase)), done(0, message('A', phase))),
    { ...phased(), stream: [completed([message('A', phase)])] },
  ],
  'keeps its text and refusal parts in their order': [
    ended(['A|refusal: No|B'], at(0, 'content_part.added', { part: text('') }), textDelta('A'),
      at(0, 'content_part.done', { part: text('A') }), at(1, 'content_part.added', { part: refusal('') }),
      at(1, 'refusal.delta', { delta: 'No' }), at(1, 'content_part.done', { part: refusal('No') }),
      at(2, 'content_part.added', { part: text('') }), textDelta('B', 0, { content_index: 2 }), done(0, parts)),
    of([{ content: expect.objectContaining({ length: 3 }) }], completed([parts])),
  ],
  'has the text of a part that is named as in requests': of(['A'], completed([{ type: 'message', role: 'assistant', content: [{ type: 'input_text', text: 'A' }] }])),
  'keeps its log probabilities and ignores an empty list': [
    ended([{ content: [{ text: 'Water', logprobs }] }], textDelta('Wa', 0, { logprobs }), textDelta('ter', 0, { logprobs: [] })),
    ended([{ content: [{ text: 'Wa', logprobs }] }], at(0, 'output_text.done', { text: 'Wa', logprobs })),
  ],
})

it('a message over openai-responses keeps its first text and records a loss if a second version differs', () => {
  const deltas = (final: string) =>
    run(
      decodeStream({}),
      [textDelta('Water'), done(0, message(final)), completed()].map((it) => ({ event: '', data: JSON.stringify(it) })),
    ).filter(({ kind }) => kind !== 'served')
  const loss = { kind: 'loss', feature: 'a final text that differs from its deltas' }
  expect(deltas('Wine')).toMatchObject([{ kind: 'text', text: 'Water' }, loss, { kind: 'stop' }, { kind: 'finish' }])
  expect(deltas('Water').map(({ kind }) => kind)).toEqual(['text', 'stop', 'finish'])
})

const one = [begin, textDelta('A'), done(0, message('A'))]
const two = [...one, added(1, message('')), textDelta('B', 1), done(1, message('B'))]
const reasoning = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'hm' }] }
const [A, B] = [message('A', a), message('B', a)]

// biome-ignore format: a row a case
answers('several items over openai-responses', '', {
  'are decoded one after the other': [
    ended(['A', 'B'], ...two), of(['A', 'B'], ...two, completed([message('A'), message('B')]))],
  'stay apart at one index if a server does not count': ended(['A', 'call_1 f({"a":1})'], added(0, message('', a)),
    textDelta('A'), done(0, message('A')), added(0, call('f', '')), args('{"a":1}'), done(0, call('f', '{"a":1}'))),
  'are matched by their id if the end of an item has the next index': of(['A'],
    added(0, message('', a)), textDelta('A'), done(1, A), completed([A])),
  'stay at their index if one event of them has the next one': [
    ended(['ABC'], added(0, message('', a)), textDelta('A'), textDelta('B', 1, { item_id: 'a' }), textDelta('C')),
    ended(['A|B'], added(0, message('', a)), textDelta('A'), at(1, 'output_text.done', { text: 'A', item_id: 'a' }),
      at(0, 'content_part.added', { content_index: 1, part: text('') }), textDelta('B', 0, { content_index: 1 })),
  ],
  'stay apart under one id if a server has no other': ended(['A', 'B'], done(0, A), done(1, B), done(1, B)),
  'may overlap: reasoning ends after the message (OpenRouter)': of(['reasoning: hm', 'A'],
    added(0, { type: 'reasoning', summary: [] }), at(0, 'reasoning_text.delta', { delta: 'hm' }), added(1, message('')),
    textDelta('A', 1), done(1, message('A')), at(0, 'reasoning_text.done', { text: 'hm' }), done(0, reasoning),
    completed([reasoning, message('A')])),
  'are not repeated if the end lists a part of them under new ids': { body: null, ...of(['A', 'call_1 f({})'], done(0, A),
    done(1, call('f', '{}')), completed([{ ...call('f', '{}', 'call_9'), id: 'new' }])) },
  'include those that only the end lists': of(['A', 'call_1 f({})'], done(0, message('A')),
    completed([message('A'), call('f', '{}')])),
})

const announce = added(0, call('f', ''))
const CALL = call('f', '{"a":1}')
const last = done(0, CALL)
/** A call whose name is decoded once, with and without a list at the end. */
const once = (...stream: readonly object[]): readonly AnswerCase[] =>
  [completed(), completed([CALL])].map((end) => ({
    ...of(['call_1 f({"a":1})'], ...stream, end),
    deltas: expect.toSatisfy((found) => found.filter((it: { name?: string }) => it.name === 'f').length === 1),
  }))

// biome-ignore format: a row a case
answers('a call over openai-responses', 'is decoded once with its name and arguments: ', {
  'in pieces': once(announce, args('{"a"'), args(':1}'), last),
  'whole, in arguments.done (LM Studio)': once(announce,
    ev('function_call_arguments.done', { output_index: 0, arguments: '{"a":1}' }), last),
  'whole, when it is announced': once(added(0, CALL), last),
  'with empty arguments first': once(added(0, call('f', '{}')), args('{"a":1}'), last),
  'whole, in the finished item': once(last),
  'whose arguments are an object': once(done(0, call('f', { a: 1 }))),
  'with its name at the end': once(added(0, { type: 'function_call', call_id: 'call_1' }), args('{"a":1}'), last),
  'that a server calls unfinished': once(done(0, { ...CALL, status: 'in_progress' })),
})

const wrapped = '{"tool_uses":[{"recipient_name":"functions.f","parameters":{"a":1}}]}'
const details = { namespace: 'files', caller: { type: 'program', caller_id: 'call_0' }, async: true }
const custom = (input: string) => ({ type: 'custom_tool_call', call_id: 'call_1', name: 'grep', input })
const input = (delta: string) => ev('custom_tool_call_input.delta', { output_index: 0, delta })
const limit = { response: { incomplete_details: { reason: 'max_output_tokens' } } }

// biome-ignore format: a row a case
answers('a call over openai-responses', '', {
  'has {} as arguments if the upstream sends none': ended(['call_1 f({})'], announce, done(0, call('f', ''))),
  'keeps its arguments apart from those of another call': ended(['call_1 f({"a":1})', 'call_2 g({"b":2})'],
    announce, added(1, call('g', '', 'call_2')), args('{"a"', 0), args('{"b"', 1), args(':1}', 0), args(':2}', 1),
    done(1, call('g', '{"b":2}', 'call_2')), last),
  'is incomplete if it is cut in the middle of its arguments': {
    ...of(['call_1 f({"a":) (incomplete)'], announce, args('{"a":'), ev('incomplete', limit)),
    end: 'incomplete: max_output_tokens' },
  // Only the request shows whether `parallel` is a tool of the client, so the call is passed on unchanged.
  'stays one call if it wraps other calls': ended([`call_1 parallel(${wrapped})`], done(0, call('parallel', wrapped))),
  'has its namespace, its caller and whether it is asynchronous': [call('f', '{}'), custom('x')].flatMap((one) => {
    const item = { ...one, ...details }
    return [ended([details], added(0, item), done(0, item)), of([details], completed([item])), ended([details], done(0, item))]
  }),
  'has no namespace if that only repeats its name': ended(
    [expect.toSatisfy((item) => !('namespace' in item || 'async' in item))],
    done(0, { ...call('f', '{}'), namespace: 'f', async: false })),
  'is decoded with free text as a custom tool call': ended(['call_1 grep: a b'], added(0, custom('')), input('a '),
    input('b'), done(0, custom('a b'))),
})
