import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The runtimes of the packages beside this file, which `main.ts` installs. */
export interface Runtime {
  readonly name: string
  /** The file of its program. */
  readonly program: string
  /** The arguments before the file of a module; null: it runs no files, and has a configuration of its own. */
  readonly args: readonly string[] | null
  /** Null: it is not installed, or does not run on this machine. */
  readonly version: string | null
}

const fileOf = (path: string): string => fileURLToPath(new URL(`node_modules/${path}`, import.meta.url))

function runtime(name: string, path: string, args: Runtime['args']): Runtime {
  const program = fileOf(path)
  const { status, stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  const version = status === 0 ? (/\d[\w.-]*/.exec(stdout)?.[0] ?? '') : null
  if (version === null) console.warn(`NOT TESTED: there is no ${name} here (${program}).`)
  return { name, program, args, version }
}

export const RUNTIMES: readonly Runtime[] = [
  runtime('Node 20', 'node-20/bin/node', []),
  runtime('Node 24', 'node-24/bin/node', []),
  runtime('Node 26', 'node-26/bin/node', []),
  runtime('Bun', '@oven/bun-linux-x64/bin/bun', ['run']),
  runtime('Deno', '@deno/linux-x64-glibc/deno', ['run', '--allow-all', '--quiet', '--node-modules-dir=manual']),
  runtime('workerd', '@cloudflare/workerd-linux-64/bin/workerd', null),
]
