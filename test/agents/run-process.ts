import { spawn } from 'node:child_process'

export interface Run {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** From the start of the program to its end. */
  readonly ms: number
  /** What the standard output received, with the time since the start. */
  readonly written: readonly { readonly ms: number; readonly text: string }[]
}

export interface Command {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly folder: string
}

/** Runs a program to its end. A program that takes longer than `longest` ms is ended, with all that it started. */
export function runProgram({ program, args, env, folder }: Command, longest: number): Promise<Run> {
  const startedAt = performance.now()
  const child = spawn(program, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const written: { ms: number; text: string }[] = []
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written.push({ ms: performance.now() - startedAt, text })
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // The process leads a group of its own, which contains the servers and shells that it starts.
  const endGroup = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The group has ended.
    }
  }
  const timer = setTimeout(endGroup, longest)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => endGroup())
    child.once('close', (code) => {
      clearTimeout(timer)
      const stdout = written.map(({ text }) => text).join('')
      resolve({ code, stdout, stderr, ms: performance.now() - startedAt, written })
    })
  })
}
