/**
 * Portkey is a server whose translation cannot be called directly. The comparison is therefore between two servers,
 * each a process of its own, on the same Anthropic stream. The figure is the processor time of the process, including
 * HTTP.
 */
import assert from 'node:assert/strict'
import { fork, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { wordsOfChat, wordsOfResponses } from './words.mjs'

const ROUNDS = 5
const STREAMS = 40

/** Processor time of a process in ms. Linux counts it in hundredths of a second. */
function processorMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

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
  throw new Error(`nobody comes up at ${url}`)
}

const CHAT = '{"model":"anthropic/m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hi"}]}'
const RESPONSES = '{"model":"anthropic/m","max_output_tokens":9,"stream":true,"input":"Hi"}'

/** Reads one answer to its end, and returns a function that extracts its text. */
async function once({ url, headers, body, words }) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url}: ${response.status}, ${text.slice(0, 200)}`)
  return () => words(text)
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
  return { child, pid: child.pid, url, headers, body: CHAT, words: wordsOfChat }
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
    chat: { ...common, url: `${url}/openai/v1/chat/completions`, body: CHAT, words: wordsOfChat },
    responses: { ...common, url: `${url}/openai/v1/responses`, body: RESPONSES, words: wordsOfResponses },
  }
}

/** How many times as fast as Portkey the millrace server is, for each of two formats. */
export async function portkey(stream, sent) {
  const upstream = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(stream)
  })
  const source = `http://127.0.0.1:${await listen(upstream)}/v1`
  const theirs = await startPortkey(source)
  const ours = await startOurs(source)
  const servers = { theirs, ...ours }
  try {
    for (const [name, server] of Object.entries(servers)) {
      assert.ok((await once(server))() === sent, `${name} says other words`)
      await spend(server)
    }
    const took = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const ms = {}
      for (const [name, server] of Object.entries(servers)) ms[name] = await spend(server)
      took.push(ms)
    }
    const ratio = (name) => took.map((ms) => ms.theirs / ms[name]).sort((a, b) => a - b)[ROUNDS >> 1]
    return { chat: ratio('chat'), responses: ratio('responses') }
  } finally {
    theirs.child.kill()
    ours.chat.child.kill()
    upstream.close()
  }
}
