import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { WireName } from '../../src/wires/contract.ts'
import { whenDone } from '../host/test-server.ts'
import type { Agent } from './agent.ts'
import { openSession } from './converse.ts'
import { runProgram } from './run-process.ts'
import { type Cell, lossesIn, pathsIn } from './scenarios.ts'
import { PICTURE, promptOf, type TaskName } from './scripted-model.ts'
import type { Exchange } from './scripted-upstream.ts'

/** One feature of an agent: a session with one prompt. */
export interface Feature {
  readonly task: TaskName
  readonly config?: object
  /** Left out: those whose upstreams differ most. */
  readonly wires?: readonly WireName[]
  /** Returns what is missing in the session; null if nothing is. */
  check(session: FeatureSession): string | null
}

export interface FeatureSession {
  readonly exchanges: readonly Exchange[]
  /** The words of the folder's files, then those of the MCP server and of the web page. */
  readonly words: readonly string[]
  readonly printed: string
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

export type FeatureName = keyof typeof FEATURES

/** The beginning of each PNG file in base64; agents may write their pictures anew. */
const PICTURE_START = 'iVBORw0KGgo'

/** A search engine with one page. */
async function startEngine(word: string): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'application/json' })
    const page = { url: 'https://mills.example/', title: 'Mills', text: `The page has ${word}.` }
    response.end(JSON.stringify({ results: [page] }))
  })
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
  const where = { ...setup, mcp: [process.execPath, MCP_SERVER, own[0], PICTURE, own[1]] }
  await agent.configure(where)
  const run = await runProgram(agent.commandOf(where, promptOf(feature.task), true), LONGEST_RUN_MS)
  const session = { exchanges: upstream.exchanges, words: [...words, ...own, page], printed: run.stdout }
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
