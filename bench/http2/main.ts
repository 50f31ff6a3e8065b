/**
 * Compares HTTP/2 with HTTP/1.1 to an upstream over TLS, both by undici: processor time a chunk, time to the head of an
 * answer, delay of chunks, number of connections. The protocols take turns; each figure is the median of the rounds, and
 * the ratio is that of HTTP/2 to HTTP/1.1 in the same round. `npm run bench:http2`; needs the program `openssl`.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { median } from '../measure.ts'
import type { Measurement, Protocol, Round } from './client.ts'

const ROUNDS = 5
const LOADS: Readonly<Record<string, Round>> = {
  'one request': { streams: 1, chunks: 1, chunkMs: 0 },
  '200 streams, 10 chunks/s': { streams: 200, chunks: 30, chunkMs: 100 },
  '200 streams, as fast as possible': { streams: 200, chunks: 100, chunkMs: 0 },
}
const PROTOCOLS: readonly Protocol[] = ['HTTP/1.1', 'HTTP/2']

interface Figures {
  readonly cpuAChunk: number
  readonly head: number
  readonly delay: number
  readonly lateDelay: number
}

const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0

const children: ChildProcess[] = []

async function start(name: string, args: readonly string[]): Promise<{ child: ChildProcess; first: string }> {
  const options = { serialization: 'advanced' } as const
  const child = fork(fileURLToPath(new URL(name, import.meta.url)), args, options)
  children.push(child)
  const [first] = await once(child, 'message')
  return { child, first }
}

/** Rejects if the process ends. */
async function ask<Answer>(child: ChildProcess, question: unknown): Promise<Answer> {
  const ending = new AbortController()
  const { signal } = ending
  const ended = once(child, 'exit', { signal }).then(() => {
    throw new Error('a process has ended')
  })
  ended.catch(() => undefined)
  child.send(question as object)
  const [answer] = await Promise.race([once(child, 'message', { signal }), ended])
  ending.abort()
  return answer
}

const figuresOf = ({ cpuAChunk, heads, delays }: Measurement): Figures => ({
  cpuAChunk,
  head: quantile(heads, 0.5),
  delay: quantile(delays, 0.5),
  lateDelay: quantile(delays, 0.99),
})

const folder = mkdtempSync(join(tmpdir(), 'millrace-http2-'))
try {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
  execFileSync('openssl', [...request, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const upstream = await start('upstream.js', [cert, key])
  for (const [load, round] of Object.entries(LOADS)) {
    const found: Record<Protocol, Figures[]> = { 'HTTP/1.1': [], 'HTTP/2': [] }
    const clients = await Promise.all(PROTOCOLS.map((protocol) => start('client.js', [upstream.first, protocol])))
    // The first round opens the connections and compiles the code.
    for (let n = -1; n < ROUNDS * (round.streams === 1 ? 40 : 1); n += 1) {
      for (const [at, protocol] of PROTOCOLS.entries()) {
        const { child } = clients[at] as { readonly child: ChildProcess }
        const measurement = await ask<Measurement>(child, round)
        if (n >= 0) found[protocol].push(figuresOf(measurement))
      }
    }
    const connections = await ask<number>(upstream.child, 'connections')
    for (const { child } of clients) child.kill('SIGKILL')
    const [one, two] = [found['HTTP/1.1'], found['HTTP/2']]
    for (const name of ['cpuAChunk', 'head', 'delay', 'lateDelay'] as const) {
      const [first, second] = [median(one.map((each) => each[name])), median(two.map((each) => each[name]))]
      const ratio = median(two.map((each, n) => each[name] / (one[n] as Figures)[name]))
      process.stdout.write(`${JSON.stringify({ load, figure: name, 'HTTP/1.1': first, 'HTTP/2': second, ratio })}\n`)
    }
    process.stdout.write(`${JSON.stringify({ load, figure: 'connections of both', count: connections })}\n`)
  }
} finally {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true })
}
