import type { AnswerCase } from '../../answer-cases.ts'
import { answers, call, callEnd, cite, DONE, end, plan, START, text, thinkingText } from '../decoded.ts'

const URL = 'https://a.example/'
const sources = [{ type: 'document', id: 'doc:0', document: { title: 'a.txt', text: 'x', url: URL } }]
const bCited = { start: 0, end: 1, text: 'b', sources, type: 'TEXT_CONTENT', content_index: 1 }
const iCited = { start: 0, end: 1, text: 'I', sources, type: 'PLAN' }
const usage = { tokens: { input_tokens: 3, output_tokens: 4 } }
const content = [
  { type: 'thinking', thinking: 'a' },
  { type: 'text', text: 'b' },
]
const made = (id: string, given: string) => ({ id, type: 'function', function: { name: 'f', arguments: given } })
const tool_calls = [made('f_1', 'null'), made('f_2', '{"a":1}')]
const PLANNED: readonly unknown[] = [
  ...[START, plan('I will'), cite(iCited), call(0, 'f_1', 'f', 'null'), callEnd(0)],
  ...[call(1, 'f_2', 'f', '{"a":1}'), callEnd(1), end('TOOL_CALL')],
]
const NO_OBJECT = 'a payload that is not a JSON object'
const fragments = Array.from({ length: 3000 }, (_, i) => text('x', i % 2))
const whole = (message: object, finish_reason: string, more: object = {}): Pick<AnswerCase, 'body'> => ({
  body: { message, finish_reason, ...more },
})

// biome-ignore format: a row a case
answers('a whole answer over cohere-chat', '', {
  'has reasoning, text, citations and usage as its stream has them': {
    stream: [START, thinkingText('a', 0), text('b', 1), cite(bCited), end('COMPLETE', { usage }), DONE],
    ...whole({ role: 'assistant', content, citations: [bCited] }, 'COMPLETE', { id: 'a-1', usage }),
    items: ['reasoning: a', `b [${URL} "b"]`], usage: [3, 4, 7] },
  'has plan, citations and calls as its stream has them': { stream: PLANNED,
    ...whole({ tool_plan: 'I will', citations: [iCited], tool_calls }, 'TOOL_CALL'),
    items: [`I will [${URL} "I"]`, 'f_1 f({})', 'f_2 f({"a":1})'] },
  'fails if the body is an error': [
    { body: { id: 'x', message: 'model is gone' }, items: [], end: 'failed: model is gone' },
    { ...whole({ content: [] }, 'ERROR', { error: 'bad' }), items: [], end: 'failed: bad' },
  ],
  'records a call without a name as a loss': {
    ...whole({ tool_calls: [{ id: 'x', function: {} }] }, 'TOOL_CALL'), losses: ['a call without a name'] },
})

// biome-ignore format: a row a case
answers('a stream over cohere-chat', '', {
  'is read in time if 3,000 fragments alternate between two blocks': { stream: [START, ...fragments, end()],
    items: ['x'.repeat(3000)] },
  'has a loss for payloads that are no objects, and its others are read': [
    { stream: [null, [], 7], deltas: [{ kind: 'loss', feature: NO_OBJECT }], losses: [NO_OBJECT] },
    { stream: [START, text('a'), 'data: {\n\n', text('b'), end()], items: ['ab'], losses: [NO_OBJECT] },
  ],
})
