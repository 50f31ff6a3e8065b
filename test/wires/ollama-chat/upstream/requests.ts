import { ollamaChat } from '../../../../src/wires/ollama-chat/index.ts'
import * as hub from '../../hub-requests.ts'
import { type UpstreamRequests, upstreamCases } from '../../request-cases.ts'

const { assistant, call, chatFn, effort, fn, output, user } = hub
const itsCall = (id: string, args = {}, name = 'f') => ({ id, type: 'function', function: { name, arguments: args } })
const tool = (tool_call_id: string, content = 'ok', tool_name = 'f') => ({
  role: 'tool',
  content,
  tool_call_id,
  tool_name,
})
const rules = (role: string, content: unknown) => ({ role, content })
const text = (words: string) => ({ type: 'input_text', text: words })
const image = { type: 'input_image', image_url: 'data:image/png;base64,QUJD' }
const far = { type: 'input_image', image_url: 'https://a.example/x.png' }
const NO_IMAGE = '[image: it could not be passed on]'
const reasoning = (words: string, encrypted_content: string | null = null) => ({
  type: 'reasoning',
  summary: [],
  content: words === '' ? [] : [{ type: 'reasoning_text', text: words }],
  encrypted_content,
})
const taking = (input: string) => ({ type: 'custom_tool_call', call_id: 'c1', name: 'g', input })
const parameters = { type: 'object', properties: { a: { type: 'string' } } }
const FN = fn('f', { description: 'd', parameters })

const becomes = (input: unknown, messages: unknown, losses = '') => ({ request: { input }, sent: { messages }, losses })
const imageOf = (image_url: string) => ({
  name: `an image of ${image_url}`,
  ...becomes([user([{ ...image, image_url }])], [{ ...user(''), images: ['QUJD'] }]),
})
const noImageOf = (image_url: string) => ({
  name: `no image of ${image_url}`,
  ...becomes([user([{ ...image, image_url }])], [user(NO_IMAGE)], 'input[0].content[0]'),
})
const thinking = (model: string, word: string, think: unknown, losses = '') => ({
  name: `${model}, effort ${word}`,
  model,
  request: effort(word),
  sent: { think },
  losses,
})
const SAMPLING = { temperature: 0, top_p: 0.5, presence_penalty: 1, frequency_penalty: -1 }

// biome-ignore format: a row a case
const groups = [
upstreamCases('messages for an ollama-chat upstream', 'are encoded from the input: ', {
  'a string': becomes('Hi', [user('Hi')]),
  'texts are one string': becomes([user([text('1'), text('2')])], [user('1\n2')]),
  'rules are the system’s': becomes([rules('developer', 'A'), rules('system', 'B'), user('C')],
    [rules('system', 'A'), rules('system', 'B'), user('C')]),
  'an image is its data alone': becomes([user([text('What?'), image])], [{ ...user('What?'), images: ['QUJD'] }]),
  'an image by its URL leaves a note': becomes([user([far])], [user(NO_IMAGE)], 'input[0].content[0]'),
  'an image among the rules': becomes([rules('system', [image])], [rules('system', '')], 'input[0].content'),
  'calls belong to the text before them, outputs have the names of their calls': becomes(
    [user('A'), assistant('B'), call('c1', '{"a":1}'), call('c2', '', 'g'), output('c1'), output('c2'), user('C')],
    [user('A'), { ...assistant('B'), tool_calls: [itsCall('c1', { a: 1 }), itsCall('c2', {}, 'g')] }, tool('c1'),
      tool('c2', 'ok', 'g'), user('C')]),
  'an output that came late goes to its call': becomes([call('c1'), user('Wait'), output('c1')],
    [{ ...assistant(''), tool_calls: [itsCall('c1')] }, tool('c1'), user('Wait')]),
  'an orphan has no name': becomes([output('c9')], [{ role: 'tool', content: 'ok', tool_call_id: 'c9' }]),
  'reasoning is sent back with its calls': becomes(
    [user('A'), reasoning('hm'), call('c1'), output('c1'), reasoning('ah'), assistant('B')],
    [user('A'), { ...assistant(''), thinking: 'hm', tool_calls: [itsCall('c1')] }, tool('c1'),
      { ...assistant('B'), thinking: 'ah' }]),
  'a refusal is text': becomes([assistant([{ type: 'refusal', refusal: 'No' }])], [assistant('No')]),
  'an assistant message without content': becomes([user('A'), assistant(null), user('B')], [user('A'), user('B')],
    'input[1]'),
  'images of tools follow after all tools of the turn': becomes(
    [call('c1'), call('c2'), output('c1', [text('see'), image]), output('c2', [image]), user('A')],
    [{ ...assistant(''), tool_calls: [itsCall('c1'), itsCall('c2')] },
      tool('c1', 'see\n[image 1: it follows in the next user message]'),
      tool('c2', '[image 2: it follows in the next user message]'),
      { ...user('image 1, from the output of the tool call c1\nimage 2, from the output of the tool call c2'),
        images: ['QUJD', 'QUJD'] },
      user('A')]),
  'a call with text as input is sent as a function': becomes(
    [taking('x = 1'), { type: 'custom_tool_call_output', call_id: 'c1', output: '1' }],
    [{ ...assistant(''), tool_calls: [itsCall('c1', { input: 'x = 1' }, 'g')] }, tool('c1', '1', 'g')],
    'input[0] mapped'),
  'arguments that are not an object': becomes([call('c1', '{"a":'), call('c2', '[1]')],
    [{ ...assistant(''), tool_calls: [itsCall('c1', { input: '{"a":' }), itsCall('c2', { input: '[1]' })] }],
    'input[0].arguments mapped, input[1].arguments mapped'),
}),
upstreamCases('messages for an ollama-chat upstream', 'are encoded from the input: ', [
  ...['DATA:image/png;Base64,QUJD', 'data:;base64,QUJD', 'data:image/png;a=b;base64,QUJD'].map(imageOf),
  ...['data:image/png;base64,', 'data:image/png,QUJD', 'data:image/png;base64', 'xdata:a;base64,QUJD'].map(noImageOf),
]),
upstreamCases('messages for an ollama-chat upstream', '', {
  'begin with the instructions of the request': { request: { instructions: 'Be short' },
    sent: { messages: [rules('system', 'Be short'), user('Hi')] } },
}),
upstreamCases('fields of an ollama-chat request', 'are encoded for the upstream: ', {
  'no fields': { sent: {}, path: '/api/chat' },
  'a stream': { request: { stream: true }, sent: { stream: true }, path: '/api/chat' },
  options: { request: { max_output_tokens: 9, ...SAMPLING }, sent: { options: { num_predict: 9, ...SAMPLING } } },
  'log probabilities': { request: { top_logprobs: 3 }, sent: { logprobs: true, top_logprobs: 3 } },
  'log probabilities by include': { request: hub.WITH_LOGPROBS, sent: { logprobs: true } },
  'no log probabilities': { request: { top_logprobs: 0 }, sent: {} },
  JSON: { request: hub.JSON_OBJECT, sent: { format: 'json' } },
  'a schema': { request: hub.schemaOf(), sent: { format: { type: 'object' } } },
  text: { request: hub.TEXT, sent: {} },
  tools: { request: { tools: [FN, fn('g')], tool_choice: 'auto' },
    sent: { tools: [chatFn('f', { description: 'd', parameters }), chatFn('g')] } },
  'tools that must not be called': { request: { tools: [FN], tool_choice: 'none' }, sent: {} },
}),
upstreamCases('fields of an ollama-chat request', 'configure think for ', [
  thinking('qwen3:8b', 'none', false),
  thinking('qwen3:8b', 'high', true, 'reasoning.effort mapped'),
  thinking('gpt-oss:20b', 'low', 'low'),
  thinking('gpt-oss:20b', 'high', 'high'),
  thinking('gpt-oss:120b-cloud', 'max', 'high', 'reasoning.effort mapped'),
  thinking('gpt-oss:20b', 'none', 'low', 'reasoning.effort mapped'),
]),
upstreamCases('fields of an ollama-chat request', '', {
  'have no think if the client requests no reasoning': { request: { reasoning: {} }, sent: {} },
}),
upstreamCases('losses of an ollama-chat request', 'are recorded for this content: ', {
  nothing: { request: { ...hub.WITHOUT_EFFECT, truncation: 'auto' } },
  fields: { request: hub.UNSUPPORTED, sent: {}, losses: 'max_tool_calls, metadata, parallel_tool_calls, plugins, \
prompt_cache_key, safety_identifier, service_tier, user' },
  'verbosity and summaries': { request: { text: { verbosity: 'low' }, ...hub.SUMMARY },
    losses: 'reasoning.summary, text.verbosity' },
  parts: { request: { input: [user([far, hub.FAR_FILE, hub.SOUND])] },
    losses: 'input[0].content[0], input[0].content[1], input[0].content[2]' },
  'a part of an output': { request: { input: [call('c'), output('c', [far])] }, losses: 'input[1].output[0]' },
  'images among the rules': { request: { input: [rules('developer', [image])] }, losses: 'input[0].content' },
  tools: { request: { tools: [hub.WEB, hub.CUSTOM, fn('f', { strict: true })] },
    losses: 'tools[0], tools[1], tools[2].strict' },
  'encrypted reasoning': { request: { input: [user('A'), reasoning('', 'mr1.x'), assistant('B')] },
    losses: 'input[1]' },
  items: { request: { input: [user('A'), { type: 'mcp_call' }] }, losses: 'input[1]' },
  'free text as input': { request: { input: [taking('x')] }, losses: 'input[0] mapped' },
  'arguments that are not an object': { request: { input: [call('c1', '{"a":')] }, losses: 'input[0].arguments mapped' },
  'the name and description of a schema': { request: hub.schemaOf({ description: 'd', schema: {} }),
    losses: 'text.format.description mapped' },
}),
upstreamCases('losses of an ollama-chat request', 'do not hide a choice that cannot be forced, which is rejected: ', [
  { name: '"required"', request: { tools: [fn()], tool_choice: 'required' }, error: 'tool_choice' },
  { name: fn(), request: { tools: [fn()], tool_choice: fn() }, error: 'tool_choice' },
]),
]

export const REQUESTS: UpstreamRequests = {
  wire: ollamaChat,
  model: 'some-model',
  base: (model) => ({ model, messages: [user('Hi')], stream: false }),
  groups,
}
