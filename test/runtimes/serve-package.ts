import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { waitUntil, whenDone } from '../host/test-server.ts'
import { type Behaviour, type MockUpstream, startMockUpstream } from '../mock-upstreams/server.ts'
import type { Runtime } from './runtimes.ts'

/** The key of clients of a server in a process. */
export const PACKAGE_KEY = 'key-of-a-server-elsewhere'
export const PACKAGE_HEADERS = { authorization: `Bearer ${PACKAGE_KEY}` }

/** A server of the package, as a process of a runtime. */
export interface ServedPackage {
  readonly child: ChildProcess
  readonly exited: Promise<[number | null, NodeJS.Signals | null]>
  /** A URL, or `unix:` with a path. */
  readonly url: string
  /** All lines of its log. */
  output(): string
}

/** An empty folder, which is removed after the test. */
export async function openFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-runtime-'))
  whenDone(() => rm(folder, { recursive: true }))
  return folder
}

/** Starts `serve` with this configuration, and ends it after the test. `variables`: besides the key of clients. */
export async function servePackage(
  { program, args }: Runtime,
  config: object,
  variables: Readonly<Record<string, string>> = {},
): Promise<ServedPackage> {
  const file = join(await openFolder(), 'config.json')
  await writeFile(file, JSON.stringify({ listen: { port: 0 }, ...config }))
  const { PATH = '', HOME = '' } = process.env
  const main = join(inject('room'), 'node_modules/millrace/dist/cli/main.js')
  const child = spawn(program, [...(args ?? []), main, 'serve', '--config', file], {
    cwd: inject('room'),
    env: { PATH, HOME, MILLRACE_DEV_KEY: PACKAGE_KEY, ...variables },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // Its last output may arrive after the end of the process.
  const exited = once(child, 'close') as ServedPackage['exited']
  whenDone(async () => {
    child.kill('SIGKILL')
    await exited
  })
  let output = ''
  child.stdout.on('data', (bytes) => (output += String(bytes)))
  const urlOf = (): string => /millrace listens on (\S+)/.exec(output)?.[1] ?? ''
  await waitUntil(() => urlOf() !== '' || child.exitCode !== null, 'the server')
  if (urlOf() === '') throw new Error(`the server has not started: ${output}`)
  return { child, exited, url: urlOf(), output: () => output }
}

/** Starts `serve` with one vendor, `acme`, whose upstream behaves like this. */
export async function serveWithUpstream(
  runtime: Runtime,
  behave: Behaviour,
  config: object = {},
): Promise<ServedPackage & { readonly upstream: MockUpstream }> {
  const upstream = await startMockUpstream(behave)
  whenDone(upstream.close)
  const vendors = { acme: { wire: 'openai-chat', base_url: upstream.url } }
  return { ...(await servePackage(runtime, { vendors, ...config })), upstream }
}
