import { cohereChat } from '../../../../src/wires/cohere-chat/index.ts'
import * as hub from '../../hub-requests.ts'
import { type UpstreamRequests, upstreamCases } from '../../request-cases.ts'
import { consistent, file, image, itsCall, itsImage, pdf, thinkingPart, tool } from '../chats.ts'

const { assistant, call, output, system, user } = hub
const text = (words: string) => ({ type: 'input_text', text: words })
const sentText = (words: string) => ({ type: 'text', text: words })
const thinking = (words: string) => ({ type: 'thinking', thinking: words })
const calling = (...tool_calls: readonly object[]) => ({ role: 'assistant', tool_calls })
const document = (title: string, words: string) => ({ data: { title, text: words } })
const DATA_IMAGE = 'data:image/png;base64,QUJD'

const becomes = (input: unknown, messages: unknown, losses = '', more: object = {}) => ({
  request: { input },
  sent: { messages, ...more },
  losses,
})
const read = (file_data: string, words?: string) => ({
  request: { input: [user([{ type: 'input_file', filename: 'n', file_data }])] },
  ...(words === undefined
    ? { sent: { messages: [user('[file: it could not be passed on]')] }, losses: 'input[0].content[0]' }
    : {
        sent: { messages: [user('[file "n": it is among the documents]')], documents: [document('n', words)] },
        losses: 'input[0].content[0] mapped',
      }),
})

// biome-ignore format: a row a case
const groups = [
upstreamCases('messages for a cohere-chat upstream', 'are encoded from the input: ', {
  'a string': becomes('Hi', [user('Hi')]),
  'texts are one string': becomes([user([text('1'), text('2')])], [user('1\n2')]),
  'rules are the system’s': becomes([{ role: 'developer', content: 'A' }, system('B'), user('C')],
    [system('A'), system('B'), user('C')]),
  'empty rules are dropped': becomes([{ role: 'developer', content: [] }, user('C')], [user('C')]),
  'images by their URL, or their data': becomes(
    [user([text('What?'), { ...image, detail: 'original' }, { type: 'input_image', image_url: DATA_IMAGE }])],
    [user([sentText('What?'), { type: 'image_url', image_url: { ...itsImage.image_url, detail: 'high' } },
      { type: 'image_url', image_url: { url: DATA_IMAGE } }])]),
  'an image among the rules': becomes([system([text('A'), image])], [system('A')], 'input[0].content'),
  'a dropped part leaves a note': becomes([user([pdf, consistent])],
    [user('[file: it could not be passed on]\n[sound: it could not be passed on]')],
    'input[0].content[0], input[0].content[1]'),
  'text before calls is the tool plan': becomes(
    [user('A'), assistant('B'), call('c1', '{"a":1}'), call('c2', '', 'g'), output('c1'), output('c2'), user('C')],
    [user('A'), { ...calling(itsCall('c1', '{"a":1}'), itsCall('c2', '{}', 'g')), tool_plan: 'B' }, tool('c1'),
      tool('c2'), user('C')]),
  'calls without text': becomes([call('c1'), output('c1')], [calling(itsCall('c1')), tool('c1')]),
  'an output that came late goes to its call': becomes([call('c1'), user('Wait'), output('c1')],
    [calling(itsCall('c1')), tool('c1'), user('Wait')]),
  'an output without its call is sent unchanged': becomes([output('c9')], [tool('c9')]),
  'reasoning is sent as blocks': becomes(
    [user('A'), thinkingPart('hm'), call('c1'), output('c1'), thinkingPart('ah'), assistant('B')],
    [user('A'), { ...calling(itsCall('c1')), content: [thinking('hm')] }, tool('c1'),
      assistant([thinking('ah'), sentText('B')])]),
  'a refusal is text': becomes([assistant([{ type: 'refusal', refusal: 'No' }])], [assistant('No')]),
  'an assistant message without content': becomes([user('A'), assistant(null), user('B')], [user('A'), user('B')],
    'input[1]'),
  'an output of several texts': becomes([call('c1'), output('c1', [text('a'), text('b')])],
    [calling(itsCall('c1')), tool('c1', 'a\nb')]),
  'a text file in an output is a document': becomes([call('c1'), output('c1', [text('see'), file])],
    [calling(itsCall('c1')),
      tool('c1', [sentText('see'), { type: 'document', document: document('a.txt', 'Grüezi') }])]),
  'images of tools follow after all tools of the turn': becomes(
    [call('c1'), call('c2'), output('c1', [text('see'), image]), output('c2', [image])],
    [calling(itsCall('c1'), itsCall('c2')), tool('c1', 'see\n[image 1: it follows in the next user message]'),
      tool('c2', '[image 2: it follows in the next user message]'),
      user([sentText('image 1, from the output of the tool call c1:'), itsImage,
        sentText('image 2, from the output of the tool call c2:'), itsImage])]),
  'a call with text as input is sent as a function': becomes(
    [{ type: 'custom_tool_call', call_id: 'c1', name: 'g', input: 'x = 1' }],
    [calling(itsCall('c1', '{"input":"x = 1"}', 'g'))], 'input[0] mapped'),
}),
upstreamCases('messages for a cohere-chat upstream', '', {
  'contain no reasoning for models that do not reason, which is a recorded loss': { model: 'command-r-plus',
    ...becomes([user('A'), thinkingPart('hm'), assistant('B')], [user('A'), assistant('B')], 'input[1]') },
  'begin with the instructions of the request': { request: { instructions: 'Be short' },
    sent: { messages: [system('Be short'), user('Hi')] } },
}),
upstreamCases('documents of a cohere-chat request', '', {
  'contain the text of files, with a note in the message': becomes([user([text('Read.'), file])],
    [user('Read.\n[file "a.txt": it is among the documents]')], 'input[0].content[1] mapped',
    { documents: [document('a.txt', 'Grüezi')] }),
}),
upstreamCases('documents of a cohere-chat request', 'are made of files with readable text: ', {
  percents: read('data:text/markdown,%23%20A', '# A'),
  JSON: read('data:application/json;base64,e30=', '{}'),
  'a kind of XML': read('data:image/svg+xml,x'),
  'a kind of JSON': read('data:application/ld+json,{}', '{}'),
  'a charset': read('data:text/plain;charset=utf-8;base64,QQ==', 'A'),
  'no text': read('data:application/pdf;base64,QUJD'),
  'broken base64': read('data:text/plain;base64,@'),
  'bytes that are no text': read('data:text/plain;base64,/w=='),
  'broken percents': read('data:text/plain,%zz'),
  'a URL': { request: { input: [user([{ type: 'input_file', file_url: 'https://a.example/a.txt' }])] },
    sent: { messages: [user('[file: it could not be passed on]')] }, losses: 'input[0].content[0]' },
}),
]

export const MESSAGES: UpstreamRequests = {
  wire: cohereChat,
  model: 'some-model',
  base: (model) => ({ model, messages: [user('Hi')], stream: false }),
  groups,
}
