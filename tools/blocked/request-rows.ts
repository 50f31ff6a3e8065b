import { setTimeout as sleep } from 'node:timers/promises'
import type { Row, Site } from './blocked.ts'
import { KEY } from './keys.ts'
import { countWords, post, sendRaw } from './load.ts'

const list = (count: number, entry: (at: number) => string): string =>
  `[${Array.from({ length: count }, (_, at) => entry(at)).join(',')}]`

const withInput = (input: string, more = ''): string => `{"model":"acme/mock-1"${more},"input":${input}}`

const sending =
  (body: () => string, path?: string) =>
  (site: Site): Promise<string> =>
    post(site, body(), path === undefined ? {} : { path })

const image = (bytes: number): string =>
  `{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,${'A'.repeat(bytes)}"}]}`

/** A conversation as a coding agent sends it: calls, their outputs, messages. */
const talk = (items: number): string =>
  list(items, (at) =>
    at % 4 === 0
      ? `{"type":"function_call","call_id":"call_${at}","name":"read","arguments":"{\\"path\\":\\"src/${at}.ts\\"}"}`
      : at % 4 === 1
        ? `{"type":"function_call_output","call_id":"call_${at - 1}","output":"${'a line of code\\n'.repeat(20)}"}`
        : `{"role":"${at % 4 === 2 ? 'assistant' : 'user'}","content":[{"type":"${at % 4 === 2 ? 'output' : 'input'}_text","text":"step ${at}"}]}`,
  )

const domains = (count: number): string =>
  withInput(
    '"Hello"',
    `,"tools":[{"type":"service:web_search","allowed_domains":${list(count, (at) => `"d${at}.example.com"`)}}]`,
  )

const withEngine = (upstream: string) => ({ search: { engine: 'searxng', base_url: `${upstream}/text` } })

const withPattern = (upstream: string) => ({
  destinations: [
    {
      id: '00000000-0000-4000-8000-000000000001',
      type: 'otel-collector',
      config: { endpoint: `${upstream}/text` },
      filter_rules: { groups: [{ rules: [{ field: 'input', operator: 'regex', value: '^(\\w+\\s?)*$' }] }] },
    },
  ],
})

function* oneByteChunks(count: number): Iterable<string> {
  yield [
    'POST /api/v1/responses HTTP/1.1',
    'host: localhost',
    `authorization: Bearer ${KEY}`,
    'content-type: application/json',
    'transfer-encoding: chunked',
    '',
    '',
  ].join('\r\n')
  yield '1\r\n"\r\n'
  const block = '1\r\na\r\n'.repeat(10_000)
  for (let sent = 0; sent < count; sent += 10_000) yield block
  yield '0\r\n\r\n'
}

/** The body of a query of the page that explains a request, after an equal one, for an upstream of each wire. */
const explanation = (input: string, more = ''): string => {
  const body = withInput(input, more)
  const targets = EXPLAINED.map(([vendor, wire]) => ({ vendor, wire }))
  return JSON.stringify({ client: 'openai', body, previous: body, targets })
}

const EXPLAINED = [
  ['openai', 'openai-responses'],
  ['openai', 'openai-chat'],
  ['anthropic', 'anthropic-messages'],
  ['google', 'gemini-generate'],
  ['bedrock', 'bedrock-converse'],
  ['cohere', 'cohere-chat'],
  ['ollama', 'ollama-chat'],
] as const

const TRANSLATED = ['/api/v1/responses', '/openai/v1/chat/completions', '/openai/v1/messages'] as const

/** Loads that one client can send. */
export const REQUEST_ROWS: readonly Row[] = [
  {
    name: 'input of 1,000,000 short items (30 MB)',
    load: sending(() => withInput(list(1_000_000, () => '{"role":"user","content":"a"}'))),
  },
  { name: 'input of 11,000,000 {} (33 MB)', load: sending(() => withInput(list(11_000_000, () => '{}'))) },
  { name: '1,000,000 invalid items (8 MB)', load: sending(() => withInput(list(1_000_000, () => '{"a":1}'))) },
  { name: '20,000 invalid items', load: sending(() => withInput(list(20_000, () => '{"role":"x"}'))) },
  {
    name: '20,000 invalid content parts',
    load: sending(() => withInput(`[{"role":"user","content":${list(20_000, () => '{"type":"x"}')}}]`)),
  },
  { name: '22,000,000 chunks of a byte on one connection', load: (site) => sendRaw(site, oneByteChunks(22_000_000)) },
  {
    name: '40 bodies of 30 MB at once',
    load: async (site) => {
      const body = withInput(`[${image(30_000_000)}]`)
      return countWords(await Promise.all(Array.from({ length: 40 }, () => post(site, body))))
    },
  },
  { name: '1,200 allowed_domains', config: withEngine, load: sending(() => domains(1200)) },
  { name: '10,000 allowed_domains', config: withEngine, load: sending(() => domains(10_000)) },
  { name: '100,000 allowed_domains', config: withEngine, load: sending(() => domains(100_000)) },
  {
    name: 'metadata of 7 MB',
    load: sending(() =>
      withInput('"Hello"', `,"metadata":{${Array.from({ length: 500_000 }, (_, at) => `"k${at}":"v"`).join(',')}}`),
    ),
  },
  {
    name: '1,000,000 unknown members',
    load: sending(() =>
      withInput('"Hello"', `,${Array.from({ length: 1_000_000 }, (_, at) => `"unknown_${at}":1`).join(',')}`),
    ),
  },
  {
    name: '10,000 entries of allowed_tools, 2,000 tools',
    load: sending(() =>
      withInput(
        '"Hello"',
        `,"tools":${list(2000, (at) => `{"type":"function","name":"f${at}"}`)},"tool_choice":{"type":"allowed_tools","tools":${list(10_000, (at) => `{"type":"function","name":"f${at % 2000}"}`)}}`,
      ),
    ),
  },
  {
    name: 'a path of 16,000 slashes, no key (10 times)',
    load: async (site) =>
      countWords(
        await Promise.all(
          Array.from({ length: 10 }, () =>
            post(site, '{}', { path: '/'.repeat(16_000), headers: { authorization: '' } }),
          ),
        ),
      ),
  },
  {
    name: 'a path of 16,000 colons after /models/, no key (10 times)',
    load: async (site) =>
      countWords(
        await Promise.all(
          Array.from({ length: 10 }, () =>
            post(site, '{}', { path: `/api/v1${'/models/:'.repeat(1700)}`, headers: { authorization: '' } }),
          ),
        ),
      ),
  },
  {
    name: "an operator's pattern ^(\\w+\\s?)*$ on an input of 64 KB",
    config: withPattern,
    load: sending(() => withInput(`"${'a'.repeat(65_000)}!"`)),
  },
  {
    name: 'a model name of 31 MB',
    load: async (site) => {
      const status = await post(site, `{"input":"Hello","model":"acme/${'m'.repeat(31_000_000)}"}`)
      const isLogged = (): boolean => site.output().includes('"method":"POST"')
      for (let waited = 0; waited < 1500 && !isLogged(); waited += 1) await sleep(20)
      if (!isLogged()) throw new Error('the request was not logged within 30 seconds')
      const longest = Math.max(
        ...site
          .output()
          .split('\n')
          .map((line) => line.length),
      )
      return `${status}, longest log line ${longest} B`
    },
  },
  { name: 'legal: an image of 30 MB', load: sending(() => withInput(`[${image(30_000_000)}]`)) },
  {
    name: 'legal: 10 images of 3 MB, streamed',
    load: sending(() =>
      withInput(
        list(10, () => image(3_000_000)),
        ',"stream":true',
      ),
    ),
  },
  { name: 'legal: 30 MB of Greek text', load: sending(() => withInput(JSON.stringify('λόγος '.repeat(2_700_000)))) },
  { name: 'legal: 2,000 items, 300 tools', load: sending(() => withInput(talk(2000), `,"tools":${tools(300)}`)) },
  {
    name: 'legal: explanations of 660 KB, of many items',
    load: sending(() => explanation(talk(4300)), '/page/api/explain'),
  },
  {
    name: 'legal: explanations of 660 KB, of many tools',
    load: sending(() => explanation('"Hello"', `,"tools":${tools(1000)}`), '/page/api/explain'),
  },
  {
    name: 'legal: explanations of 660 KB, of one long text',
    load: sending(() => explanation(JSON.stringify('one "word" '.repeat(60_000))), '/page/api/explain'),
  },
  { name: 'legal: 16,000 items', load: sending(() => withInput(talk(16_000))) },
  ...TRANSLATED.slice(1).map(
    (path): Row => ({
      name: `legal: 16,000 messages at ${path}`,
      load: sending(
        () =>
          `{"model":"acme/mock-1","max_tokens":9,"messages":${list(16_000, (at) => `{"role":"${at % 2 === 0 ? 'user' : 'assistant'}","content":"step ${at}"}`)}}`,
        path,
      ),
    }),
  ),
]

function tools(count: number): string {
  const properties = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [`field_${at}`, { type: 'string', description: 'A field of the tool.' }]),
  )
  const parameters = JSON.stringify({ type: 'object', properties, required: ['field_0'] })
  return list(
    count,
    (at) => `{"type":"function","name":"tool_${at}","description":"A tool.","parameters":${parameters}}`,
  )
}
