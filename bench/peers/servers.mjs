/**
 * Compares the server with another gateway: `node bench/peers/servers.mjs <gateway> <rounds> [--json]`, with a name of
 * `bench/conformance/gateways.ts`. Each is a process of its own; they take turns on the same stream. The figure is the
 * processor time of the process, including HTTP. A gateway whose program is not installed has no figures.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { forkProgram, killAll, nextMessage } from '../out/bench/children.js'
import { GATEWAYS } from '../out/bench/conformance/gateways.js'
import { openReport } from '../out/bench/figure.js'
import { inTurns, median } from '../out/bench/measure.js'
import { comparedPairs, serverCase } from '../out/bench/peers/candidates.js'
import { longStream } from '../out/bench/pipeline/inputs.js'
import { textOfChat, textOfMessages, textSent } from './texts.mjs'

const STREAMS = 40

/** Processor time of all threads of a process in ms, from the first field of Linux's `schedstat`, in nanoseconds. */
const processorMs = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0)

const CLIENTS = {
  chat: { path: '/chat/completions', textOf: textOfChat },
  messages: { path: '/messages', textOf: textOfMessages },
}
const WIRE_OF_PATH = [
  ['/chat/completions', 'openai-chat'],
  ['/messages', 'anthropic-messages'],
  ['/models/', 'gemini-generate'],
]

async function openUpstream() {
  const streams = Object.fromEntries(WIRE_OF_PATH.map(([, wire]) => [wire, longStream(wire, 'text')]))
  const bytes = Object.fromEntries(Object.entries(streams).map(([wire, pieces]) => [wire, Buffer.concat(pieces)]))
  const server = createServer((request, response) => {
    request.resume()
    const [, wire] = WIRE_OF_PATH.find(([part]) => request.url.includes(part)) ?? []
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(bytes[wire])
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${server.address().port}`, textOf: (wire) => textSent(wire, streams[wire]) }
}

/** Reads one answer to its end, and returns its text. */
async function once({ protocol }, { url, key, model, headers }) {
  const { path, textOf } = CLIENTS[protocol]
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, 'x-api-key': key, ...headers },
    body: JSON.stringify({ model, max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status}, ${text.slice(0, 200)}`)
  return () => textOf(text)
}

async function spend(pid, pair, address) {
  const before = processorMs(pid)
  for (let n = 0; n < STREAMS; n += 1) await once(pair, address)
  return processorMs(pid) - before
}

async function compare(pair, sides, expected, rounds) {
  for (const { name, pid, address } of sides) {
    assert.ok((await once(pair, address))() === expected, `${name} writes another text`)
    await spend(pid, pair, address)
  }
  const ratios = []
  for (let round = 0; round < rounds; round += 1) {
    const ms = {}
    for (const { name, pid, address } of inTurns(sides, round)) ms[name] = await spend(pid, pair, address)
    ratios.push(ms.peer / ms.own)
  }
  return median(ratios)
}

const [name, rounds] = process.argv.slice(2)
const gateway = GATEWAYS.find((one) => one.name === name)
const upstream = await openUpstream()
const running = await gateway.start(upstream.origin).catch((error) => {
  if (gateway.program === undefined) throw error
  process.stderr.write(`${error.message}\n`)
})
if (running !== undefined) {
  const own = forkProgram(fileURLToPath(new URL('./ours.mjs', import.meta.url)), [upstream.origin])
  const addresses = await nextMessage(own)
  const report = openReport('higher is better for millrace')
  for (const pair of comparedPairs(gateway)) {
    const { address } = addresses.find((one) => JSON.stringify(one.pair) === JSON.stringify(pair))
    const sides = [
      { name: 'own', pid: own.pid, address },
      { name: 'peer', pid: running.pid, address: running.addressOf(pair) },
    ]
    const value = await compare(pair, sides, upstream.textOf(pair.upstream), Number(rounds))
    report({ case: serverCase(pair, name), value, unit: '× as fast' })
  }
}
killAll()
process.exit()
