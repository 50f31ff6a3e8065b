/**
 * Compares the server with Portkey, whose translation cannot be called directly: `node bench/peers/servers.mjs <rounds>
 * [--json]`. Each is a process of its own; they take turns on the same Anthropic stream. The figure is the processor
 * time of the process, including HTTP.
 */
import assert from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { openReport } from '../out/bench/figure.js'
import { inTurns, median } from '../out/bench/measure.js'
import { PORTKEY, peerCase, SERVER_CHAT, SERVER_RESPONSES } from '../out/bench/peers/candidates.js'
import { longStream } from '../out/bench/pipeline/inputs.js'
import { textOfChat, textOfResponses, textSent } from './texts.mjs'

const WIRE = 'anthropic-messages'
const STREAMS = 40

/** Processor time of all threads of a process in ms, from the first field of Linux's `schedstat`, in nanoseconds. */
const processorMs = (pid) =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6)
    .reduce((sum, ms) => sum + ms, 0)

const listen = (server) => new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))

async function freePort() {
  const server = createServer()
  const port = await listen(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function untilUp(url) {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      return await fetch(url)
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  throw new Error(`no server listens at ${url}`)
}

const CHAT = '{"model":"anthropic/m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hi"}]}'
const RESPONSES = '{"model":"anthropic/m","max_output_tokens":9,"stream":true,"input":"Hi"}'

/** Reads one answer to its end, and returns a function that extracts its text. */
async function once({ url, headers, body, textOf }) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status}, ${text.slice(0, 200)}`)
  return () => textOf(text)
}

async function spend(server) {
  const before = processorMs(server.pid)
  for (let n = 0; n < STREAMS; n += 1) await once(server)
  return processorMs(server.pid) - before
}

async function startPortkey(source) {
  const port = await freePort()
  const program = createRequire(import.meta.url).resolve('@portkey-ai/gateway/build/start-server.js')
  const child = spawn(process.execPath, [program, `--port=${port}`, '--headless'], { stdio: 'ignore' })
  await untilUp(`http://127.0.0.1:${port}/`)
  const headers = { authorization: 'Bearer x', 'x-portkey-provider': 'anthropic', 'x-portkey-custom-host': source }
  const url = `http://127.0.0.1:${port}/v1/chat/completions`
  return { child, pid: child.pid, url, headers, body: CHAT, textOf: textOfChat }
}

async function startOurs(source) {
  const child = fork(fileURLToPath(new URL('./ours.mjs', import.meta.url)), [source], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { url, key } = await new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`our server ended with ${code}`)))
  })
  const common = { child, pid: child.pid, headers: { authorization: `Bearer ${key}` } }
  return {
    chat: { ...common, url: `${url}/openai/v1/chat/completions`, body: CHAT, textOf: textOfChat },
    responses: { ...common, url: `${url}/openai/v1/responses`, body: RESPONSES, textOf: textOfResponses },
  }
}

async function main(rounds) {
  const pieces = longStream(WIRE, 'text')
  const stream = Buffer.concat(pieces)
  const upstream = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(stream)
  })
  const source = `http://127.0.0.1:${await listen(upstream)}/v1`
  const portkey = await startPortkey(source)
  const own = await startOurs(source)
  const servers = { [PORTKEY.name]: portkey, [SERVER_CHAT]: own.chat, [SERVER_RESPONSES]: own.responses }
  const names = Object.keys(servers)
  try {
    for (const [name, server] of Object.entries(servers)) {
      assert.ok((await once(server))() === textSent(WIRE, pieces), `${name} writes another text`)
      await spend(server)
    }
    const took = []
    for (let round = 0; round < rounds; round += 1) {
      const ms = {}
      for (const name of inTurns(names, round)) ms[name] = await spend(servers[name])
      took.push(ms)
    }
    const report = openReport('higher is better for millrace')
    for (const name of [SERVER_CHAT, SERVER_RESPONSES]) {
      const value = median(took.map((ms) => ms[PORTKEY.name] / ms[name]))
      report({ case: peerCase(WIRE, name, PORTKEY.name), value, unit: '× as fast' })
    }
  } finally {
    portkey.child.kill()
    own.chat.child.kill()
    upstream.close()
  }
}

await main(Number(process.argv[2] ?? 11))
process.exit()
