import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, request as openRequest, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import zlib from 'node:zlib'
import type { WireName } from '../../src/wires/contract.ts'
import { whenDone } from '../host/test-server.ts'
import type { Agent } from './agent.ts'
import { openSession } from './converse.ts'
import { runProgram } from './run-process.ts'
import { type Cell, lossesIn, pathsIn } from './scenarios.ts'
import { AFTER, EDITED, PICTURE, promptOf, type TaskName } from './scripted-model.ts'
import type { Exchange } from './scripted-upstream.ts'

/** One feature of an agent: a session with one prompt. */
export interface Feature {
  readonly task: TaskName
  readonly config?: object
  /** Left out: those whose upstreams differ most. */
  readonly wires?: readonly WireName[]
  /** Whether this runtime has what the feature needs. Left out: yes. */
  readonly isPossible?: boolean
  /** Returns what is missing in the session; null if nothing is. */
  check(session: FeatureSession): string | null
}

export interface FeatureSession {
  readonly exchanges: readonly Exchange[]
  /** The words of the folder's files, then those of the MCP server and of the web page. */
  readonly words: readonly string[]
  readonly printed: string
  /** The text of the file that the agent edits, afterwards. */
  readonly edited: string
  /** The content codings of the bodies that the agent sent. */
  readonly codings: readonly string[]
}

const MCP_SERVER = fileURLToPath(new URL('mcp-server.mjs', import.meta.url))
const LONGEST_RUN_MS = 120_000

const bodyOf = ({ body }: Exchange): string => JSON.stringify(body)
const lastOf = ({ exchanges }: FeatureSession, task: TaskName): Exchange | undefined =>
  exchanges.findLast((exchange) => exchange.task === task)
const lacks = (text: string, ...words: readonly (string | undefined)[]): boolean =>
  words.some((word) => word === undefined || !text.includes(word))

export const FEATURES = {
  'sub-agent': {
    task: 'delegate',
    check(session) {
      const { words, printed } = session
      if (lastOf(session, 'child') === undefined) return 'the sub-agent has not received its task'
      const parent = lastOf(session, 'delegate')
      if (parent === undefined || lacks(bodyOf(parent), words[0])) return 'the parent has not received the result'
      return lacks(printed, words[0]) ? 'the result was not printed' : null
    },
  },
  MCP: {
    task: 'mcp',
    check(session) {
      const last = lastOf(session, 'mcp')
      const { words, printed } = session
      if (last === undefined || lacks(bodyOf(last), words[3])) return 'the text of a tool has not reached the upstream'
      if (lacks(bodyOf(last), words[4])) return 'the failure of a tool has not reached the upstream'
      if (lacks(bodyOf(last), 'odd: ')) return 'the tool with the unusual schema was not called'
      if (lacks(bodyOf(last), PICTURE_START)) return 'the picture has not reached the upstream'
      return lacks(printed, words[3]) ? 'the text was not printed' : null
    },
  },
  picture: {
    task: 'look',
    check(session) {
      const last = lastOf(session, 'look')
      return last === undefined || lacks(bodyOf(last), PICTURE_START)
        ? 'the picture has not reached the upstream'
        : null
    },
  },
  'web search': {
    task: 'search',
    // Upstreams without a search of their own.
    wires: ['bedrock-converse', 'cohere-chat', 'ollama-chat'],
    check(session) {
      const { words, printed } = session
      const last = lastOf(session, 'search')
      if (last === undefined || lacks(bodyOf(last), words[5])) return 'the page has not reached the upstream'
      return lacks(printed, words[5]) ? 'the words of the page were not printed' : null
    },
  },
  'compressed bodies': {
    task: 'work',
    // Bodies are not compressed over WebSocket.
    config: { mounts: [{ path: '/openai/v1', dialect: 'openai', websocket: false }] },
    isPossible: 'createZstdDecompress' in zlib,
    check({ codings, words, printed }) {
      if (codings.length === 0) return 'no body was compressed'
      return lacks(printed, ...words.slice(0, 3)) ? 'the words of the files were not printed' : null
    },
  },
  'printed settings': {
    task: 'work',
    check({ words, printed, edited }) {
      if (edited.trim() !== AFTER) return `the file contains ${JSON.stringify(edited)}`
      return lacks(printed, ...words.slice(0, 3)) ? 'the words of the files were not printed' : null
    },
  },
  'silent upstream': {
    task: 'silence',
    config: { keep_alive_seconds: 1 },
    check: ({ printed }) => (lacks(printed, 'done: silence') ? 'the turn was given up' : null),
  },
} satisfies Record<string, Feature>

const WIRES: readonly WireName[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini-generate']

export const wiresOf = (name: FeatureName): readonly WireName[] => {
  const { wires = WIRES }: Feature = FEATURES[name]
  return wires
}

export const isPossible = (name: FeatureName): boolean => {
  const feature: Feature = FEATURES[name]
  return feature.isPossible ?? true
}

export type FeatureName = keyof typeof FEATURES

/** The beginning of each PNG file in base64; agents may write their pictures anew. */
const PICTURE_START = 'iVBORw0KGgo'

/** A search engine with one page. */
const startEngine = (word: string): Promise<string> =>
  startServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' })
    const page = { url: 'https://mills.example/', title: 'Mills', text: `The page has ${word}.` }
    response.end(JSON.stringify({ results: [page] }))
  })

/** Forwards to a gateway, and adds the content coding of each body to `codings`. */
const startProxy = (target: string, codings: string[]): Promise<string> =>
  startServer((request, response) => {
    const { method = 'GET', headers, url = '/' } = request
    const coding = headers['content-encoding']
    if (coding !== undefined) codings.push(coding)
    const forwarded = openRequest(`${target}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    response.on('close', () => forwarded.destroy())
    request.pipe(forwarded)
  })

async function startServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  whenDone(async () => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Runs one session over an upstream of this wire. */
export async function runFeature(agent: Agent, name: FeatureName, wire: WireName): Promise<Cell> {
  const feature: Feature = FEATURES[name]
  const page = 'WORD-of-the-page'
  const search = { engine: 'exa', base_url: await startEngine(page), key: 'key-of-the-engine' }
  const { setup, upstream, words, readLines } = await openSession(agent, wire, { search, ...feature.config })
  await writeFile(`${setup.folder}/picture.png`, Buffer.from(PICTURE, 'base64'))
  const own = ['WORD-of-a-tool', 'WORD-of-a-failure'] as const
  const codings: string[] = []
  const url = name === 'compressed bodies' ? await startProxy(setup.url, codings) : setup.url
  const where = { ...setup, url, mcp: [process.execPath, MCP_SERVER, own[0], PICTURE, own[1]] }
  await agent.configure(where)
  const run = await runProgram(agent.commandOf(where, promptOf(feature.task), true), LONGEST_RUN_MS)
  const edited = await readFile(`${setup.folder}/${EDITED}`, 'utf8')
  const session = {
    exchanges: upstream.exchanges,
    words: [...words, ...own, page],
    printed: run.stdout,
    edited,
    codings,
  }
  const problem = feature.check(session)
  const lines = readLines()
  const failed = lines.flatMap(({ method, path, status, error }) =>
    status === 200 ? [] : [`${method} ${path}: ${status} ${error}`],
  )
  const end = `exit code ${run.code}: ${(run.stderr || run.stdout).replace(/\s+/g, ' ').slice(-600)}`
  return {
    requests: lines.length,
    paths: pathsIn(lines),
    losses: lossesIn(lines),
    problems: problem === null ? {} : { [name]: `${problem}; ${failed.join(', ')}; ${end}` },
  }
}
