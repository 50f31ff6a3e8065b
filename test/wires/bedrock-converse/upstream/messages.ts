import { bedrockConverse } from '../../../../src/wires/bedrock-converse/index.ts'
import * as hub from '../../hub-requests.ts'
import { type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { assistant, CLAUDE, toolResult, toolUse, user } from '../converses.ts'

const { call, fn, output } = hub
const ask = hub.user
const reply = hub.assistant
const text = (words: string) => ({ type: 'input_text', text: words })
const said = (...words: readonly string[]) => user(...words.map((one) => ({ text: one })))
const replied = (...words: readonly string[]) => assistant(...words.map((one) => ({ text: one })))
const image = { type: 'input_image', image_url: 'data:image/png;base64,AA==' }
const imageAt = (image_url: string) => ({ type: 'input_image', image_url })
const sentImage = { image: { format: 'png', source: { bytes: 'AA==' } } }
const file = (filename: string, file_data: string) => ({ type: 'input_file', filename, file_data })
const pdf = (filename: string) => file(filename, 'data:application/pdf;base64,JVBE')
const document = (name: string, format = 'pdf', bytes = 'JVBE') => ({ document: { format, name, source: { bytes } } })
const STORED = { document: { format: 'docx', name: 'd', source: { s3Location: { uri: 's3://shelf/d.docx' } } } }
const taking = { type: 'custom_tool_call', call_id: 'c1', name: 'f', input: 'x = 1' }
const taken = { type: 'custom_tool_call_output', call_id: 'c1', output: 'ok' }

/** The tools of the request have the function that the calls name. */
const becomes = (input: unknown, messages?: unknown, losses = '') => ({
  request: { input, tools: [fn()] },
  ...(messages !== undefined && { sent: { messages } }),
  losses,
})
const noted = (part: object, kind: string) =>
  becomes([ask([part])], [said(`[${kind}: it could not be passed on]`)], 'input[0].content[0]')

// biome-ignore format: a row a case
const groups = [
upstreamCases('messages for a bedrock-converse upstream', 'are encoded from the input: ', {
  'a string': becomes('Hi', [said('Hi')]),
  parts: becomes([ask([text('What?'), image])], [user({ text: 'What?' }, sentImage)]),
  'neighbours of one role are one message': becomes([ask('A'), ask('B'), reply('C'), reply('D'), ask('E')],
    [said('A', 'B'), replied('C', 'D'), said('E')]),
  'all results of a turn are one message, first in it': becomes(
    [ask('A'), reply('B'), call('c1', '{"a":1}'), call('c2', ''), output('c1'), output('c2'), ask('C')],
    [said('A'), assistant({ text: 'B' }, toolUse('c1', { a: 1 }), toolUse('c2')),
      user(toolResult('c1'), toolResult('c2'), { text: 'C' })]),
  'calls one after the other are two turns': becomes(
    [ask('A'), call('c1'), output('c1'), call('c2'), output('c2')],
    [said('A'), assistant(toolUse('c1')), user(toolResult('c1')), assistant(toolUse('c2')), user(toolResult('c2'))]),
  'an output that came late goes to its call': becomes([ask('A'), call('c1'), ask('Wait'), output('c1')],
    [said('A'), assistant(toolUse('c1')), user(toolResult('c1'), { text: 'Wait' })]),
  'a text between calls stays between them': becomes(
    [ask('A'), call('c1'), reply('B'), call('c2'), output('c1'), output('c2')],
    [said('A'), assistant(toolUse('c1'), { text: 'B' }, toolUse('c2')), user(toolResult('c1'), toolResult('c2'))]),
  'for Claude, the last calls end the answer': {
    ...becomes([ask('A'), call('c1'), { type: 'reasoning', summary: [] }, reply('B'), output('c1')],
      [said('A'), assistant({ text: 'B' }, toolUse('c1')), user(toolResult('c1'))], 'input[2], input[3] mapped'),
    model: CLAUDE,
  },
  'also for a name that is declared to be like one of Claude': {
    ...becomes([ask('A'), call('c1'), reply('B'), output('c1')],
      [said('A'), assistant({ text: 'B' }, toolUse('c1')), user(toolResult('c1'))], 'input[2] mapped'),
    model: 'own-profile',
    quirks: { likeModels: { 'own-profile': CLAUDE } },
  },
  'images of tools stay in their results': becomes([ask('A'), call('c1'), output('c1', [text('see'), image])],
    [said('A'), assistant(toolUse('c1')), user(toolResult('c1', { text: 'see' }, sentImage))]),
  'a tool without output': becomes([ask('A'), call('c1'), output('c1', '')],
    [said('A'), assistant(toolUse('c1')), user(toolResult('c1', { text: '[no output]' }))]),
  'empty texts are left out': becomes([ask([text(''), text('A'), text(' \n')]), reply(''), ask('B')], [said('A', 'B')],
    'input[1]'),
  'a refusal is text': becomes([ask('A'), reply([{ type: 'refusal', refusal: 'No' }])], [said('A'), replied('No')]),
  'a user message is put before a first assistant message': becomes([reply('Welcome!'), ask('A')],
    [said('[the conversation begins here]'), replied('Welcome!'), said('A')], 'input mapped'),
  'arguments that are not an object': becomes(
    [ask('A'), call('c1', '[1]'), call('c2', '{"a":'), output('c1'), output('c2')],
    [said('A'), assistant(toolUse('c1', { input: '[1]' }), toolUse('c2', { input: '{"a":' })),
      user(toolResult('c1'), toolResult('c2'))], 'input[1].arguments mapped, input[2].arguments mapped'),
  'a call with text as input': becomes([ask('A'), taking, taken],
    [said('A'), assistant(toolUse('c1', { input: 'x = 1' })), user(toolResult('c1'))], 'input[1] mapped'),
  'a document next to a text': becomes([ask([pdf('Mill.pdf'), text('Sum up.')])],
    [user(document('Mill'), { text: 'Sum up.' })]),
  'a document alone gets an additional text': becomes([ask([pdf('Mill.pdf')])],
    [user(document('Mill'), { text: '[see the attached document]' })], 'input mapped'),
  'documents have plain, unique names': becomes(
    [ask([pdf('a/b: «Mühle».final.pdf'), pdf('x.pdf'), pdf('x.pdf'), pdf('???'), text('A')]), call('c1'),
      output('c1', [pdf('x.pdf')])],
    [user(document('a-b- -M-hle--final'), document('x'), document('x (2)'), document('document'), { text: 'A' }),
      assistant(toolUse('c1')), user(toolResult('c1', document('x (3)')))]),
  'files are known by their type, or their name': becomes(
    [ask([file('a', 'data:text/csv;charset=utf-8;base64,YQ=='), file('b.MD', 'YQ=='), file('c.png', image.image_url),
      { type: 'input_file', filename: 'd.docx', file_url: 's3://shelf/d.docx' }, text('A')])],
    [user(document('a', 'csv', 'YQ=='), document('b', 'md', 'YQ=='), sentImage, STORED, { text: 'A' })]),
}),
upstreamCases('messages for a bedrock-converse upstream', '', {
  'have early rules in the field system': [
    { request: { instructions: 'Be short.', input: [{ role: 'developer', content: 'Be kind.' }, ask('A'), ask('B')] },
      sent: { system: [{ text: 'Be short.' }, { text: 'Be kind.' }], messages: [said('A', 'B')],
        toolConfig: undefined } },
    { sent: { toolConfig: undefined } },
  ],
  'are rejected if they have no content': ['', [], [hub.system('A')], [ask(' ')]].map((input) => (
    { request: { input }, error: 'input' })),
}),
upstreamCases('content that a bedrock-converse upstream cannot carry', 'is replaced by a note with a loss: ', {
  'an image by its URL': noted(imageAt('https://a.example/x.png'), 'image'),
  'an image of another kind': noted(imageAt('data:image/tiff;base64,AA=='), 'image'),
  'an image that is not base64': noted(imageAt('data:image/png,x'), 'image'),
  'a file by its URL': noted({ type: 'input_file', file_url: 'https://a.example/x.pdf' }, 'file'),
  'a file by its id': noted({ type: 'input_file', file_id: 'file-1' }, 'file'),
  'a file of another kind': noted(file('a.exe', 'AA=='), 'file'),
  'a sound': noted(hub.SOUND, 'sound'),
  'an image that a tool gave': becomes([ask('A'), call('c1'), output('c1', [imageAt('https://a.example/x.png')])],
    [said('A'), assistant(toolUse('c1')), user(toolResult('c1', { text: '[image: it could not be passed on]' }))],
    'input[2].output[0]'),
}),
upstreamCases('content that a bedrock-converse upstream cannot carry', 'is recorded as a loss: ', {
  'an image among the rules': becomes([hub.system([image]), ask('A')], undefined, 'input[0].content[0]'),
  'an item of another kind': becomes([ask('A'), { type: 'mcp_call' }], undefined, 'input[1]'),
  'the detail of an image': becomes([ask([{ ...image, detail: 'high' }, text('A')])], undefined,
    'input[0].content[0].detail'),
  'a conversation that the assistant begins': becomes([reply('A')], undefined, 'input mapped'),
  'a document alone': becomes([ask([pdf('a.pdf')])], undefined, 'input mapped'),
  'arguments that are not an object': becomes([ask('A'), call('c1', '1')], undefined, 'input[1].arguments mapped'),
}),
]

export const MESSAGES: UpstreamRequests = {
  wire: bedrockConverse,
  model: CLAUDE,
  base: () => ({
    messages: [said('Hi')],
    toolConfig: { tools: [{ toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } }] },
  }),
  groups,
}
