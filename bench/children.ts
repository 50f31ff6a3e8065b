/** The processes of a benchmark, which end with it. */
import { type ChildProcess, type ForkOptions, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'

const children: ChildProcess[] = []

/** All processes of this file end when the benchmark ends. */
export function killAll(): void {
  for (const child of children) child.kill('SIGKILL')
}

process.on('exit', killAll)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

function keep(child: ChildProcess): ChildProcess {
  children.push(child)
  return child
}

/** Starts a program of Node that sends messages. */
export const forkProgram = (file: string, words: readonly string[] = [], options: ForkOptions = {}): ChildProcess =>
  keep(fork(file, words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], ...options }))

/** Starts a program of Node whose output is read, or dropped. */
export const spawnNode = (words: readonly string[], output: 'pipe' | 'ignore' = 'pipe'): ChildProcess =>
  keep(spawn(process.execPath, words, { stdio: ['ignore', output, output === 'pipe' ? 'inherit' : 'ignore'] }))

/** Starts an installed program. Rejects with an Error that names its package if there is none. */
export async function spawnInstalled(
  program: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<ChildProcess> {
  const paths = `${process.env.PATH}:/usr/sbin:/usr/local/sbin`
  const child = keep(spawn(program, words, { env: { ...env, PATH: paths }, stdio: ['ignore', 'ignore', 'inherit'] }))
  await once(child, 'spawn').catch(() => {
    throw new Error(`There is no ${program} on this machine. Install the package of this name.`)
  })
  return child
}

/** Rejects with an Error if the process ends first. */
export function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error(`${child.spawnargs[1]} has ended`))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as Message)
    })
  })
}

/** Sends a question, and resolves with the next message. */
export function ask<Message>(child: ChildProcess, question: string | object): Promise<Message> {
  const answer = nextMessage<Message>(child)
  child.send(question)
  return answer
}

/** Resident MiB and seconds of processor time of a process, from Linux's /proc. */
export function usageOf({ pid }: ChildProcess): { readonly rss: number; readonly cpu: number } {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { rss: Number(kilobytes) / 1024, cpu: (Number(fields[11]) + Number(fields[12])) / 100 }
}
