import { fileURLToPath } from 'node:url'
import type { Command } from './run-process.ts'

/** Where an agent runs: a home of its own, a folder to work in, and the gateway. */
export interface Setup {
  readonly home: string
  readonly folder: string
  /** The root of the gateway, without a slash at its end. */
  readonly url: string
  readonly key: string
  /** The program of an MCP server with its arguments. Left out: none. */
  readonly mcp?: readonly string[]
}

export interface Agent {
  /** As the table of the documentation names it. */
  readonly title: string
  /** The path of its program. */
  readonly program: string
  /** Writes the agent's configuration into its home. */
  configure(setup: Setup): Promise<void>
  /** The program with its arguments for a prompt. `isFirst`: whether the prompt begins a session. */
  commandOf(setup: Setup, prompt: string, isFirst: boolean): Command
  /** How its requests arrive, as the log names it. */
  readonly method: 'POST' | 'WS'
  /** The prompt that compacts the conversation; null if the agent does that itself, by the tokens of an answer. */
  readonly compaction: string | null
  /** What of an upstream's reasoning the agent sends back: its signature, and its text where it has no signature. */
  readonly returned: readonly ('signatures' | 'text')[]
  /** Input tokens of an answer after which the agent compacts. */
  readonly fullContext: number
}

/** The folder of the packages: `--latest` has one of its own (`main.ts`). */
const MODULES = `${process.env.AGENTS ?? fileURLToPath(new URL('.', import.meta.url))}/node_modules/`

/** The path of a file of an installed package. */
export const installed = (file: string): string => `${MODULES}${file}`

/** The platform as npm's packages name it. */
export const PLATFORM = `${process.platform}-${process.arch}`

/** An environment without anything of the user, in which every address but loopback is refused. */
export const environmentOf = ({ home }: Setup): Readonly<Record<string, string>> => ({
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  HOME: home,
  USERPROFILE: home,
  XDG_CONFIG_HOME: `${home}/.config`,
  XDG_DATA_HOME: `${home}/.local/share`,
  XDG_STATE_HOME: `${home}/.local/state`,
  XDG_CACHE_HOME: `${home}/.cache`,
  TMPDIR: `${home}/tmp`,
  TERM: 'dumb',
  LANG: 'C.UTF-8',
  CI: '1',
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
})

const SDK_SESSION = fileURLToPath(new URL('programs/sdk-session.mjs', import.meta.url))

/** A prompt of a session of an agent's library. */
export const sdkSession = (
  name: 'claude' | 'codex',
  library: string,
  program: string,
  prompt: string,
  isFirst: boolean,
  options: object = {},
): Pick<Command, 'program' | 'args'> => ({
  program: process.execPath,
  args: [SDK_SESSION, name, library, program, prompt, isFirst ? 'first' : 'next', JSON.stringify(options)],
})
