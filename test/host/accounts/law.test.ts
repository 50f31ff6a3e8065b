import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { WireName } from '../../../src/wires/contract.ts'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { IS_WHOLE, runsOf } from '../../property.ts'
import { closeAll, post, startGateway, whenDone } from '../test-server.ts'
import { OWN_CLIENTS, type OwnClient, type OwnProtocol } from './own-clients.ts'

/**
 * Conversations with encrypted reasoning over three accounts, any of which fails at any turn. An account refuses the
 * reasoning of another one, as the vendors do.
 */

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

/** The signatures in a request, each with the account that has issued it. A client writes nothing else like it. */
const issuersIn = (text: string): readonly string[] =>
  [...text.matchAll(/SIG([abc])x\d+x/g)].map(([, name = '']) => name)

interface Call {
  readonly name: Name
  readonly text: string
}

interface Pool {
  readonly url: string
  readonly calls: Call[]
  readonly down: Set<Name>
}

const REFUSAL = { message: 'Corrupted thought signature.', code: 'invalid_encrypted_content' }

/** `isStrict`: whether an account refuses the reasoning of another one. */
async function startPool(wire: WireName, vendor: object = {}, isStrict = true): Promise<Pool> {
  const scripted = WIRE_UPSTREAMS[wire]
  const calls: Call[] = []
  const down = new Set<Name>()
  let issued = 0
  const upstreams = await Promise.all(
    NAMES.map(async (name): Promise<readonly [Name, string]> => {
      const upstream = await startMockUpstream((response, { text }) => {
        calls.push({ name, text })
        const refuse = (status: number, error: object): void =>
          void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
        if (down.has(name)) return refuse(503, { message: 'Overloaded.' })
        if (isStrict && issuersIn(text).some((issuer) => issuer !== name)) return refuse(400, REFUSAL)
        issued += 1
        const seal = `SIG${name}x${issued}x`
        const turn = {
          reasoning: { text: `Thought ${issued}.`, seal },
          text: ['I look it up.'],
          calls: [{ id: `call_${issued}`, name: 'get_weather', args: { city: 'Oslo' } }],
        }
        response.writeHead(200, { 'content-type': scripted.contentType })
        response.end(scripted.encodeTurn(turn))
      })
      whenDone(upstream.close)
      return [name, upstream.url]
    }),
  )
  const pool = upstreams.map(([name, base_url]) => ({ name, base_url, key: `key-of-${name}` }))
  const { url } = await startGateway({
    vendors: { acme: { wire, quirks: scripted.quirks, pool, ...vendor } },
    retry: { attempts: 1, first_delay_ms: 1, longest_delay_ms: 1, budget_floor: 1_000_000, breaker_failures: 0 },
    encrypted_content_secret: 'a secret of the test, long enough',
  })
  return { url, calls, down }
}

/** Sends the turns of a conversation. Returns the calls of each turn. */
async function converse(
  { url, calls, down }: Pool,
  client: OwnClient,
  model: string,
  failing: readonly (readonly Name[])[],
): Promise<readonly (readonly Call[])[]> {
  const history = [client.question('What is the weather?')]
  const turns: Call[][] = []
  for (const names of failing) {
    down.clear()
    for (const name of names) down.add(name)
    const before = calls.length
    const answer = await post(url, client.body(model, history), { path: client.path(model) })
    const stream = await answer.text()
    expect([answer.status, stream], stream).toMatchObject([200, expect.any(String)])
    history.push(...client.answered(stream))
    turns.push(calls.slice(before))
  }
  return turns
}

/** At least one account answers. */
const failures = fc.subarray([...NAMES], { maxLength: 2 })

const CASES: readonly (readonly [client: OwnProtocol, upstream: WireName])[] = [
  ['openai-responses', 'openai-responses'],
  ['anthropic-messages', 'anthropic-messages'],
  ['openai-chat', 'openai-chat'],
  ['gemini-generate', 'gemini-generate'],
  ['gemini-interactions', 'gemini-interactions'],
  ['openai-responses', 'anthropic-messages'],
  ['openai-responses', 'gemini-generate'],
  ['openai-responses', 'bedrock-converse'],
  ['anthropic-messages', 'openai-responses'],
  ['gemini-generate', 'anthropic-messages'],
  ['openai-chat', 'gemini-interactions'],
  ['gemini-interactions', 'openai-chat'],
]

describe.each([
  ['passed where the protocols are the same', {}],
  ['translated', { passthrough: false }],
])('a conversation over three accounts, %s', (_, vendor) => {
  it.each(CASES)(
    'of a client of %s with upstreams of %s sends each account its own reasoning alone, in one call if its own account answers',
    async (protocol, wire) => {
      await fc.assert(
        fc.asyncProperty(fc.array(failures, { minLength: 2, maxLength: 7 }), async (failing) => {
          const pool = await startPool(wire, vendor)
          const model = `acme/${WIRE_UPSTREAMS[wire].model}`
          const turns = await converse(pool, OWN_CLIENTS[protocol], model, [[], ...failing])
          const home = turns[0]?.[0]?.name
          const answered: Name[] = []
          for (const [turn, calls] of turns.entries()) {
            const last = calls.at(-1) as Call
            for (const { name, text } of calls) {
              const issuers = issuersIn(text)
              expect(issuers.every((issuer) => issuer === name)).toBe(true)
              expect(text).not.toMatch(/mr1\.|bXIxL/)
            }
            expect(issuersIn(last.text)).toEqual(answered.filter((name) => name === last.name))
            const isHomeUp = turn === 0 || !failing[turn - 1]?.includes(home as Name)
            if (isHomeUp) expect(calls.map(({ name }) => name)).toEqual([home])
            answered.push(last.name)
          }
          await closeAll()
        }),
        // Each run is a conversation of up to seven turns.
        { numRuns: IS_WHOLE ? runsOf(20) : 2, seed: 20_261_128 },
      )
    },
  )
})

describe('accounts of one organization', () => {
  it.each(CASES.slice(0, 5))('read the reasoning of each other: %s', async (protocol, wire) => {
    const pool = await startPool(wire, { organization: 'acme' }, false)
    const model = `acme/${WIRE_UPSTREAMS[wire].model}`
    const [first] = await converse(pool, OWN_CLIENTS[protocol], model, [[]])
    const home = first?.[0]?.name as Name
    const turns = await converse(pool, OWN_CLIENTS[protocol], model, [[], [home], [home], []])
    expect(turns.map((calls) => issuersIn(calls.at(-1)?.text ?? '').length)).toEqual([0, 1, 2, 3])
  })
})
