import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { waitUntil } from '../host/test-server.ts'
import type { Runtime } from './runtimes.ts'
import { WORKER_BUNDLE } from './worker-bundle.ts'

/** What a worker receives: the configuration of the gateway as `CONFIG`, and variables of keys. */
export type WorkerEnv = Readonly<Record<string, string | object>>

/** A runtime that serves `programs/worker.mjs`. */
export interface ServedWorker {
  readonly url: string
  /** What the process has written on both outputs. */
  output(): string
  close(): Promise<void>
}

/** The configuration of workerd: one worker, whose upstreams may be on loopback. */
const workerdConfig = (env: WorkerEnv): string => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "loopback", network = (allow = ["local", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.bundle.mjs")],
  compatibilityDate = "2026-11-01",
  globalOutbound = "loopback",
  bindings = [${Object.entries(env)
    .map(([name, value]) => {
      const kind = typeof value === 'string' ? 'text' : 'json'
      return `(name = "${name}", ${kind} = ${JSON.stringify(kind === 'text' ? value : JSON.stringify(value))})`
    })
    .join(', ')}],
);
`

async function startWorkerd(program: string, room: string, env: WorkerEnv): Promise<ChildProcess> {
  const folder = mkdtempSync(join(room, 'workerd-'))
  const outfile = join(folder, 'worker.bundle.mjs')
  await build({ ...WORKER_BUNDLE, entryPoints: [join(room, 'worker.mjs')], outfile, logLevel: 'error' })
  const file = join(folder, 'config.capnp')
  writeFileSync(file, workerdConfig(env))
  return spawn(program, ['serve', '--control-fd=1', file], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
}

function startProgram({ program, args }: Runtime, room: string, env: WorkerEnv): ChildProcess {
  const { PATH = '', HOME = '' } = process.env
  return spawn(program, [...(args ?? []), 'serve.mjs'], {
    cwd: room,
    env: { PATH, HOME, WORKER_ENV: JSON.stringify(env) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** Serves the worker in a process of the runtime. `room`: the folder with the package and the programs. */
export async function serveWorker(runtime: Runtime, room: string, env: WorkerEnv): Promise<ServedWorker> {
  const child =
    runtime.args === null ? await startWorkerd(runtime.program, room, env) : startProgram(runtime, room, env)
  const exited = once(child, 'exit')
  let output = ''
  child.stdout?.on('data', (bytes) => (output += String(bytes)))
  child.stderr?.on('data', (bytes) => (output += String(bytes)))
  const portOf = (): string => /^port (\d+)|"port":(\d+)/m.exec(output)?.slice(1).join('') ?? ''
  await waitUntil(() => portOf() !== '' || child.exitCode !== null, 'the port of the worker')
  if (portOf() === '') throw new Error(`${runtime.name} has not started: ${output}`)
  return {
    url: `http://127.0.0.1:${portOf()}`,
    output: () => output,
    async close() {
      child.kill('SIGKILL')
      await exited
    },
  }
}
