/**
 * Runs many paced streams for a long time, and checks each answer to its last byte. Upstream, server and client are
 * separate processes on loopback.
 *
 *     npm run soak -- --minutes 10 --streams 2000
 *
 * Writes a JSON line every five seconds, and at the end one with the whole result. Exits with 1 if an answer was bad.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { ask, forkProgram, killAll, nextMessage, spawnNode, usageOf } from '../children.ts'
import { gatewayKey } from '../gateway-key.ts'
import type { Tally } from './client.ts'

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

async function startServer(upstream: string, folder: string): Promise<readonly [child: ChildProcess, url: string]> {
  const config = join(folder, 'config.json')
  const keys = [gatewayKey('soak', KEY)]
  const vendors = { soak: { wire: 'openai-chat', base_url: `${upstream}/v1` } }
  writeFileSync(config, JSON.stringify({ listen: { port: 0 }, keys, vendors }))
  const child = spawnNode([here('../../src/cli/main.js'), 'serve', '--config', config])
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout?.on('data', (bytes: Buffer) => {
      if (output.length > 10_000) return
      output += bytes.toString()
      const [, found] = /"event":"listening","url":"([^"]+)"/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    })
    child.once('exit', () => reject(new Error('the server did not start')))
  })
  return [child, url]
}

const write = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

async function main(folder: string): Promise<void> {
  const upstream = forkProgram(here('upstream.js'), [values['chunk-ms']])
  const [server, url] = await startServer(await nextMessage<string>(upstream), folder)
  const client = forkProgram(here('client.js'), [url, KEY, values.streams])
  await nextMessage<string>(client)

  const began = performance.now()
  const rss: number[] = []
  client.send('start')
  while (performance.now() - began < Number(values.minutes) * 60_000) {
    await sleep(SAMPLE_MS)
    const tally = await ask<Tally>(client, 'report')
    const usage = { server: usageOf(server), upstream: usageOf(upstream), client: usageOf(client) }
    rss.push(Math.round(usage.server.rss))
    write({ seconds: Math.round((performance.now() - began) / 1000), ...tally, usage })
  }
  const result = await ask<Tally>(client, 'stop')
  write({ result, rss: { first: rss[1] ?? rss[0], last: rss.at(-1), most: Math.max(...rss) } })
  if (result.bad.length > 0) process.exitCode = 1
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-soak-'))
try {
  await main(folder)
} finally {
  killAll()
  rmSync(folder, { recursive: true })
}
