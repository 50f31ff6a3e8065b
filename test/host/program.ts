import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { whenDone } from './test-server.ts'

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

/** The command line in a process of its own. */
export interface Run {
  readonly child: ChildProcess
  readonly output: () => string
  readonly exited: Promise<number | null>
}

/** `bundle`: a file of `bundleProgram`, which starts quickly. Default: the sources. */
export function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  bundle: string | null = null,
): Run {
  const { PATH = '', HOME = '' } = process.env
  const program = bundle === null ? ['--import', 'tsx', MAIN] : [bundle]
  const child = spawn(process.execPath, [...program, ...args], { env: { PATH, HOME, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (text += String(bytes)))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  whenDone(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, output: () => text, exited }
}
