// An MCP server on the standard streams: a text, a picture, an error, and a tool whose schema is unusual. The words of
// its texts are its arguments.
import { createInterface } from 'node:readline'

const [word, picture, problem] = process.argv.slice(2)
const none = { type: 'object', properties: {} }
const ODD = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    text: { anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }], default: null },
    node: { $ref: '#/definitions/node' },
    'dotted.name': { type: ['string', 'integer'], description: 'A name that some vendors refuse.' },
    pair: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'number' }] }, minItems: 2, maxItems: 2 },
  },
  definitions: { node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } } } },
  additionalProperties: false,
}

const text = (words) => ({ content: [{ type: 'text', text: words }] })
const TOOLS = {
  read_word: { schema: none, call: () => text(`The word is ${word}.`) },
  draw_picture: {
    schema: none,
    call: () => ({ content: [{ type: 'image', data: picture, mimeType: 'image/png' }] }),
  },
  fail_always: { schema: none, call: () => ({ ...text(`The failure is ${problem}.`), isError: true }) },
  odd_schema: { schema: ODD, call: (given) => text(`odd: ${JSON.stringify(given)}`) },
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({
    tools: Object.entries(TOOLS).map(([name, { schema }]) => ({
      name,
      description: 'A tool of the script.',
      inputSchema: schema,
    })),
  }),
  'tools/call': ({ name, arguments: given }) => TOOLS[name].call(given),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const call = METHODS[method]
  const answer = call === undefined ? { error: { code: -32601, message: 'no such method' } } : { result: call(params) }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`)
}
