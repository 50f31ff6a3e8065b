import { ollamaChat } from '../../../../src/wires/ollama-chat/index.ts'
import { decodeContext } from '../../deltas.ts'
import { type ClientRequests, clientCases, type Fields } from '../../request-cases.ts'

const HI = { role: 'user', content: 'Hi' }
const READ_HI = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }
const PARAMETERS = { type: 'object' }
const FUNCTION = { name: 'f', description: 'd', parameters: PARAMETERS }
const SAMPLING = { temperature: 0.5, top_p: 0.9, presence_penalty: 1, frequency_penalty: -1 }
const LOGPROBS = { include: ['message.output_text.logprobs'], top_logprobs: 2 }

const reads = (body: Fields, request: Fields = {}) => ({ body, request })
const format = (format: unknown, read: Fields) => reads({ format }, { text: { format: read } })
const effort = (think: unknown, effort: string) => reads({ think }, { reasoning: { effort } })
const stops = (stop: unknown, read: readonly string[]) => ({ ...reads({ options: { stop } }), stop: read })
const wrong = (place: string, body: Fields) => ({ name: place, body, error: [place, 'expected '] as const })
const noModel = (messages: unknown) => ({
  name: JSON.stringify(messages),
  body: { messages },
  error: ['messages', 'this service cannot load models'] as const,
})

const call = (name: string, args: Fields = {}, id?: string) => ({
  ...(id === undefined ? {} : { id }),
  function: { name, arguments: args },
})
const calling = (...tool_calls: readonly object[]) => ({ role: 'assistant', content: '', tool_calls })
const output = (content: string, fields: Fields = {}) => ({ role: 'tool', content, ...fields })
const called = (call_id: string, name: string) => ({ type: 'function_call', call_id, name, arguments: '{}' })
const answered = (call_id: string, output: string) => ({ type: 'function_call_output', call_id, output })
const input = (messages: readonly object[], items: readonly object[]) => reads({ messages }, { input: items })
const image = (url: string) => ({ type: 'input_image', image_url: `data:image/${url}` })
const said = (text: string) => ({
  type: 'message',
  id: 'msg_1',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
})

// biome-ignore format: a row a case
const groups = [
clientCases('a request of an Ollama client', 'is decoded without a loss with ', {
  'no fields: a stream': reads({}),
  'no stream': reads({ stream: false }, { stream: false }),
  'options': reads({ options: { ...SAMPLING, num_predict: 9 } }, { ...SAMPLING, max_output_tokens: 9 }),
  'an unlimited number of tokens': reads({ options: { num_predict: -1 } }),
  'JSON': format('json', { type: 'json_object' }),
  'a schema': format(PARAMETERS, { type: 'json_schema', name: 'answer', schema: PARAMETERS }),
  'no format': reads({ format: '' }),
  'reasoning': effort(true, 'medium'),
  'no reasoning': effort(false, 'none'),
  'an effort': effort('high', 'high'),
  'tools': reads({ tools: [{ type: 'function', function: FUNCTION }] }, { tools: [{ type: 'function', ...FUNCTION }] }),
  'log probabilities': reads({ logprobs: true, top_logprobs: 2 }, LOGPROBS),
  'stop sequences': [stops(['a', 'b'], ['a', 'b']), stops('a', ['a'])],
}),
clientCases('a request of an Ollama client', '', {
  'records fields without a counterpart as losses': [
    { body: { keep_alive: '10m', options: { seed: 1, num_ctx: 8192, temperature: 0, mirostat: 1 } },
      request: { temperature: 0 }, losses: 'keep_alive, options.seed, options.num_ctx, options.mirostat' },
    reads({ keep_alive: '5m', options: { mirostat: 0 } }),
  ],
  'has images whose type is recognised by their first characters': input(
    [{ ...HI, images: ['iVBORw0KGgo=', '/9j/4AA=', 'R0lGODlh', 'UklGRg==', 'data:image/avif;base64,AA=='] }],
    [{ ...READ_HI, content: [...READ_HI.content, image('png;base64,iVBORw0KGgo='), image('jpeg;base64,/9j/4AA='),
      image('gif;base64,R0lGODlh'), image('webp;base64,UklGRg=='), image('avif;base64,AA==')] }]),
  'has reasoning, text and calls of the assistant as items in this order': input(
    [HI, { role: 'assistant', thinking: 'Hm.', content: 'I look.', tool_calls: [call('f', { a: 1 }, 'c1')] }],
    [READ_HI,
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }], encrypted_content: null },
      said('I look.'), { ...called('c1', 'f'), arguments: '{"a":1}' }]),
}),
clientCases('a request of an Ollama client', 'has outputs that are matched with calls ', {
  'by id': input(
    [calling(call('f', {}, 'x'), call('f', {}, 'y')), output('1', { tool_call_id: 'y' }), output('2', { tool_call_id: 'x' })],
    [called('x', 'f'), called('y', 'f'), answered('y', '1'), answered('x', '2')]),
  'by name': input(
    [calling(call('f'), call('g')), output('1', { tool_name: 'g' }), output('2', { tool_name: 'f' })],
    [called('call_0_0', 'f'), called('call_0_1', 'g'), answered('call_0_1', '1'), answered('call_0_0', '2')]),
  'by order': [
    input([calling(call('f'), call('f')), output('1'), output('2', { name: 'f' })],
      [called('call_0_0', 'f'), called('call_0_1', 'f'), answered('call_0_0', '1'), answered('call_0_1', '2')]),
    input([output('1')], [answered('call_0', '1')]),
  ],
  'though another call has the id that the gateway made': input(
    [calling(call('f')), output('1'), calling(call('g', {}, 'call_0_0')), output('2', { tool_call_id: 'call_0_0' })],
    [called('call_0_0_', 'f'), answered('call_0_0_', '1'), called('call_0_0', 'g'), answered('call_0_0', '2')]),
}),
clientCases('a request of an Ollama client', 'is rejected if it only loads a model: messages ', [noModel([]), noModel(null)]),
clientCases('a request of an Ollama client', 'is rejected with the path if a value is wrong at ', [
  wrong('model', { model: null }),
  wrong('messages', { messages: 'Hi' }),
  wrong('messages[0].role', { messages: [{ role: 'human' }] }),
  wrong('messages[0].content', { messages: [{ role: 'user', content: [7] }] }),
  wrong('messages[0].images[0]', { messages: [{ ...HI, images: [7] }] }),
  wrong('messages[0].tool_calls[0].function', { messages: [{ role: 'assistant', tool_calls: [{}] }] }),
  wrong('stream', { stream: 'yes' }),
  wrong('options', { options: [] }),
  wrong('options.num_predict', { options: { num_predict: 0 } }),
  wrong('options.stop', { options: { stop: 7 } }),
  wrong('format', { format: 'xml' }),
  wrong('think', { think: 7 }),
  wrong('tools[0].function.name', { tools: [{ type: 'function', function: {} }] }),
]),
]

/** The requests of Ollama clients. */
export const REQUESTS: ClientRequests = {
  wire: ollamaChat,
  context: decodeContext(),
  base: { model: 'acme/m-1', messages: [HI] },
  request: { model: 'acme/m-1', stream: true, input: [READ_HI] },
  settings: {},
  history: 'strict',
  groups,
}
