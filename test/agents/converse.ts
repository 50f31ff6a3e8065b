import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LogLine } from '../../src/gateway/telemetry/log.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { KEY, startGateway, whenDone } from '../host/test-server.ts'
import type { Agent, Setup } from './agent.ts'
import { type Run, runProgram } from './run-process.ts'
import { BEFORE, EDITED, FILES, promptOf, type TaskName } from './scripted-model.ts'
import { type Exchange, startScriptedUpstream } from './scripted-upstream.ts'
import { AGENT_UPSTREAMS } from './upstreams.ts'

/** One prompt to the agent, and all that happened until it ended. */
export interface Prompted {
  readonly task: TaskName | 'compaction'
  readonly run: Run
  readonly exchanges: readonly Exchange[]
  readonly lines: readonly LogLine[]
}

/** A session of an agent over an upstream of a wire. */
export interface Conversation {
  readonly wire: WireName
  readonly agent: Agent
  readonly prompts: readonly Prompted[]
  /** The text of the file that the agent edits, afterwards. */
  readonly edited: string
  /** The words that the files of the agent's folder contain. */
  readonly words: readonly string[]
}

const LONGEST_RUN_MS = 120_000

const randomWord = (): string => `WORD-${Math.random().toString(36).slice(2, 10)}`

/** Opens a home, a folder with the files of the script, and a gateway whose only vendor follows the script. */
export async function openSession(agent: Agent, wire: WireName, config: object = {}) {
  const root = await mkdtemp(join(tmpdir(), 'millrace-agent-'))
  whenDone(() => rm(root, { recursive: true, force: true, maxRetries: 3 }))
  const [home, folder] = [`${root}/home`, `${root}/work`]
  await mkdir(`${home}/tmp`, { recursive: true })
  await mkdir(folder)
  const words = FILES.map(randomWord)
  await writeFile(`${folder}/${EDITED}`, `${BEFORE}\n`)
  await Promise.all(FILES.map((file, at) => writeFile(`${folder}/${file}`, `${words[at]}\n`)))

  const usageOf = (task: TaskName) => (task === 'third' ? { input: agent.fullContext, output: 10 } : undefined)
  const upstream = await startScriptedUpstream(wire, { folder, usageOf })
  whenDone(upstream.close)
  const { vendor, model, wires = {} } = AGENT_UPSTREAMS[wire]
  const vendors = { upstream: { vendor, base_url: upstream.url, key: 'key-of-the-upstream', wires } }
  const models = [{ match: '*', to: [`upstream/${model}`] }]
  // Both gateways open the encrypted reasoning of each other.
  const shared = { vendors, models, encrypted_content_secret: 'a-secret-of-the-tests', ...config }
  const gateway = await startGateway(shared)
  // A gateway that does not retry, so that a failure reaches the agent.
  const impatient = await startGateway({ ...shared, retry: { attempts: 1 } })
  const setup: Setup = { home, folder, url: gateway.url, key: KEY }
  return {
    setup,
    impatientSetup: { ...setup, url: impatient.url },
    upstream,
    words,
    readLines: () => [...gateway.lines, ...impatient.lines].filter(({ event }) => event === 'request'),
  }
}

/** Runs the script: work, a failure with retries, a third turn, a compaction, and a turn after it. */
export async function converse(agent: Agent, wire: WireName, config: object = {}): Promise<Conversation> {
  const { setup, impatientSetup, upstream, words, readLines } = await openSession(agent, wire, config)
  const prompts: Prompted[] = []
  const send = async (task: Prompted['task'], prompt: string, where = setup): Promise<void> => {
    const [exchangesBefore, before] = [upstream.exchanges.length, new Set(readLines())]
    await agent.configure(where)
    const run = await runProgram(agent.commandOf(where, prompt, prompts.length === 0), LONGEST_RUN_MS)
    const exchanges = upstream.exchanges.slice(exchangesBefore)
    prompts.push({ task, run, exchanges, lines: readLines().filter((line) => !before.has(line)) })
  }
  await send('work', promptOf('work'))
  await send('retry', promptOf('retry'), impatientSetup)
  await send('third', promptOf('third'))
  if (agent.compaction !== null) await send('compaction', agent.compaction)
  await send('after', promptOf('after'))
  const edited = await readFile(`${setup.folder}/${EDITED}`, 'utf8')
  return { wire, agent, prompts, edited, words }
}
