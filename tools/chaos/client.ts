import { type IncomingMessage, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { KEY } from '../../test/host/test-server.ts'
import { connectWebSocket } from '../../test/host/websocket-client.ts'
import type { Answered } from '../fuzz/verdict.ts'
import type { ChaosCase, Manner } from './cases.ts'

/** A bound for a busy machine. */
const LONGEST_MS = 120_000
/** Bytes after which a client leaves, and after which a slow one rests. */
const LEAVES_AFTER = 300
const RESTS_AFTER = 64 * 1024

/** Rests of the readers: a slow one has many, one with pauses few that are long. */
const RESTS: Readonly<Record<Manner, (size: number, rests: number) => number>> = {
  'at once': () => 0,
  leaves: () => 0,
  slowly: (size, rests) => (size > rests * RESTS_AFTER && rests < 100 ? 5 : 0),
  'with pauses': (_, rests) => (rests < 2 ? 300 : 0),
}

const NOTHING: Answered = { method: 'POST', status: 0, type: '', text: '', fault: null, hasLeft: false }

/** A path with the model in it, for the protocols that have it there. */
export const pathOf = ({ protocol, isStream }: ChaosCase, model: string): string =>
  (isStream ? protocol.path : protocol.wholePath).replace('%', model)

export const runClient = (one: ChaosCase, url: string, model: string): Promise<Answered> =>
  one.protocol.isWebSocket ? runSocket(one, url, model) : runHttp(one, url, model)

function runHttp(one: ChaosCase, url: string, model: string): Promise<Answered> {
  const { protocol, isStream, manner } = one
  const body = JSON.stringify({ model, ...protocol.body, stream: isStream })
  return new Promise((resolve) => {
    const call = request(url + pathOf(one, model), {
      method: 'POST',
      agent: false,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    })
    const finish = (result: Partial<Answered>): void => {
      clearTimeout(timer)
      resolve({ ...NOTHING, ...result })
    }
    const timer = setTimeout(() => {
      finish({ fault: 'no end within two minutes' })
      call.destroy()
    }, LONGEST_MS)
    call.on('error', ({ message }) => finish({ fault: message }))
    call.on('response', (response) => {
      read(response, manner).then(
        ({ text, hasLeft }) => {
          finish({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text, hasLeft })
          if (hasLeft) call.destroy()
        },
        (error: Error) => finish({ fault: `the answer broke: ${error.message}` }),
      )
    })
    call.end(body)
  })
}

/** Reads an answer in the manner of its client. */
async function read(response: IncomingMessage, manner: Manner): Promise<{ text: string; hasLeft: boolean }> {
  const chunks: Buffer[] = []
  let size = 0
  let rests = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (manner === 'leaves' && size > LEAVES_AFTER) return { text: '', hasLeft: true }
    const ms = RESTS[manner](size, rests)
    if (ms === 0) continue
    rests += 1
    await sleep(ms)
  }
  return { text: Buffer.concat(chunks).toString(), hasLeft: false }
}

async function runSocket({ manner, protocol }: ChaosCase, url: string, model: string): Promise<Answered> {
  const client = await connectWebSocket(url, { path: protocol.path })
  const { socket } = client
  const late = sleep(LONGEST_MS, null, { ref: false })
  try {
    const turn = client.turn({ type: 'response.create', model, ...protocol.body })
    turn.catch(() => undefined)
    if (manner === 'leaves') {
      await Promise.race([client.next().catch(() => null), late])
      return { ...NOTHING, hasLeft: true }
    }
    for (let rests = 0; RESTS[manner](socket.bytesRead, rests) > 0 && rests < 10; rests += 1) {
      socket.pause()
      await sleep(RESTS[manner](socket.bytesRead, rests))
      socket.resume()
      await sleep(1)
    }
    const events = await Promise.race([turn, late])
    if (events === null) return { ...NOTHING, fault: 'no end within two minutes' }
    return { ...NOTHING, status: 200, text: events.map((event) => JSON.stringify(event)).join('\n') }
  } catch (error) {
    return { ...NOTHING, fault: String(error) }
  } finally {
    socket.destroy()
  }
}
