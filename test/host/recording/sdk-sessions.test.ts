import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { describe, expect, it } from 'vitest'
import { configuredSecrets } from '../../../src/gateway/auth/configured-secrets.ts'
import { checkConfigValue } from '../../../src/gateway/config/parse-config.ts'
import { createLibrary } from '../../../src/host/recording/exchange-library.ts'
import { readExchanges } from '../../../src/host/recording/read-exchange.ts'
import { createRecorder } from '../../../src/host/recording/recorder.ts'
import { replayConfig, replayEnv } from '../../../src/host/recording/replay-config.ts'
import { createReplay } from '../../../src/host/recording/replay-transport.ts'
import { start } from '../../../src/host/start.ts'
import { type Behaviour, startMockUpstream, withBody } from '../../mock-upstreams/server.ts'
import { scripted } from '../../mock-upstreams/wire-bodies.ts'
import type { WireUpstream } from '../../mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { ASSISTANT_ANSWERS, ASSISTANT_REQUESTS, OUTPUTS, PARAMETERS, QUESTION } from '../conversation.ts'
import { KEY, type Loose, sha256, whenDone } from '../test-server.ts'

/**
 * A session of each official client is recorded with vendors of all wires, and played again without them: the answers
 * are equal, and no file contains a secret.
 */

const SECRETS = {
  key: 'vendor-key-of-nobody-4730',
  header: 'gate-token-of-nobody-4731',
  query: 'parameter-of-nobody-4732',
  sealing: 'sealing-secret-of-nobody-4734473447344734',
  environment: 'environment-of-nobody-4733',
}

const FAIL = 'Please fail.'
const QUOTE = 'Please quote your key.'

/** Quotes the secrets in the text of the answer, in pieces of seven bytes. */
function behave(upstream: WireUpstream): Behaviour {
  const secrets = Object.values(SECRETS)
  const normal = scripted(upstream, ({ body }) =>
    JSON.stringify(body).includes(OUTPUTS[0]) ? ASSISTANT_ANSWERS : ASSISTANT_REQUESTS,
  )
  const quoting = scripted(upstream, () => ({ text: [secrets.join(' and ')], calls: [] }), 7)
  const failing = withBody(JSON.stringify({ error: { message: `Invalid: ${FAIL}` }, message: `Invalid: ${FAIL}` }), 400)
  return (response, request) => {
    const text = JSON.stringify(request.body)
    return (text.includes(FAIL) ? failing : text.includes(QUOTE) ? quoting : normal)(response, request)
  }
}

const DESCRIPTION = 'The weather in a city, now.'

/** Everything that a client received in a session, without ids and times. */
type Session = (url: string, model: string) => Promise<readonly unknown[]>

const failureOf = (error: Loose): unknown => ({ status: error.status, message: withoutIds(error.message) })

/** Masks are equal: the gateway hides secrets as well. */
const withoutIds = (text: string): string =>
  text
    .replaceAll(/\b(?:req|resp|chatcmpl|gen|msg)[-_][\w-]+/g, 'id')
    .replaceAll(/\[secret\]|x{20,}|\w+-\w+-of-nobody-\d+|\w+-of-nobody-\d+/g, '*')

const openai: Session = async (url, model) => {
  const client = new OpenAI({ apiKey: KEY, baseURL: `${url}/api/v1`, maxRetries: 0 })
  const tools = [
    { type: 'function' as const, function: { name: 'get_weather', description: DESCRIPTION, parameters: PARAMETERS } },
  ]
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: QUESTION }]
  const session: unknown[] = []
  for (const _ of [1, 2]) {
    const stream = client.chat.completions.stream({ model, messages, tools, stream_options: { include_usage: true } })
    const { choices, usage } = await stream.finalChatCompletion()
    const message = choices[0]?.message
    session.push(message, usage)
    messages.push(message as ChatCompletionMessageParam)
    for (const [at, { id }] of (message?.tool_calls ?? []).entries())
      messages.push({ role: 'tool', tool_call_id: id, content: OUTPUTS[at] ?? '' })
  }
  const ask = (content: string) =>
    client.chat.completions.create({ model, messages: [{ role: 'user', content }] }).then(
      ({ choices, usage }) => [choices, usage],
      (error: unknown) => failureOf(error),
    )
  const quoted = client.chat.completions.stream({ model, messages: [{ role: 'user', content: QUOTE }] })
  const text = (await quoted.finalChatCompletion()).choices[0]?.message.content ?? ''
  return [...session, await ask(QUESTION), await ask(FAIL), withoutIds(text)]
}

const anthropic: Session = async (url, model) => {
  const client = new Anthropic({ apiKey: KEY, baseURL: `${url}/api`, maxRetries: 0 })
  const tools = [{ name: 'get_weather', description: DESCRIPTION, input_schema: PARAMETERS }]
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }]
  const session: unknown[] = []
  for (const _ of [1, 2]) {
    const { content, usage, stop_reason } = await client.messages
      .stream({ model, max_tokens: 800, messages, tools })
      .finalMessage()
    session.push(content, usage, stop_reason)
    const results = content.filter((block) => block.type === 'tool_use')
    messages.push({ role: 'assistant', content })
    messages.push({
      role: 'user',
      content: results.map(({ id }, at) => ({ type: 'tool_result', tool_use_id: id, content: OUTPUTS[at] ?? '' })),
    })
  }
  const ask = (content: string) =>
    client.messages.create({ model, max_tokens: 800, messages: [{ role: 'user', content }] }).then(
      ({ content, usage }) => [content, usage],
      (error: unknown) => failureOf(error),
    )
  const quoted = client.messages.stream({ model, max_tokens: 800, messages: [{ role: 'user', content: QUOTE }] })
  return [...session, await ask(QUESTION), await ask(FAIL), withoutIds(await quoted.finalText())]
}

const google: Session = async (url, model) => {
  const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: `${url}/api`, apiVersion: 'v1' } })
  const declaration = { name: 'get_weather', description: DESCRIPTION, parametersJsonSchema: PARAMETERS }
  const talk = client.chats.create({ model, config: { tools: [{ functionDeclarations: [declaration] }] } })
  const session: unknown[] = []
  let message: Loose = QUESTION
  for (const _ of [1, 2]) {
    const parts: Loose[] = []
    for await (const { candidates, usageMetadata } of await talk.sendMessageStream({ message })) {
      parts.push(...(candidates?.[0]?.content?.parts ?? []))
      session.push(usageMetadata, candidates?.[0]?.finishReason)
    }
    session.push(parts)
    message = parts
      .flatMap(({ functionCall }) => (functionCall === undefined ? [] : [functionCall]))
      .map(({ id, name }, at) => ({ functionResponse: { id, name, response: { output: OUTPUTS[at] } } }))
  }
  const ask = (contents: string) =>
    client.models.generateContent({ model, contents }).then(
      ({ candidates, usageMetadata }) => [candidates, usageMetadata],
      (error: unknown) => failureOf(error),
    )
  const quoted = await client.models.generateContent({ model, contents: QUOTE })
  return [...session, await ask(QUESTION), await ask(FAIL), withoutIds(quoted.text ?? '')]
}

const SESSIONS = { openai, anthropic, google }

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-sessions-'))
  whenDone(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function textsIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async (file) => `${file}\n${await readFile(file, 'latin1')}`))
}

/** The forms in which a secret would be found in a file. */
const formsOf = (secret: string): readonly string[] => [
  secret,
  secret.slice(0, -4),
  Buffer.from(secret).toString('base64').slice(0, 20),
]

const isIn = (texts: readonly string[], form: string): boolean => texts.some((text) => text.includes(form))

describe.each(Object.keys(SESSIONS) as (keyof typeof SESSIONS)[])('a session of the client of %s', (name) => {
  it('has the same answers when it is played again, and no secret is in its recording', async () => {
    const folder = await newFolder()
    const vendors: Record<string, object> = {}
    for (const upstream of Object.values(WIRE_UPSTREAMS)) {
      const server = await startMockUpstream(behave(upstream))
      whenDone(server.close)
      vendors[`${upstream.wire}-mock`] = {
        wire: upstream.wire,
        base_url: `${server.url}?code=${SECRETS.query}`,
        key: SECRETS.key,
        headers: { 'x-gate': SECRETS.header },
        quirks: upstream.quirks,
      }
    }
    const keys = [{ name: 'tester', sha256: sha256(KEY) }]
    const common = { listen: { port: 0 }, keys, encrypted_content_secret: SECRETS.sealing }
    const loaded = checkConfigValue({ ...common, vendors })
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
    const env = { EXA_API_KEY: SECRETS.environment }
    const failures: string[] = []
    const recorder = createRecorder({
      folder,
      secrets: configuredSecrets(loaded.config, env),
      onFailure: (exchange, reason) => void failures.push(`${exchange}: ${reason}`),
    })
    const session = SESSIONS[name]
    const models = Object.values(WIRE_UPSTREAMS).map(({ wire, model }) => `${wire}-mock/${model}`)
    const run = async (url: string) => {
      const answers: unknown[] = []
      for (const model of models) answers.push([model, ...(await session(url, model))])
      return JSON.parse(JSON.stringify(answers).replaceAll(/\brs_[0-9a-f]{20,}_\d+/g, 'rs')) as unknown[]
    }

    const recording = await start(loaded.config, { env, tap: recorder })
    whenDone(recording.close)
    const recorded = await run(recording.url)
    await recording.close()
    await recorder.close()
    expect(failures).toEqual([])
    expect(recorder.started).toBe(models.length * 5)

    const texts = await textsIn(folder)
    expect(texts).toHaveLength(recorder.started * 3)
    const found = [...Object.values(SECRETS), KEY].flatMap(formsOf).filter((form) => isIn(texts, form))
    expect(found).toEqual([])

    const { exchanges, problems } = readExchanges(folder)
    expect(problems).toEqual([])
    const library = createLibrary(exchanges, 'exact')
    const differences: string[] = []
    const tap = createReplay(library, {
      pace: 'fast',
      onPlay: (exchange, difference) => void (difference === null || differences.push(`${exchange}: ${difference}`)),
    })
    const empty = checkConfigValue(common)
    if (!empty.ok) throw new Error(empty.problems.join('\n'))
    const replaying = await start(replayConfig(empty.config, {}, exchanges), { env: replayEnv({}, exchanges), tap })
    whenDone(replaying.close)
    expect(await run(replaying.url)).toEqual(recorded)
    expect([differences, library.unplayed()]).toEqual([[], []])
  })
})
