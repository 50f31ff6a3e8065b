import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { createOpenAI } from '@ai-sdk/openai'
import { Anthropic } from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { OpenRouter } from '@openrouter/sdk'
import { generateText, streamText } from 'ai'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readPage } from '../../docs/generate.ts'
import { type RunningServer, start } from '../../src/host/start.ts'
import { runProgram } from './programs.ts'

/** The page that names the base URL of every client, against a server as `npm start` starts it. */

const PAGE = readPage('docs/connect.md')
const KEY = 'development-key-of-the-page'
const MODEL = 'replay/hello'
const HELLO = /^Hello! .* 👋$/u
const messages = [{ role: 'user' as const, content: 'Hello!' }]

let server: RunningServer
beforeAll(async () => {
  server = await start({ listen: { port: 0 } }, { env: { MILLRACE_DEV_KEY: KEY } })
})
afterAll(() => server.close())

/** Base URLs by the name of the client in the table. */
const TABLE = new Map(
  [...PAGE.matchAll(/^\| ([^|]+?) \| `(http:\/\/HOST[^`]*)` \|/gm)].map(([, name, url]) => [name, url]),
)

const baseOf = (start: string): string => {
  const found = [...TABLE].filter(([name = '']) => name.startsWith(start)).map(([, url = '']) => url)
  expect(found).toHaveLength(1)
  return (found[0] ?? '').replace('http://HOST', server.url)
}

async function joined(texts: AsyncIterable<string | null | undefined>): Promise<string> {
  let all = ''
  for await (const text of texts) all += text ?? ''
  return all
}

async function* mapped<From, To>(from: AsyncIterable<From>, to: (one: From) => To): AsyncIterable<To> {
  for await (const one of from) yield to(one)
}

const textOf = (content: unknown): string =>
  (Array.isArray(content) ? content : []).map((part) => String(part?.text ?? '')).join('')

interface Client {
  whole(): Promise<string | null | undefined>
  streamed(): Promise<string>
}

const openOpenAI = () => new OpenAI({ baseURL: baseOf('OpenAI SDK'), apiKey: KEY, maxRetries: 0 })
const openOllama = () => new Ollama({ host: baseOf('Ollama'), headers: { authorization: `Bearer ${KEY}` } })

const CLIENTS: Readonly<Record<string, () => Client>> = {
  'OpenAI, Responses': () => ({
    whole: async () => (await openOpenAI().responses.create({ model: MODEL, input: 'Hello!' })).output_text,
    streamed: async () => {
      const events = await openOpenAI().responses.create({ model: MODEL, input: 'Hello!', stream: true })
      return joined(mapped(events, (event) => (event.type === 'response.output_text.delta' ? event.delta : '')))
    },
  }),
  'OpenAI, chat completions': () => ({
    whole: async () =>
      (await openOpenAI().chat.completions.create({ model: MODEL, messages })).choices[0]?.message.content,
    streamed: async () => {
      const chunks = await openOpenAI().chat.completions.create({ model: MODEL, messages, stream: true })
      return joined(mapped(chunks, ({ choices }) => choices[0]?.delta.content))
    },
  }),
  Anthropic: () => {
    const client = new Anthropic({ baseURL: baseOf('Anthropic SDK'), apiKey: KEY, maxRetries: 0 })
    const body = { model: MODEL, max_tokens: 1000, messages }
    return {
      whole: async () =>
        (await client.messages.create(body)).content.map((one) => ('text' in one ? one.text : '')).join(''),
      streamed: () => client.messages.stream(body).finalText(),
    }
  },
  Google: () => {
    const client = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: baseOf('Google Gen AI') } })
    const body = { model: MODEL, contents: 'Hello!' }
    return {
      whole: async () => (await client.models.generateContent(body)).text,
      streamed: async () => joined(mapped(await client.models.generateContentStream(body), ({ text }) => text)),
    }
  },
  Ollama: () => ({
    whole: async () => (await openOllama().chat({ model: MODEL, messages })).message.content,
    streamed: async () =>
      joined(
        mapped(await openOllama().chat({ model: MODEL, messages, stream: true }), ({ message }) => message.content),
      ),
  }),
  'AI SDK': () => {
    const model = createOpenAI({ baseURL: baseOf('AI SDK'), apiKey: KEY })(MODEL)
    return {
      whole: async () => (await generateText({ model, prompt: 'Hello!', maxRetries: 0 })).text,
      streamed: () => joined(streamText({ model, prompt: 'Hello!', maxRetries: 0 }).textStream),
    }
  },
  OpenRouter: () => {
    const client = new OpenRouter({ serverURL: baseOf('OpenRouter'), apiKey: KEY, retryConfig: { strategy: 'none' } })
    const responsesRequest = { model: MODEL, input: 'Hello!' }
    return {
      whole: async () => {
        const answer = await client.responses.send({ responsesRequest })
        if (!('output' in answer)) throw new Error('a stream')
        return answer.output.map((item) => (item.type === 'message' ? textOf(item.content) : '')).join('')
      },
      streamed: async () => {
        const events = await client.responses.send({ responsesRequest: { ...responsesRequest, stream: true as const } })
        if (!(Symbol.asyncIterator in events)) throw new Error('no stream')
        const isDelta = (event: { readonly type: string }): event is { type: string; delta: string } =>
          /text\.delta$/.test(event.type) && 'delta' in event
        return joined(mapped(events, (event) => (isDelta(event) ? event.delta : '')))
      },
    }
  },
}

describe.each(Object.entries(CLIENTS))('the client of %s with the base URL of the page', (_, open) => {
  it('has a whole answer', async () => {
    expect(await open().whole()).toMatch(HELLO)
  })

  it('has a streamed answer', async () => {
    expect(await open().streamed()).toMatch(HELLO)
  })

  it('lists the models where the SDK does that', async () => {
    const listed = await openOpenAI().models.list()
    expect(listed.data.map(({ id }) => id)).toContain(MODEL)
    expect((await openOllama().list()).models.map(({ name }) => name)).toContain(MODEL)
  })
})

interface Snippet {
  readonly client: string
  readonly language: string
  readonly text: string
}

const SNIPPETS: readonly Snippet[] = [...PAGE.matchAll(/^<!-- client: (.+) -->\n```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, client = '', language = '', text = '']) => ({ client, language, text }),
)

const python = (program: string, input: string) => spawnSync('python3', ['-c', program], { encoding: 'utf8', input })
const hasPython = (module: string): boolean => python(`import ${module}`, '').status === 0

describe('the snippets of the page', () => {
  it('have every SDK of the table in both languages', () => {
    expect(SNIPPETS.map(({ language, client }) => `${language} ${client}`)).toEqual([
      'py openai',
      'py anthropic',
      'py google.genai',
      'py ollama',
      'js openai',
      'js anthropic',
      'js google',
      'js ollama',
      'js ai-sdk',
      'js openrouter',
    ])
  })

  const filled = ({ text }: Snippet): string =>
    text.replaceAll('http://127.0.0.1:8787', server.url).replaceAll('KEY', KEY)

  it.each(SNIPPETS.filter(({ language }) => language === 'js'))('print the answer: js $client', async (snippet) => {
    expect((await runProgram(filled(snippet))).stdout.trim()).toMatch(HELLO)
  })

  for (const snippet of SNIPPETS.filter(({ language }) => language === 'py')) {
    it.skipIf(!hasPython('ast'))(`have no error of syntax: py ${snippet.client}`, () => {
      const { status, stderr } = python('import ast, sys; ast.parse(sys.stdin.read())', snippet.text)
      expect([status, stderr]).toEqual([0, ''])
    })

    // The server runs in this process, so that nothing may wait for the program with all threads.
    it.skipIf(!hasPython(snippet.client))(`print the answer: py ${snippet.client}`, async () => {
      const { stdout } = await promisify(execFile)('python3', ['-c', filled(snippet)], { timeout: 240_000 })
      expect(stdout.trim()).toMatch(HELLO)
    })
  }
})

/** The clients in Python that stream, with the base URL of the page, a key and the model. */
const PYTHON_STREAMS: Readonly<Record<string, string>> = {
  openai: `from openai import OpenAI
client = OpenAI(base_url=BASE, api_key=KEY)
for event in client.responses.create(model=MODEL, input="Hello!", stream=True):
    if event.type == "response.output_text.delta": print(event.delta, end="")`,
  anthropic: `from anthropic import Anthropic
client = Anthropic(base_url=BASE, api_key=KEY)
with client.messages.stream(model=MODEL, max_tokens=1000, messages=[{"role": "user", "content": "Hello!"}]) as stream:
    for text in stream.text_stream: print(text, end="")`,
  'google.genai': `from google import genai
client = genai.Client(api_key=KEY, http_options={"base_url": BASE})
for chunk in client.models.generate_content_stream(model=MODEL, contents="Hello!"): print(chunk.text or "", end="")`,
  ollama: `from ollama import Client
client = Client(host=BASE, headers={"authorization": f"Bearer {KEY}"})
for chunk in client.chat(model=MODEL, messages=[{"role": "user", "content": "Hello!"}], stream=True):
    print(chunk.message.content, end="")`,
}

const PYTHON_NAMES: Readonly<Record<string, string>> = {
  openai: 'OpenAI SDK',
  anthropic: 'Anthropic SDK',
  'google.genai': 'Google Gen AI',
  ollama: 'Ollama',
}

describe.each(Object.entries(PYTHON_STREAMS))('the Python client %s', (module, program) => {
  it.skipIf(!hasPython(module))('streams with the base URL of the page', async () => {
    const names = `BASE, KEY, MODEL = ${JSON.stringify(baseOf(PYTHON_NAMES[module] ?? ''))}, "${KEY}", "${MODEL}"`
    const { stdout } = await promisify(execFile)('python3', ['-c', `${names}\n${program}`], { timeout: 240_000 })
    expect(stdout.trim()).toMatch(HELLO)
  })
})

describe('the server at its own address', () => {
  const get = (path: string) => fetch(server.url + path, { headers: { authorization: `Bearer ${KEY}` } })

  it.each([
    ['/api/chat/nothing', (body: object) => 'error' in body && typeof body.error === 'string'],
    ['/api/v1/nothing', (body: object) => 'error' in body && typeof body.error === 'object'],
    ['/nothing', (body: object) => 'error' in body && typeof body.error === 'object'],
  ])('refuses %s in the error format of its clients, with all base paths', async (path, isOwn) => {
    const answer = await get(path)
    const body = (await answer.json()) as object
    expect([answer.status, isOwn(body)]).toEqual([404, true])
    expect(JSON.stringify(body)).toContain('Base paths: /v1, /api/v1, /openai/v1; for SDKs of Anthropic')
  })

  it.each(['/models', '/models/x', '/chat'])('has no endpoint at %s', async (path) => {
    expect((await get(path)).status).toBe(404)
  })
})
