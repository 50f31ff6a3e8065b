import { type ChildProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Env } from '../../gateway/config/secrets.ts'

export interface AgentProcess {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Env
  /** Whether the agent has the standard streams of this process, or none. */
  readonly stdio: 'inherit' | 'ignore'
  /** Whether a terminal sends its signals to the agent as well, because both are one group of processes. */
  readonly hasTerminal: boolean
}

/** Signals that a terminal sends to each process of its group. */
const OF_TERMINALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT']
/** Without a handler, SIGUSR1 would open the debugger of Node, and SIGUSR2 would end the server before its agent. */
const OF_PROCESSES: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGUSR1', 'SIGUSR2']

/** A shell's exit code of a program that a signal ended is this number plus that of the signal. */
const SIGNALLED = 128

/**
 * Runs an agent to its end, and forwards signals to it. Resolves with its exit code; rejects with the error of the
 * system if it cannot be started.
 */
export function runAgent({ command, args, env, stdio, hasTerminal }: AgentProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: { ...env }, stdio })
    const release = forwardSignals(child, hasTerminal)
    child.once('error', (error) => {
      release()
      reject(error)
    })
    child.once('exit', (code, signal) => {
      release()
      resolve(signal === null ? (code ?? 0) : SIGNALLED + constants.signals[signal])
    })
  })
}

/** Returns a function that restores the default actions. */
function forwardSignals(child: ChildProcess, hasTerminal: boolean): () => void {
  const forward = (signal: NodeJS.Signals): void => void child.kill(signal)
  // The agent has received this signal, and decides whether it ends. This process waits for it.
  const ignore = (): void => undefined
  const handlers = [
    ...OF_TERMINALS.map((signal) => [signal, hasTerminal ? ignore : forward] as const),
    ...OF_PROCESSES.map((signal) => [signal, forward] as const),
  ]
  for (const [signal, handler] of handlers) process.on(signal, handler)
  return () => {
    for (const [signal, handler] of handlers) process.off(signal, handler)
  }
}
