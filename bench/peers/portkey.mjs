import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'

const STREAMS = 60
const OURS = 500

/** Ms of processor time of a process, as Linux tells it: in hundredths of a second. */
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
  throw new Error('Portkey does not come up')
}

/**
 * Portkey is a server whose transformation cannot be called: it turns an Anthropic stream into chat chunks, and all that
 * this costs its process is set against one translation of ours. Its HTTP is in the figure, ours is not.
 */
export async function portkey(stream, ours) {
  const upstream = createServer((request, response) => {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(stream)
  })
  const source = `http://127.0.0.1:${await listen(upstream)}/v1`
  const port = await freePort()
  const program = createRequire(import.meta.url).resolve('@portkey-ai/gateway')
  const child = spawn(process.execPath, [program, `--port=${port}`, '--headless'], { stdio: 'ignore' })
  const once = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: 'Bearer x',
        'x-portkey-provider': 'anthropic',
        'x-portkey-custom-host': source,
      },
      body: '{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hi"}]}',
    })
    const text = await response.text()
    if (!response.ok || text.length < 50_000) throw new Error(`Portkey: ${response.status}, ${text.slice(0, 200)}`)
  }
  try {
    await untilUp(`http://127.0.0.1:${port}/`)
    for (let warm = 0; warm < STREAMS; warm += 1) await once()
    const before = processorMs(child.pid)
    for (let n = 0; n < STREAMS; n += 1) await once()
    const theirs = (processorMs(child.pid) - before) / STREAMS
    for (let warm = 0; warm < OURS; warm += 1) await ours()
    const begun = process.cpuUsage()
    for (let n = 0; n < OURS; n += 1) await ours()
    const { user, system } = process.cpuUsage(begun)
    return theirs / ((user + system) / 1000 / OURS)
  } finally {
    child.kill()
    upstream.close()
  }
}
