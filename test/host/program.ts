import { type ChildProcess, spawn } from 'node:child_process'
import { inject } from 'vitest'
import { whenDone } from './test-server.ts'

/** The command line in a process of its own. */
export interface Run {
  readonly child: ChildProcess
  readonly output: () => string
  readonly exited: Promise<number | null>
}

export function runProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [inject('program'), ...args], { env: { PATH, HOME, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (text += String(bytes)))
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  whenDone(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, output: () => text, exited }
}
