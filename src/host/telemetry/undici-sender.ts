import { buildConnector, type Dispatcher, request } from 'undici/index.js'
import { createSender, LONGEST_ANSWER, type Sender } from '../../gateway/telemetry/sender.ts'
import { NODE_HASHES } from '../node-hashes.ts'
import { ProxiedAgent, proxyConnector } from '../upstream/proxied-agent.ts'
import type { ProxyRules } from '../upstream/proxy-rules.ts'
import { type OnBug, UpstreamAgent } from '../upstream/upstream-agent.ts'

const CONNECTIONS = 8

/**
 * The bytes of an answer that undici stores before it would pause its parser, whose end fails then: see
 * `UpstreamConnection`. The reader takes each read at once and stops after `LONGEST_ANSWER`, so that they never wait.
 */
const NEVER_FULL = 16 * LONGEST_ANSWER

/**
 * Creates a sender with a connection pool of its own, so that destinations and upstreams do not wait for each other.
 * `proxies`: null if all destinations are reached directly.
 */
export function openSender(timeoutMs: number, proxies: ProxyRules | null, onBug: OnBug): Sender {
  const agent =
    proxies === null
      ? new UpstreamAgent({ connections: CONNECTIONS, connect: buildConnector({ timeout: timeoutMs }) }, onBug)
      : new ProxiedAgent(proxies, { connections: CONNECTIONS, connect: proxyConnector(proxies, timeoutMs) }, onBug)
  return createSender(
    async (url, { method, headers, body }) => {
      const signal = AbortSignal.timeout(timeoutMs)
      const answer = await request(url, {
        dispatcher: agent,
        method,
        headers,
        body,
        signal,
        highWaterMark: NEVER_FULL,
      })
      return {
        status: answer.statusCode,
        header: (name) => answer.headers[name]?.toString(),
        text: await readSome(answer.body),
      }
    },
    NODE_HASHES,
    () => agent.destroy(),
  )
}

async function readSome(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    // Leaving the loop releases the connection.
    if (size > LONGEST_ANSWER) break
  }
  return Buffer.concat(chunks).toString()
}
