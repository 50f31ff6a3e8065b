import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AGENTS } from '../../src/cli/launch/agents.ts'
import { type LaunchOptions, launch } from '../../src/cli/launch/launch.ts'
import { whenDone } from '../host/test-server.ts'
import { collecting } from './run-command.ts'

const PROGRAM = fileURLToPath(new URL('fake-agent.mjs', import.meta.url))

/** What a fake agent received. */
export interface FakeReport {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** The status of the metrics without a key. */
  readonly metrics: number
  /** For each request one with the key and one without. */
  readonly answers: readonly { readonly url: string; readonly status: number; readonly text: string }[]
}

/** A folder with fake agents, a home of the user, and the environment in which they are found. */
export interface FakeAgents {
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
  readonly home: string
  report(): Promise<FakeReport>
  /** The lines of the report file after the report. */
  signals(): Promise<readonly string[]>
}

export async function createFakeAgents(): Promise<FakeAgents> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-'))
  whenDone(() => rm(folder, { recursive: true }))
  const [home, programs, file] = [join(folder, 'home'), join(folder, 'programs'), join(folder, 'report')]
  await Promise.all([mkdir(home), mkdir(programs)])
  await Promise.all([...AGENTS.keys()].map((name) => symlink(PROGRAM, join(programs, name))))
  const lines = async (): Promise<readonly string[]> =>
    existsSync(file) ? (await readFile(file, 'utf8')).trimEnd().split('\n') : []
  return {
    env: { PATH: `${programs}:${dirname(process.execPath)}`, HOME: home, FAKE_REPORT: file },
    folder,
    home,
    report: async () => JSON.parse((await lines())[0] ?? ''),
    signals: async () => (await lines()).slice(1),
  }
}

export const filesIn = (folder: string): Promise<readonly string[]> => readdir(folder, { recursive: true })

export interface Launched {
  readonly code: number
  readonly complaint: string
  readonly agents: FakeAgents
}

export type Variables = Readonly<Record<string, string>>

/** Launches a fake agent in this process. `config`: the text of the configuration file. The log is in the folder. */
export async function launchFake(
  name: string | undefined,
  options: LaunchOptions,
  variables: Variables = {},
  args: readonly string[] = [],
  config?: string,
): Promise<Launched> {
  const agents = await createFakeAgents()
  const [file, log] = [join(agents.folder, 'millrace.json'), join(agents.folder, 'log')]
  if (config !== undefined) await writeFile(file, config)
  const { stream: stderr, text } = collecting()
  const env = { ...agents.env, ...(config === undefined ? {} : { MILLRACE_CONFIG: file }), ...variables }
  const code = await launch(name, args, { log, ...options }, { stderr, env, stdio: 'ignore', hasTerminal: false })
  return { code, complaint: text(), agents }
}
