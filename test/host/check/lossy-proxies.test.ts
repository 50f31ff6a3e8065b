import { createServer, request as sendOn } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { checkServer } from '../../../src/api/check-server/check-server.ts'
import type { CheckedProtocol } from '../../../src/api/check-server/protocols.ts'
import { IS_WHOLE } from '../../property.ts'
import { whenDone } from '../test-server.ts'
import { isFault, modelFor, PROTOCOL_NAMES, PROTOCOLS, startMock } from './checked-servers.ts'

/**
 * A proxy before a server that is right, which loses one thing: the checker finds it. The answers stay in the form of their
 * protocol, so that only what a user misses shows the fault.
 */

type Json = Record<string, unknown>

interface Loss {
  readonly request?: (body: Json) => Json
  /** The JSON of each answer. */
  readonly answer?: (json: string) => string
  /** Collects an answer before it sends it. */
  readonly buffers?: true
}

/** Starts a proxy. Without a loss it sends each piece on as it comes. */
async function startProxy(target: string, { request: edit, answer, buffers }: Loss): Promise<string> {
  const server = createServer((request, response) => {
    const forward = async (): Promise<void> => {
      const received = await text(request)
      const isJson = received.startsWith('{') && received.endsWith('}')
      const body = edit === undefined || !isJson ? received : JSON.stringify(edit(JSON.parse(received)))
      const { 'content-length': _, host: __, ...headers } = request.headers
      const onward = sendOn(`${target}${request.url}`, { method: request.method ?? 'GET', headers }, (upstream) => {
        response.writeHead(upstream.statusCode ?? 500, { 'content-type': upstream.headers['content-type'] })
        response.flushHeaders()
        if (answer === undefined && buffers === undefined) upstream.pipe(response)
        else
          text(upstream).then(
            (whole) => response.end(answer?.(whole) ?? whole),
            () => response.destroy(),
          )
      })
      onward.on('error', () => response.destroy())
      response.on('close', () => onward.destroy())
      onward.end(body)
    }
    forward().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  whenDone(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function check(protocol: CheckedProtocol, loss: Loss, only: readonly string[], key?: string) {
  const proxy = await startProxy(await startMock(), loss)
  const { rows } = await checkServer({
    url: proxy + PROTOCOLS[protocol].mock,
    model: modelFor(only),
    protocol,
    only,
    ...(key === undefined ? {} : { key }),
  })
  return rows
}

const OF_TOOLS = ['tools', 'tool_choice', 'toolConfig']
const withoutTools = (body: Json): Json =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !OF_TOOLS.includes(name)))

/** Changes every object of a request, the inner ones first. */
function everywhere(edit: (one: Json) => Json): (body: Json) => Json {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside)
    if (typeof value !== 'object' || value === null) return value
    return edit(Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inside(inner)])))
  }
  return (body) => inside(body) as Json
}

const without = (...names: readonly string[]): ((body: Json) => Json) =>
  everywhere((one) => Object.fromEntries(Object.entries(one).filter(([name]) => !names.includes(name))))

/** Changes the lists of messages and of their parts. */
const listing = (edit: (list: readonly Json[]) => readonly Json[]): ((body: Json) => Json) =>
  everywhere((one) =>
    Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [
        name,
        /^(?:messages|contents|content|parts|input)$/.test(name) && Array.isArray(inner) ? edit(inner) : inner,
      ]),
    ),
  )

const ofAssistant = (one: Json): boolean => /^(?:assistant|model|model_output)$/.test(`${one.role ?? one.type}`)
const hasCall = (one: Json): boolean => /"(?:tool_calls|tool_use|functionCall|function_call)"/.test(JSON.stringify(one))

/** Keeps of a message with a call the call only. */
const onlyCalls = (body: Json): Json =>
  listing((list) => (list.some(hasCall) && list.every((one) => one.role === undefined) ? list.filter(hasCall) : list))(
    everywhere((one) => (one.tool_calls === undefined ? one : { ...one, content: null }))(body),
  )

const LIMITS = /^(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens|num_predict)$/

const withoutImages = (body: Json): Json =>
  listing((list) => list.filter((one) => !/image/.test(`${one.type}`) && one.inlineData === undefined))(
    without('images')(body),
  )

const withoutParameters = everywhere((one) => ({
  ...one,
  ...(one.parameters !== undefined && { parameters: { type: 'object', properties: {} } }),
  ...(one.input_schema !== undefined && { input_schema: { type: 'object', properties: {} } }),
  ...(one.parametersJsonSchema !== undefined && { parametersJsonSchema: { type: 'object', properties: {} } }),
}))

const firstParts = listing((list) => (list.every((one) => typeof one.text === 'string') ? list.slice(0, 1) : list))

const latin1 = (json: string): string =>
  json.replace(/[^\0-\x7f]+/g, (found) => Buffer.from(found, 'utf8').toString('latin1'))

const CUT_ENDS: readonly (readonly [whole: RegExp, cut: string])[] = [
  [/"finish_reason":"stop"/g, '"finish_reason":"length"'],
  [/"done_reason":"stop"/g, '"done_reason":"length"'],
  [/"end_turn"/g, '"max_tokens"'],
  [/"STOP"/g, '"MAX_TOKENS"'],
]

/** Adds to each later piece of a call the name of its function, as a proxy does that fills the members of a piece. */
const namedAgain = (json: string): string =>
  json.replace(/"function":\{"arguments"/g, '"function":{"name":"get_weather","arguments"')

/** Keeps the question of the user that came last, as a proxy that flattens conversations does. */
const lastQuestion = (body: Json): Json => {
  const name = ['messages', 'contents', 'input'].find((one) => Array.isArray(body[one])) ?? ''
  const questions = (body[name] as Json[]).filter(
    (one) =>
      /"(?:user|user_input)"/.test(JSON.stringify(one)) && !/_result"|functionResponse/.test(JSON.stringify(one)),
  )
  return { ...body, [name]: questions.slice(-1) }
}

const ENDS: readonly (readonly [cut: RegExp, whole: string])[] = [
  [/"finish_reason":"length"/g, '"finish_reason":"stop"'],
  [/"done_reason":"length"/g, '"done_reason":"stop"'],
  [/"max_tokens"(?!:)/g, '"end_turn"'],
  [/"MAX_TOKENS"/g, '"STOP"'],
  [/"incomplete_details":\{[^}]*\}/g, '"incomplete_details":null'],
  [/response\.incomplete/g, 'response.completed'],
  [/"incomplete"/g, '"completed"'],
]
const completed = (json: string): string => ENDS.reduce((so, [cut, whole]) => so.replace(cut, whole), json)

/** Divides the first frame with an emoji between its two units, and counts the frames of Responses again. */
function cutPair(stream: string): string {
  const at = stream.indexOf('🙂')
  if (at === -1 || !/^(?::|data|event|\{[^\n]*\}\n\{)/.test(stream)) return stream
  const end = stream.startsWith('{') ? '\n' : (/\r?\n\r?\n/.exec(stream)?.[0] ?? '')
  const [from, to] = [stream.lastIndexOf(end, at), stream.indexOf(end, at)]
  const begin = from === -1 ? 0 : from + end.length
  const frame = stream.slice(begin, to + end.length)
  const [first, second] = [frame.replace(/🙂[^"]*/, '\\ud83d'), frame.replace(/[^"]*🙂/, '\\ude42')]
  let number = 0
  return `${stream.slice(0, begin)}${first}${second}${stream.slice(to + end.length)}`.replace(
    /"sequence_number":\d+/g,
    () => `"sequence_number":${number++}`,
  )
}

const unsigned = (json: string): string => json.replace(/"signature":"[^"]*"/g, '"signature":""')

interface Case {
  readonly about: string
  readonly loss: Loss
  /** The rows to check, the last of which has the finding. */
  readonly rows: readonly string[]
  readonly rule: string
  readonly of?: readonly CheckedProtocol[]
}

const WITH_CHOICE = PROTOCOL_NAMES.filter((name) => name !== 'ollama')

const CASES: readonly Case[] = [
  { about: 'the tools', loss: { request: withoutTools }, rows: ['forced-tool'], rule: 'promise', of: WITH_CHOICE },
  { about: 'the tools', loss: { request: withoutTools }, rows: ['required-tool'], rule: 'promise', of: WITH_CHOICE },
  { about: 'the tools', loss: { request: withoutTools }, rows: ['tool', 'tool-without-parameters'], rule: 'tools' },
  { about: 'earlier messages', loss: { request: lastQuestion }, rows: ['conversation'], rule: 'recall' },
  { about: 'the result of a call', loss: { request: lastQuestion }, rows: ['tool-result'], rule: 'recall' },
  { about: 'the results of two calls', loss: { request: lastQuestion }, rows: ['parallel-results'], rule: 'recall' },
  {
    about: 'the instructions',
    loss: {
      request: ({ instructions: _, system: __, systemInstruction: ___, system_instruction: ____, ...rest }) => rest,
    },
    rows: ['instructions'],
    rule: 'recall',
    of: ['responses', 'messages', 'gemini', 'interactions'],
  },
  {
    about: 'the instructions',
    loss: { request: listing((list) => list.filter(({ role }) => role !== 'system')) },
    rows: ['instructions'],
    rule: 'recall',
    of: ['chat', 'ollama'],
  },
  {
    about: 'the texts of the assistant',
    loss: { request: listing((list) => list.filter((one) => !ofAssistant(one) || hasCall(one))) },
    rows: ['conversation'],
    rule: 'recall',
  },
  {
    about: 'all but the first part of a message',
    loss: { request: firstParts },
    rows: ['conversation'],
    rule: 'recall',
    of: ['responses', 'messages', 'gemini', 'interactions'],
  },
  {
    about: 'the text beside a call',
    loss: { request: onlyCalls },
    rows: ['tool-result'],
    rule: 'recall',
    of: ['chat', 'messages', 'gemini', 'ollama'],
  },
  { about: 'the images', loss: { request: withoutImages }, rows: ['image'], rule: 'image' },
  { about: 'the parameters of functions', loss: { request: withoutParameters }, rows: ['tool'], rule: 'promise' },
  {
    about: 'the choice of a function',
    loss: { request: without('tool_choice', 'toolConfig') },
    rows: ['forced-tool'],
    rule: 'promise',
    of: WITH_CHOICE,
  },
  {
    about: 'the limit of its tokens',
    loss: {
      request: everywhere((one) =>
        Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, LIMITS.test(name) ? 4096 : inner])),
      ),
    },
    rows: ['length'],
    rule: 'promise',
  },
  {
    about: 'the stop sequences',
    loss: { request: without('stop', 'stop_sequences', 'stopSequences') },
    rows: ['stop'],
    rule: 'stop',
    of: ['chat', 'messages', 'gemini', 'ollama'],
  },
  {
    about: 'the counts of the usage',
    loss: { answer: (json) => json.replace(/"(\w*(?:tokens|TokenCount|eval_count))":\d+/g, '"$1":0') },
    rows: ['text'],
    rule: 'usage',
  },
  {
    about: 'the usage',
    loss: { answer: (json) => json.replace(/"usage":\{(?:[^{}]|\{[^{}]*\})*\}/g, '"usage":null') },
    rows: ['text'],
    rule: 'usage',
    of: ['responses', 'chat', 'messages'],
  },
  { about: 'the encoding of its text', loss: { answer: latin1 }, rows: ['unicode'], rule: 'recall' },
  {
    about: 'the characters beyond 16 bits',
    loss: { answer: (json) => json.replace(/[\u{10000}-\u{10ffff}]/gu, '') },
    rows: ['unicode'],
    rule: 'recall',
  },
  {
    about: 'that an answer is complete',
    loss: { answer: (json) => CUT_ENDS.reduce((so, [whole, cut]) => so.replace(whole, cut), json) },
    rows: ['text'],
    rule: 'finish',
    of: ['chat', 'messages', 'gemini', 'ollama'],
  },
  {
    about: 'the reason for the end',
    loss: { answer: (json) => json.replaceAll('"end_turn"', '"stop_sequence"') },
    rows: ['text'],
    rule: 'finish',
    of: ['messages'],
  },
  {
    about: 'the reason of a call',
    loss: { answer: (json) => json.replaceAll('"finish_reason":"tool_calls"', '"finish_reason":"function_call"') },
    rows: ['tool'],
    rule: 'finish',
    of: ['chat'],
  },
  { about: 'that a call has one name', loss: { answer: namedAgain }, rows: ['tool'], rule: 'call', of: ['chat'] },
  {
    about: 'the model in one chunk',
    loss: { answer: (json) => json.replace(/(\n\ndata: .*?"model":")[^"]*/, '$1other') },
    rows: ['text'],
    rule: 'identity',
    of: ['chat'],
  },
  {
    about: 'the unit of a time',
    loss: { answer: (json) => json.replace(/("created(?:_at)?"):(\d+)/g, '$1:$2000') },
    rows: ['text'],
    rule: 'frame',
    of: ['chat'],
  },
  {
    about: 'the unit of a time',
    loss: { answer: (json) => json.replace(/("created(?:_at)?"):(\d+)/g, '$1:$2000') },
    rows: ['text'],
    rule: 'response',
    of: ['responses'],
  },
  {
    about: 'the form of an error',
    loss: { answer: (json) => JSON.stringify({ error: { message: json, type: 'invalid_request_error' } }) },
    rows: ['error-input'],
    rule: 'error-body',
    of: ['responses', 'chat'],
  },
  {
    about: 'the kind of an error',
    loss: { answer: (json) => json.replace(/"(?:invalid_request_error|INVALID_ARGUMENT)"/g, '"api_error"') },
    rows: ['error-input'],
    rule: 'error-body',
    of: ['responses', 'chat', 'messages', 'gemini'],
  },
  {
    about: 'the models',
    loss: { answer: () => '{"data":[],"models":[]}' },
    rows: ['models'],
    rule: 'models',
  },
  { about: 'that an answer was cut', loss: { answer: completed }, rows: ['length'], rule: 'promise' },
  { about: 'one half of a character', loss: { answer: cutPair }, rows: ['unicode'], rule: 'text' },
  { about: 'the time at which pieces came', loss: { buffers: true }, rows: ['long'], rule: 'pieces' },
  {
    about: 'the reason of a call',
    loss: { answer: (json) => json.replaceAll('"finish_reason":"tool_calls"', '"finish_reason":"stop"') },
    rows: ['tool'],
    rule: 'finish',
    of: ['chat'],
  },
  {
    about: 'the reason of a call',
    loss: { answer: (json) => json.replaceAll('"stop_reason":"tool_use"', '"stop_reason":"end_turn"') },
    rows: ['tool'],
    rule: 'finish',
    of: ['messages'],
  },
  {
    about: 'the signatures of reasoning',
    loss: { answer: unsigned },
    rows: ['reasoning'],
    rule: 'reasoning',
    of: ['messages'],
  },
]

// A stream that is held takes its time: a short run has it in one protocol.
const ALL = CASES.flatMap(({ of = PROTOCOL_NAMES, ...one }) => of.map((protocol) => ({ ...one, protocol }))).filter(
  ({ protocol, rule }) => IS_WHOLE || rule !== 'pieces' || protocol === 'chat',
)

it.each(ALL)(
  'finds a proxy for $protocol that loses $about, in $rows',
  async ({ protocol, loss, rows: only, rule }) => {
    const rows = await check(protocol, loss, only)
    expect(rows.find(({ name }) => name === only.at(-1))?.findings.map((one) => one.rule)).toContain(rule)
  },
)

it.each(PROTOCOL_NAMES)('finds nothing in a proxy for %s that loses nothing', async (protocol) => {
  const all = ALL.filter((one) => one.protocol === protocol).flatMap(({ rows }) => rows)
  const only = [...new Set(all)]
  expect((await check(protocol, {}, only)).filter(isFault)).toEqual([])
})

it('finds nothing in answers that end a call which the request demands as a text', async () => {
  const asStop = (json: string): string => json.replaceAll('"finish_reason":"tool_calls"', '"finish_reason":"stop"')
  expect(await check('chat', { answer: asStop }, ['forced-tool', 'required-tool'])).toMatchObject([
    { status: 'passed' },
    { status: 'passed' },
  ])
})

it('finds nothing in usage of Vertex that has no count before the last chunk', async () => {
  const early = (json: string): string =>
    json.replace(/^data: \{/gm, (found, at: number) =>
      json.indexOf('\ndata: ', at) === -1 ? found : 'data: {"usageMetadata":{"trafficType":"ON_DEMAND"},',
    )
  expect(await check('gemini', { answer: early }, ['text', 'tool'])).toMatchObject([
    { status: 'passed' },
    { status: 'passed' },
  ])
})

it('finds usage of Gemini that never has a count', async () => {
  const never = (json: string): string =>
    json.replace(/"usageMetadata":\{[^}]*\}/g, '"usageMetadata":{"trafficType":"ON_DEMAND"}')
  const [row] = await check('gemini', { answer: never }, ['text'])
  expect(row?.findings).toMatchObject([
    { rule: 'usage', form: 'streamed' },
    { rule: 'usage', form: 'whole' },
  ])
})

it('reads events as clients do: any line end, comments, ids, and data without a space', async () => {
  const other = (json: string): string =>
    json.startsWith('data: ')
      ? `\ufeff: hello\n\n${json.replaceAll('data: ', 'id: 1\ndata:').replaceAll('\n', '\r\n')}`
      : json
  expect(await check('chat', { answer: other }, ['text'])).toMatchObject([{ status: 'passed' }])
})

it('does not search messages for a key of less than eight characters', async () => {
  const refuse = (): string => '{"error":{"message":"status of a request","type":"t"}}'
  const [row] = await check('chat', { answer: refuse }, ['text'], 'a')
  expect(JSON.stringify(row?.findings)).not.toContain('…')
})

it.each(['chat', 'messages'] as const)('finds a proxy for %s that repeats the key of its client', async (protocol) => {
  const key = 'sk-client-0123456789'
  const told = (json: string): string => json.replace(/"message":"/, `"message":"${key}: `)
  const rows = await check(protocol, { answer: told }, ['error-input'], key)
  expect(rows[0]?.findings).toMatchObject([{ rule: 'key', message: 'the body has the key of the request' }])
  expect(JSON.stringify(rows)).not.toContain(key)
})

it('finds a server that sends the key of its client in a header', async () => {
  const key = 'sk-client-0123456789'
  const url = await startMock()
  const told: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    return new Response(answer.body, {
      headers: { 'content-type': answer.headers.get('content-type') ?? '', debug: key },
    })
  }
  const options = { url: `${url}/v1`, model: 'script', protocol: 'chat', key, only: ['text'], fetch: told } as const
  const [row] = (await checkServer(options)).rows
  expect(row?.findings.map(({ rule, message }) => [rule, message])).toEqual([
    ['key', 'the header debug has the key of the request'],
    ['key', 'the header debug has the key of the request'],
  ])
})

it('finds a server that confuses concurrent answers', async () => {
  const url = await startMock()
  let first: Promise<string> | null = null
  // One answer for all requests that come together, as a cache does whose key has too little of the request.
  const cached: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    first ??= answer.clone().text()
    return new Response(await first, { headers: answer.headers })
  }
  const options = { url: `${url}/v1`, model: 'script', protocol: 'chat', only: ['concurrent'], fetch: cached } as const
  const [row] = (await checkServer(options)).rows
  expect(row?.findings.map(({ rule }) => rule)).toEqual(['mixed', 'mixed'])
})
