import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { inject } from 'vitest'
import { whenDone } from './test-server.ts'

/** The command line in a process of its own. */
export interface Run {
  readonly child: ChildProcess
  readonly output: () => string
  /** Resolves with its code when it has ended and all of its output is read. */
  readonly exited: Promise<number | null>
}

export function runProgram(args: readonly string[], env: Readonly<Record<string, string>> = {}): Run {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [inject('program'), ...args], { env: { PATH, HOME, ...env } })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (text += String(bytes)))
  // Its last output may arrive after the end of the process.
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve))
  whenDone(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  })
  return { child, output: () => text, exited }
}
