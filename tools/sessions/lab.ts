import { createHash } from 'node:crypto'
import type { ConfigInput, HookOptions, RunningServer } from '../../src/server.ts'
import { startServer } from '../../src/server.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { type MockUpstream, nextTurn, startMockUpstream } from '../../test/mock-upstreams/server.ts'
import type { ScriptedTurn } from '../../test/mock-upstreams/wire-upstream.ts'
import { WIRE_UPSTREAMS } from '../../test/mock-upstreams/wires.ts'

/** What scenarios of long sessions share: chance with a seed, servers over real HTTP, and what a server holds. */

/** `faults`: what broke a law, each in a few words. */
export interface Outcome {
  readonly figure: string
  readonly faults: readonly string[]
}

/** `size`: conversations, streams or requests. */
export type Scenario = (size: number, chance: Chance) => Promise<Outcome>

/** The wires whose upstreams the scenarios imitate. */
export const SESSION_WIRES = [
  'openai-responses',
  'openai-chat',
  'anthropic-messages',
  'gemini-generate',
] as const satisfies readonly WireName[]

export type SessionWire = (typeof SESSION_WIRES)[number]

/** Numbers from 0 to below 1. */
export type Chance = () => number

/** A linear congruential generator (Numerical Recipes): the same numbers for the same seed. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export const below = (limit: number, chance: Chance): number => Math.floor(chance() * limit)

export function choose<T>(list: readonly T[], chance: Chance): T {
  const chosen = list[below(list.length, chance)]
  if (chosen === undefined) throw new Error('chooses from an empty list')
  return chosen
}

export const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`

/** An answer of an upstream with ids of its own, and with the numbers that OpenAI gives to events. */
export function answerOf(wire: SessionWire, turn: ScriptedTurn, name: string): Buffer {
  const stream = Buffer.from(WIRE_UPSTREAMS[wire].encodeTurn(turn)).toString().replaceAll('_up"', `_${name}"`)
  if (wire !== 'openai-responses') return Buffer.from(stream)
  let number = -1
  const numbered = stream.replace(/^data: \{("type":"[\w.]+")/gm, (_, type: string) => {
    number += 1
    return `data: {${type},"sequence_number":${number}`
  })
  return Buffer.from(numbered)
}

const KEY = 'key-of-the-client-of-this-lab'
const AT_ONCE = 16

/** Runs the function for each number below `count`, some at once. */
export async function eachOf<T>(count: number, run: (at: number) => Promise<T>): Promise<T[]> {
  const results: T[] = []
  let next = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < count; at = next++) results[at] = await run(at)
  }
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, work))
  return results
}

/** Servers and upstreams of one scenario, which end with it. */
export class Lab {
  private readonly servers: RunningServer[] = []
  private readonly upstreams: MockUpstream[] = []

  async upstream(behave: Parameters<typeof startMockUpstream>[0]): Promise<MockUpstream> {
    const upstream = await startMockUpstream(behave)
    this.upstreams.push(upstream)
    return upstream
  }

  /** Each call starts a server that shares nothing with the others but its configuration. */
  async server(config: Omit<ConfigInput, 'keys' | 'listen'>, hooks: HookOptions = {}): Promise<RunningServer> {
    const keys = [{ name: 'lab', sha256: createHash('sha256').update(KEY).digest('hex') }]
    const whole = {
      listen: { port: 0 },
      keys,
      encrypted_content_secret: 'a secret of this lab, long enough',
      ...config,
    }
    const server = await startServer(whole, { log: () => undefined, ...hooks })
    this.servers.push(server)
    return server
  }

  /** Ends everything, and returns a fault for each server that holds something although all exchanges have ended. */
  async close(): Promise<readonly string[]> {
    const held = await Promise.all(this.servers.map(heldBy))
    for (const server of this.servers) await server.close()
    for (const upstream of this.upstreams) await upstream.close()
    return held.flat()
  }
}

/** What a server counts while exchanges run. Streams are held for clients that come back. */
const GAUGES =
  /^millrace_(requests_open|upstream_calls_open|upstream_probes_open|turns_waiting|request_bodies_bytes|answers_bytes) (\S+)$/gm
const MOST_LOOKS = 500

async function heldBy({ url }: RunningServer): Promise<readonly string[]> {
  let held: string[] = []
  // The connection of an answer may close a moment after its last byte.
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const answer = await fetch(`${url}/metrics`, { headers: { connection: 'close' } }).catch(() => null)
    if (answer === null) return []
    const found = [...(await answer.text()).matchAll(GAUGES)]
    // The request for the metrics is one of them.
    held = found.flatMap(([, name = '', value = '']) =>
      Number(value) > (name === 'requests_open' ? 1 : 0) ? [`${name} is ${value} at the end`] : [],
    )
    if (held.length === 0) return held
    await nextTurn()
  }
  return held
}

export const RESPONSES = '/openai/v1/responses'

/** `body`: null for a request without one. Rejects if the connection breaks before the head. */
export const send = (
  url: string,
  body: object | null,
  { headers = {}, signal }: { readonly headers?: Record<string, string>; readonly signal?: AbortSignal } = {},
): Promise<Response> =>
  fetch(url, {
    method: body === null ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  })
