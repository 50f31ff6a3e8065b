/**
 * Runs many paced streams for a long time, and checks each answer to its last byte. Upstream, server and client are
 * separate processes on loopback.
 *
 *     npm run soak -- --minutes 10 --streams 2000
 *
 * Writes a JSON line every five seconds, and at the end one with the whole result. Exits with 1 if an answer was bad.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Tally } from './soak-client.ts'

const KEY = 'soak-key-of-nobody'
const SAMPLE_MS = 5_000

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    streams: { type: 'string', default: '2000' },
    'chunk-ms': { type: 'string', default: '250' },
  },
})

const next = <Message>(child: ChildProcess): Promise<Message> =>
  new Promise((resolve, reject) => {
    const onExit = (): void => reject(new Error('a process has ended'))
    child.once('exit', onExit)
    child.once('message', (message) => {
      child.off('exit', onExit)
      resolve(message as Message)
    })
  })

async function startServer(upstream: string, folder: string): Promise<readonly [child: ChildProcess, url: string]> {
  const config = join(folder, 'config.json')
  const keys = [{ name: 'soak', sha256: createHash('sha256').update(KEY).digest('hex') }]
  const vendors = { soak: { wire: 'openai-chat', base_url: `${upstream}/v1` } }
  writeFileSync(config, JSON.stringify({ listen: { port: 0 }, keys, vendors }))
  const child = spawn(process.execPath, [here('../src/cli/main.js'), 'serve', '--config', config], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (bytes: Buffer) => {
      if (output.length > 10_000) return
      output += bytes.toString()
      const [, found] = /"event":"listening","url":"([^"]+)"/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error('the server did not start')))
  })
  return [child, url]
}

/** Resident MiB and seconds of processor time of a process, from Linux's /proc. */
function usageOf({ pid }: ChildProcess): { readonly rss: number; readonly cpu: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(status) ?? []
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { rss: Math.round(Number(kilobytes) / 1024), cpu: (Number(fields[11]) + Number(fields[12])) / 100 }
}

const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

async function main(children: ChildProcess[], folder: string): Promise<void> {
  const upstream = fork(here('soak-upstream.js'), [values['chunk-ms']])
  children.push(upstream)
  const [server, url] = await startServer(await next<string>(upstream), folder)
  children.push(server)
  const client = fork(here('soak-client.js'), [url, KEY, values.streams])
  children.push(client)
  await next<string>(client)

  const request = (question: string): Promise<Tally> => {
    const answer = next<Tally>(client)
    client.send(question)
    return answer
  }
  const began = performance.now()
  const rss: number[] = []
  client.send('start')
  while (performance.now() - began < Number(values.minutes) * 60_000) {
    await sleep(SAMPLE_MS)
    const tally = await request('report')
    const usage = { server: usageOf(server), upstream: usageOf(upstream), client: usageOf(client) }
    rss.push(usage.server.rss)
    write({ seconds: Math.round((performance.now() - began) / 1000), ...tally, usage })
  }
  const result = await request('stop')
  write({ result, rss: { first: rss[1] ?? rss[0], last: rss.at(-1), most: Math.max(...rss) } })
  if (result.bad.length > 0) process.exitCode = 1
}

const children: ChildProcess[] = []
const folder = mkdtempSync(join(tmpdir(), 'millrace-soak-'))
try {
  await main(children, folder)
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
}
