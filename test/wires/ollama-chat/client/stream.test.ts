import { expect, it } from 'vitest'
import type { Delta } from '../../../../src/protocol/delta.ts'
import { clientError, upstreamError } from '../../../../src/protocol/error.ts'
import { ollamaChatClient as client } from '../../../../src/wires/ollama-chat/client/index.ts'
import { clientAnswersOf } from '../../client-answer-cases.ts'
import type { Loose } from '../../client-stream.ts'
import {
  called,
  cited,
  customCalled,
  encrypted,
  FINISH,
  failedWith,
  finished,
  inOrder,
  reasoning,
  refused,
  START,
  text,
  USAGE,
} from '../../deltas.ts'
import { serve } from '../../served-requests.ts'

const answers = clientAnswersOf({
  client,
  views: { lines: ({ frames }) => frames, body: ({ body }) => body },
})

const HI = { role: 'user', content: 'Hi' }
const line = (message: object, more: object = {}) => ({
  model: 'm-1',
  created_at: '2027-01-15T08:00:00.000Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
})
const ended = (done_reason: string) => ({ done: true, done_reason })
const COUNTED = { ...ended('stop'), prompt_eval_count: 7, eval_count: 5 }
const asks = (name: string, args: object) => ({
  tool_calls: [{ id: 'call_1', function: { index: 0, name, arguments: args } }],
})
const logprobs = [{ token: 'a', logprob: -0.5, bytes: null, top_logprobs: [] }]
const likely: Delta = { kind: 'text', key: 'm', part: '', text: 'a', logprobs }
const broken = failedWith(upstreamError('server_error', 'It broke.'))
const reason = (answer: Delta, word: string) => ({
  answer: [START, text('x'), answer],
  lines: [line({ content: 'x' }), line({}, ended(word))],
  body: line({ content: 'x' }, ended(word)),
})

// biome-ignore format: a row a case
answers('an answer for Ollama clients', '', {
  'has lines, the last of them with the reason and the counts': {
    answer: [START, reasoning('Hm.'), text('Hi'), text(' there'), called('f', '{"a":1}'), USAGE, FINISH],
    lines: [line({ thinking: 'Hm.' }), line({ content: 'Hi' }), line({ content: ' there' }), line(asks('f', { a: 1 })),
      line({}, COUNTED)],
    body: line({ content: 'Hi there', thinking: 'Hm.', ...asks('f', { a: 1 }) }, COUNTED) },
  'has for the finish reason stop the done_reason stop': reason(FINISH, 'stop'),
  'has for the finish reason max_output_tokens the done_reason length': reason(finished('max_output_tokens'), 'length'),
  'has for the finish reason content_filter the same done_reason': reason(finished('content_filter'), 'content_filter'),
  'has args as an object for the arguments {} and null': ['{}', 'null'].map((args) => (
    { answer: [START, called('f', args), FINISH], body: line(asks('f', {}), ended('stop')) })),
  'has no truncated call, and the done_reason length instead of stop, so that no client runs half of it':
    [FINISH, finished('max_output_tokens')].map((finish) => (
      { answer: [START, called('f', '{"a":'), finish], lines: [line({}, ended('length'))], body: line({}, ended('length')) })),
  'has the text of a custom tool in the argument input': { answer: [START, customCalled('grep', 'a*'), FINISH],
    body: line(asks('grep', { input: 'a*' }), ended('stop')) },
  'has a refusal as text, and neither sealed content nor citations': {
    answer: [START, encrypted('x'), text('a'), cited(0, 1), refused('No.'), FINISH],
    body: line({ content: 'aNo.' }, ended('stop')) },
  'has log probabilities, streamed and whole': { answer: [START, likely, FINISH],
    lines: [line({ content: 'a' }, { logprobs }), line({}, ended('stop'))],
    body: line({ content: 'a' }, { ...ended('stop'), logprobs }) },
  'ends with an error line after a failure': { answer: [START, text('a'), broken],
    lines: [line({ content: 'a' }), { error: 'It broke.' }] },
  'has no last line if the stream is cut off': { answer: inOrder([START, text('a')]).slice(0, 2), raw: true,
    lines: [line({ content: 'a' })] },
})

it('an answer for Ollama clients is a text with a status if the failure precedes the first byte', () => {
  const error = clientError('model_not_found', 'No such model.', 'model', 404)
  expect(client.encodeError(error, 'r')).toEqual({ status: 404, body: { error: 'No such model.' } })
})

it('an answer for Ollama clients has one JSON value on each line over HTTP', async () => {
  const served = await serve(client, () => [START, text('Grüß '), text('Gott 🙂'), USAGE, FINISH])
  const post = (body: object) =>
    fetch(served.url, { method: 'POST', body: JSON.stringify({ model: 'acme/m-1', messages: [HI], ...body }) })
  const lines = (await (await post({})).text()).trimEnd().split('\n')
  expect(lines.map((one) => JSON.parse(one).message.content).join('')).toBe('Grüß Gott 🙂')
  const whole: Loose = await (await post({ stream: false })).json()
  expect(whole).toMatchObject({ message: { content: 'Grüß Gott 🙂' }, done: true, eval_count: 5 })
  const wrong = await post({ messages: 'Hi' })
  expect([wrong.status, await wrong.json()]).toEqual([400, { error: 'messages: expected a list, got "Hi"' }])
})
