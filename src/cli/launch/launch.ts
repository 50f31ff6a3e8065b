import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { REPLAY } from '../../gateway/config/checks.ts'
import type { ConfigInput } from '../../gateway/config/config.ts'
import { type Env, readVariable } from '../../gateway/config/secrets.ts'
import type { Log } from '../../gateway/telemetry/log.ts'
import { type RunningServer, start } from '../../host/start.ts'
import { configPath, readConfigFile } from '../config-file.ts'
import { unknownName } from '../names.ts'
import type { Streams } from '../streams.ts'
import type { Agent, AgentSession } from './agent.ts'
import { AGENTS } from './agents.ts'
import { openLogFile } from './log-file.ts'
import { planModels } from './plan-models.ts'
import { PRINTED_SETTINGS } from './printed-settings.ts'
import { type AgentProcess, runAgent } from './run-agent.ts'
import { toSessionConfig } from './session-config.ts'
import { createTally } from './tally.ts'

export interface LaunchContext extends Pick<AgentProcess, 'stdio' | 'hasTerminal'> {
  readonly stderr: Streams['stderr']
  readonly env: Env
}

/** The options of the command; their help has the meanings. */
export interface LaunchOptions {
  readonly model?: string
  readonly config?: string
  readonly log?: string
}

const PROXIES: readonly string[] = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
const EXCEPTIONS: readonly string[] = ['NO_PROXY', 'no_proxy']

/** The environment of the agent: the user's own, with the variables that direct the agent to the server. */
function toChildEnv(env: Env, agent: Agent, session: AgentSession): Env {
  const kept = Object.entries(env).filter(([name]) => !agent.removed.includes(name))
  return { ...Object.fromEntries(kept), ...withoutProxy(env), ...agent.env(session) }
}

/** A proxy of the user cannot reach this machine's loopback address. */
function withoutProxy(env: Env): Env {
  if (PROXIES.every((name) => (env[name] ?? '') === '')) return {}
  const hosts = EXCEPTIONS.map((name) => env[name] ?? '').find((list) => list !== '')
  const list = [...(hosts === undefined ? [] : [hosts]), '127.0.0.1'].join(',')
  return Object.fromEntries(EXCEPTIONS.map((name) => [name, list]))
}

/** The member of the settings of Gemini CLI, whose file has comments. */
const LOGIN = /"selectedType"\s{0,9}:\s{0,9}"([\w-]+)"/

const readText = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => '')

/** Reads the kind of login that the agent's own settings choose: those of this folder before those of the user. */
async function readLogin({ loginFile }: Pick<Agent, 'loginFile'>, env: Env): Promise<string | null> {
  if (loginFile === undefined) return null
  const home = readVariable(env, 'GEMINI_CLI_HOME') || readVariable(env, 'HOME') || homedir()
  const texts = await Promise.all([resolve(loginFile), join(home, loginFile)].map(readText))
  return texts.map((text) => LOGIN.exec(text)?.[1]).find((login) => login !== undefined) ?? null
}

/** The message for an unknown agent: all names, and those that are only printed. */
function unknownAgent(name: string): string {
  const all = [...PRINTED_SETTINGS.keys()]
  const printed = all.filter((one) => !AGENTS.has(one))
  return `${unknownName('launch', name, all)} For ${printed.join(', ')}, add --print: launch shows their settings, and does not start them.`
}

/**
 * Runs a coding agent on a server of its own, and prints usage, losses and failures on the standard error at the end.
 * Resolves with the exit code of the agent; rejects with an Error that names the remedy if the launch is not possible.
 * `args`: the arguments of the agent.
 */
export async function launch(
  name: string | undefined,
  args: readonly string[],
  options: LaunchOptions,
  { stderr, env, stdio, hasTerminal }: LaunchContext,
): Promise<number> {
  if (name === undefined)
    throw new Error(`launch: the agent is missing. Expected one of: ${[...AGENTS.keys()].join(', ')}.`)
  if (PRINTED_SETTINGS.has(name) && !AGENTS.has(name))
    throw new Error(`launch: ${name} is not started by this command. Print its settings: launch --print ${name}.`)
  const agent = AGENTS.get(name)
  if (agent === undefined) throw new Error(unknownAgent(name))
  const read = await readConfigFile(configPath(options.config, env))
  // A user who names a recording has decided.
  const config = options.model?.startsWith(`${REPLAY}/`) ? { ...read, recordings: read.recordings ?? true } : read
  const plan = await planModels(agent, config, env, options.model)
  for (const hint of plan.hints) stderr.write(`millrace: ${hint}\n`)
  const key = `mr-launch-${randomBytes(32).toString('hex')}`
  const login = await readLogin(agent, env)
  const tally = createTally()
  const run = ({ url, vendors }: RunningServer): Promise<number> => {
    const session = { url, key, model: plan.model, vendors, login }
    return runAgent({
      command: agent.name,
      args: [...agent.args(session), ...args],
      env: toChildEnv(env, agent, session),
      stdio,
      hasTerminal,
    }).catch((error: NodeJS.ErrnoException) => {
      throw new Error(whyNotStarted(agent, error))
    })
  }
  // The terminal may be gone at the end, which the agent's exit code already shows.
  const write = (text: string): void => {
    stderr.on('error', () => undefined)
    stderr.write(text)
  }
  const code = await withServer(
    toSessionConfig(config, plan, key, env),
    { env, file: options.log, log: tally.log, onUnwritten: (message) => write(`millrace: ${message}\n`) },
    run,
  )
  write(tally.report(agent))
  return code
}

interface ServerContext {
  readonly env: Env
  readonly log: Log
  /** The path of a file that receives the log as well. */
  readonly file: string | undefined
  /** Called if the file lacks lines, which does not change the exit code of the agent. */
  readonly onUnwritten: (message: string) => void
}

/** Runs a server for as long as `use` takes. */
async function withServer(
  config: ConfigInput,
  { env, log, file, onUnwritten }: ServerContext,
  use: (running: RunningServer) => Promise<number>,
): Promise<number> {
  const logFile = file === undefined ? null : await openLogFile(file)
  try {
    const running = await start(config, {
      env,
      log(line) {
        log(line)
        logFile?.log(line)
      },
    })
    try {
      return await use(running)
    } finally {
      await running.drain()
    }
  } finally {
    const missing = (await logFile?.close()) ?? null
    if (missing !== null) onUnwritten(missing)
  }
}

const whyNotStarted = (agent: Agent, { code = 'unknown error' }: NodeJS.ErrnoException): string =>
  code === 'ENOENT'
    ? `${agent.name} is not in PATH. Install it: npm install --global ${agent.package}`
    : `${agent.name} cannot be started (${code}). Check the program that PATH has under this name.`
