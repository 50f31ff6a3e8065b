import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { configuredSecrets } from '../../../src/gateway/auth/configured-secrets.ts'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { createRecorder } from '../../../src/host/recording/recorder.ts'
import { start } from '../../../src/host/start.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { nextTurn, type ReceivedRequest, startMockUpstream } from '../../mock-upstreams/server.ts'
import { scripted } from '../../mock-upstreams/wire-bodies.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { KEY, post, sha256, whenDone } from '../test-server.ts'
import { connectWebSocket } from '../websocket-client.ts'

/**
 * A canary is in every place where a secret can be, and each upstream quotes all that it received, in every form of its
 * answers. No file, no name of a file and no line of the log contains one.
 */
const CANARIES = {
  key: 'vendor-key-canary-4801',
  header: 'gate+header/canary=4802',
  query: 'query/canary+4803',
  accessKey: 'AKIACANARY4806EXAMPLE',
  secretKey: 'aws/secret+canary/4807',
  session: 'aws-session-canary//4808==',
  sealing: 'sealing-canary-4809-4809-4809-4809',
  environment: 'environment-canary-4810',
  clientCookie: 'client-cookie-canary-4811',
  clientQuery: 'client-query-canary-4812',
  clientHeader: 'client-header-canary-4813',
  answerCookie: 'answer-cookie-canary-4814',
  tool: 'tool-authorization-canary-4815',
  toolHeader: 'tool-header-canary-4816',
  toolUrl: 'tool-url-canary-4817',
  signature: 'signature-canary-4818-4818-4818',
  basic: 'basic-password-canary-4819',
  model: 'vendor-key-canary-4801/as-model',
  prompt: 'sk-proj-prompt-canary-4820-4820',
}

const QUOTED = 'canary'
const FAILED = 'Please fail.'

type Quote = (request: ReceivedRequest) => string

/** Everything that an upstream has received, in the forms in which servers quote it. */
const quoteOf: Quote = ({ headers, url, text }) => {
  const all = [...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), url, text, CANARIES.answerCookie]
  const own = [CANARIES.secretKey, CANARIES.environment, CANARIES.header, CANARIES.query]
  const raw = [...all, ...own, CANARIES.sealing, KEY].join('\n')
  const bytes = Buffer.from(raw)
  return [
    raw,
    JSON.stringify(raw),
    encodeURIComponent(raw),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ].join(`\n${QUOTED}\n`)
}

const headersWith = (more: object) => ({
  'set-cookie': [`sid=${CANARIES.answerCookie}; HttpOnly; Path=/`, `other=${CANARIES.answerCookie}`],
  'x-request-id': `req-${CANARIES.key}`,
  'www-authenticate': `Bearer realm="${CANARIES.key}"`,
  location: `https://elsewhere.example/?sig=${encodeURIComponent(CANARIES.query)}`,
  ...more,
})

async function inPiecesOf(response: ServerResponse, bytes: Uint8Array, size: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    response.write(bytes.subarray(at, at + size))
    await nextTurn()
  }
  response.end()
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name)
      return `${path}\n${entry.isFile() ? await readFile(path, 'latin1') : ''}`
    }),
  )
}

/** Each canary in the forms that a reader could still recognise. */
const formsOf = (canary: string): readonly string[] => {
  const bytes = Buffer.from(canary)
  const encoded = [0, 1, 2].map((before) =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .slice(4, -4)
      .replaceAll('=', ''),
  )
  return [
    canary,
    canary.slice(0, -4),
    canary.slice(4),
    encodeURIComponent(canary),
    JSON.stringify(canary).slice(1, -1),
    ...encoded,
    ...encoded.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    bytes.toString('hex'),
  ]
}

/** Each canary once for each file in which it is, with the text around it. */
const foundIn = (texts: readonly string[]): readonly string[] =>
  Object.entries({ ...CANARIES, KEY }).flatMap(([name, canary]) => {
    const forms = formsOf(canary)
    return texts.flatMap((text) => {
      const lower = text.toLowerCase()
      const at = Math.max(...forms.map((form) => lower.indexOf(form.toLowerCase())))
      return at < 0
        ? []
        : [`${name} in ${text.split('\n', 1)[0]?.slice(-40)}: ${text.slice(Math.max(0, at - 20), at + 40)}`]
    })
  })

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-canaries-'))
  whenDone(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts a server with one vendor that quotes everything, and records it. */
async function recordingOf(wire: WireName) {
  const upstream = WIRE_UPSTREAMS[wire]
  const quoting = scripted(upstream, (request) => ({ text: [quoteOf(request)], calls: [] }), 7)
  const mock = await startMockUpstream((response, request) => {
    const quote = quoteOf(request)
    if (request.text.includes('gzip me') || request.text.includes('br me')) {
      const coding = request.text.includes('gzip me') ? 'gzip' : 'br'
      const bytes = (coding === 'gzip' ? gzipSync : brotliCompressSync)(JSON.stringify({ error: { message: quote } }))
      response.writeHead(401, headersWith({ 'content-type': 'application/json', 'content-encoding': coding }) as never)
      return inPiecesOf(response, bytes, 7)
    }
    if (request.text.includes('zstd me')) {
      response.writeHead(401, headersWith({ 'content-type': 'text/plain', 'content-encoding': 'zstd' }) as never)
      return inPiecesOf(response, Buffer.from(quote), 4096)
    }
    if (request.text.includes(FAILED)) {
      response.writeHead(401, headersWith({ 'content-type': 'application/json' }) as never)
      return inPiecesOf(response, Buffer.from(JSON.stringify({ error: { message: quote, code: CANARIES.key } })), 11)
    }
    for (const [name, value] of Object.entries(headersWith({}))) response.setHeader(name, value as string)
    return quoting(response, request)
  })
  whenDone(mock.close)
  const folder = await newFolder()
  const aws =
    wire === 'bedrock-converse'
      ? {
          aws: {
            region: 'us-east-1',
            access_key_id: CANARIES.accessKey,
            secret_access_key: CANARIES.secretKey,
            session_token: CANARIES.session,
          },
          vendor: 'bedrock',
        }
      : { key: CANARIES.key, wire }
  const loaded = checkConfigValue({
    listen: { port: 0 },
    keys: [{ name: 'tester', sha256: sha256(KEY) }],
    encrypted_content_secret: CANARIES.sealing,
    retry: { attempts: 1 },
    vendors: {
      quoting: {
        ...aws,
        base_url: `${mock.url}?code=${encodeURIComponent(CANARIES.query)}&${CANARIES.query}`,
        headers: {
          'x-gate': CANARIES.header,
          'x-basic': `Basic ${Buffer.from(`me:${CANARIES.basic}`).toString('base64')}`,
        },
        quirks: upstream.quirks,
      },
      other: { wire: 'openai-chat', base_url: mock.url, key: CANARIES.key },
    },
    models: [{ match: 'both', to: [`quoting/${upstream.model}`, `other/${CANARIES.model}`] }],
  })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  const env = { EXA_API_KEY: CANARIES.environment, AWS_SECRET_ACCESS_KEY: CANARIES.secretKey }
  const lines: string[] = []
  const recorder = createRecorder({
    folder,
    secrets: configuredSecrets(loaded.config, env),
    onFailure: (exchange, reason) => void lines.push(`${exchange}: ${reason}`),
  })
  const running = await start(loaded.config, {
    env,
    tap: recorder,
    log: (line) => void lines.push(JSON.stringify(line)),
  })
  whenDone(running.close)
  return { url: running.url, model: `quoting/${upstream.model}`, folder, lines, recorder, mock }
}

const CLIENT_HEADERS = {
  cookie: `session=${CANARIES.clientCookie}; theme=dark`,
  'x-client-token': CANARIES.clientHeader,
}

const TOOLS = [
  {
    type: 'mcp',
    server_label: 'files',
    server_url: `https://files.example/mcp?token=${CANARIES.toolUrl}`,
    authorization: `Bearer ${CANARIES.tool}`,
    headers: { 'X-Tenant-Secret': CANARIES.toolHeader },
    require_approval: 'never',
  },
]

const quoteMe = (text: string) =>
  `${text} .env:\n${CANARIES.prompt}\nMy keys are ${KEY}, ${CANARIES.clientCookie}, ${CANARIES.clientQuery} and ${CANARIES.clientHeader}.` +
  ` See https://bucket.example/a.png?X-Amz-Date=20261123&X-Amz-Signature=${CANARIES.signature}&x=1`

describe.each(Object.keys(WIRE_UPSTREAMS) as WireName[])('a recording of %s', (wire) => {
  it('has no canary in its files, their names and the log', async () => {
    const { url, model, folder, lines, recorder } = await recordingOf(wire)
    const path = `/api/v1/responses?api_key=${CANARIES.clientQuery}`
    const own = wire === 'openai-responses' ? { tools: TOOLS } : {}
    const ask = async (input: string, more: object) =>
      (await post(url, { model, input: quoteMe(input), ...more }, { path, headers: CLIENT_HEADERS })).text()
    for (const stream of [true, false]) {
      for (const text of ['Quote.', FAILED, 'gzip me', 'br me', 'zstd me']) await ask(text, { stream, ...own })
    }
    await ask(FAILED, { model: 'both', stream: true })
    await ask('Quote.', { model: `other/${CANARIES.model}` })
    await (
      await post(
        url,
        { model, max_tokens: 50, stream: true, messages: [{ role: 'user', content: quoteMe('Quote.') }] },
        {
          path: '/api/v1/messages',
          headers: { ...CLIENT_HEADERS, 'x-api-key': KEY },
        },
      )
    ).text()
    const socket = await connectWebSocket(url, { headers: CLIENT_HEADERS })
    await socket.turn({ type: 'response.create', model, input: quoteMe('Quote.') })
    await socket.close()
    await recorder.close()
    expect(recorder.started).toBe(15)
    const files = await filesIn(folder)
    expect(files.filter((text) => text.includes(QUOTED)).length).toBeGreaterThan(10)
    expect(lines.filter((line) => line.includes('"zstd" cannot be decoded')).length).toBe(2)
    // The log names a model as it is configured.
    const log = lines.join('\n').replaceAll(CANARIES.model, 'a model')
    expect(foundIn([...files, `log\n${log}`])).toEqual([])
  })
})
