import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ConfigInput } from '../../../src/gateway/config/config.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { startMockUpstream } from '../../mock-upstreams/server.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { IS_WHOLE, runsOf, someOf } from '../../property.ts'
import { stopClock } from '../stopped-clock.ts'
import { closeAll, KEY, type Loose, post, sha256, startGateway, whenDone } from '../test-server.ts'
import { OWN_CLIENTS, type OwnClient, type OwnProtocol } from './own-clients.ts'

/**
 * Conversations with encrypted reasoning over three accounts, any of which fails at any turn, asks for a pause, gets a new
 * key, or is taken out and comes back. An account refuses the reasoning of another one, as the vendors do.
 */

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

/** The signatures in a request, each with the account that has issued it. A client writes nothing else like it. */
const issuersIn = (text: string): readonly string[] =>
  [...text.matchAll(/SIG([abc])x\d+x/g)].map(([, name = '']) => name)

interface Call {
  readonly name: Name
  readonly text: string
  readonly key: string
}

/** The forms in which vendors name the time until which an account has used up its limit. */
const LIMITS = {
  'Retry-After': (seconds: number) => ({
    headers: { 'retry-after': String(seconds) },
    error: { message: 'Slow down.' },
  }),
  'a usage limit': (seconds: number) => ({
    headers: {},
    error: {
      type: 'usage_limit_reached',
      message: 'The usage limit has been reached.',
      plan_type: 'plus',
      resets_in_seconds: seconds,
    },
  }),
  'a sentence': (seconds: number) => ({
    headers: {},
    error: { message: `Rate limit reached. Please try again in ${seconds}s.`, code: 'rate_limit_exceeded' },
  }),
  'the reset of a limit': (seconds: number) => ({
    headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': `${seconds}s` },
    error: { message: 'Rate limit reached.' },
  }),
} as const

interface Limit {
  readonly form: keyof typeof LIMITS
  readonly seconds: number
}

interface Pool {
  readonly url: string
  readonly calls: Call[]
  readonly down: Set<Name>
  readonly limited: Map<Name, Limit>
  /** Reads a configuration in which members have these keys, and others are taken out. */
  readonly change: (keys: Readonly<Record<Name, string>>, out: readonly Name[]) => Promise<void>
}

const KEYS = { a: 'key-of-a', b: 'key-of-b', c: 'key-of-c' } as const

const REFUSAL = { message: 'Corrupted thought signature.', code: 'invalid_encrypted_content' }

/** `isStrict`: whether an account refuses the reasoning of another one. */
async function startPool(wire: WireName, vendor: object = {}, isStrict = true): Promise<Pool> {
  const scripted = WIRE_UPSTREAMS[wire]
  const calls: Call[] = []
  const down = new Set<Name>()
  const limited = new Map<Name, Limit>()
  let issued = 0
  const upstreams = await Promise.all(
    NAMES.map(async (name): Promise<readonly [Name, string]> => {
      const upstream = await startMockUpstream((response, { text, headers }) => {
        calls.push({ name, text, key: keyIn(headers) })
        const refuse = (status: number, error: object, more: OutgoingHttpHeaders = {}): void => {
          response
            .writeHead(status, { 'content-type': 'application/json', ...more })
            .end(JSON.stringify({ ...error, error }))
        }
        if (down.has(name)) return refuse(503, { message: 'Overloaded.' })
        const limit = limited.get(name)
        if (limit !== undefined) {
          const { headers, error } = LIMITS[limit.form](limit.seconds)
          return refuse(429, error, headers)
        }
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
  const configWith = (keys: Readonly<Record<Name, string>>, out: readonly Name[]) => ({
    vendors: {
      acme: {
        wire,
        quirks: scripted.quirks,
        pool: upstreams.map(([name, base_url]) => ({ name, base_url, key: keys[name], enabled: !out.includes(name) })),
        ...vendor,
      },
    },
    retry: { attempts: 1, first_delay_ms: 1, longest_delay_ms: 1, budget_floor: 1_000_000, breaker_failures: 0 },
    encrypted_content_secret: 'a secret of the test, long enough',
  })
  const { url, running } = await startGateway(configWith(KEYS, []))
  const keys = [{ name: 'tester', sha256: sha256(KEY) }]
  const change: Pool['change'] = (renewed, out) =>
    running.reload({ keys, ...configWith(renewed, out) } as unknown as ConfigInput)
  return { url, calls, down, limited, change }
}

/** The key of a call, in the header of its protocol. */
const keyIn = ({ authorization = '', ...headers }: IncomingHttpHeaders): string =>
  String(headers['x-api-key'] ?? headers['x-goog-api-key'] ?? authorization.replace('Bearer ', ''))

interface Answered {
  readonly calls: readonly Call[]
  readonly status: number
  readonly retryAfter: string | null
}

class Conversation {
  private readonly pool: Pool
  private readonly client: OwnClient
  private readonly model: string
  private readonly history: Loose[]

  constructor(pool: Pool, client: OwnClient, model: string) {
    this.pool = pool
    this.client = client
    this.model = model
    this.history = [client.question('What is the weather?')]
  }

  async turn({ down = [], limited = {} }: Partial<Pick<Turn, 'down' | 'limited'>>): Promise<Answered> {
    const { pool, client, model, history } = this
    pool.down.clear()
    for (const name of down) pool.down.add(name)
    pool.limited.clear()
    for (const name of NAMES) if (limited[name] !== undefined) pool.limited.set(name, limited[name])
    const before = pool.calls.length
    const answer = await post(pool.url, client.body(model, history), { path: client.path(model) })
    const stream = await answer.text()
    const { status } = answer
    if (status === 200) history.push(...client.answered(stream))
    return { calls: pool.calls.slice(before), status, retryAfter: answer.headers.get('retry-after') }
  }
}

/** Sends the turns of a conversation, each of which has an answer. Returns the calls of each turn. */
async function converse(
  pool: Pool,
  client: OwnClient,
  model: string,
  failing: readonly (readonly Name[])[],
): Promise<readonly (readonly Call[])[]> {
  const conversation = new Conversation(pool, client, model)
  const turns: (readonly Call[])[] = []
  for (const down of failing) {
    const { status, calls } = await conversation.turn({ down })
    expect(status).toBe(200)
    turns.push(calls)
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
  it.each(someOf(CASES, 3))(
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

interface Turn {
  /** Seconds since the turn before. */
  readonly passes: number
  readonly down: readonly Name[]
  readonly limited: Readonly<Partial<Record<Name, Limit>>>
  /** Members with a new key under the old name. */
  readonly renewed: readonly Name[]
  /** Members that are taken out for this turn. */
  readonly out: readonly Name[]
}

/** Bodies of Bedrock have a message alone. */
const formsOf = (wire: WireName): readonly Limit['form'][] =>
  (Object.keys(LIMITS) as Limit['form'][]).filter((form) => wire !== 'bedrock-converse' || form !== 'a usage limit')

const historiesOf = (wire: WireName): fc.Arbitrary<readonly Turn[]> =>
  fc.array(
    fc.record<Turn>({
      passes: fc.integer({ min: 0, max: 200 }),
      down: fc.subarray([...NAMES], { maxLength: 1 }),
      limited: fc.dictionary(
        fc.constantFrom(...NAMES),
        fc.record({ form: fc.constantFrom(...formsOf(wire)), seconds: fc.integer({ min: 2, max: 300 }) }),
        { maxKeys: 3, noNullPrototype: true },
      ),
      renewed: fc.subarray([...NAMES], { maxLength: 1 }),
      out: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, fc.subarray([...NAMES], { minLength: 1, maxLength: 2 })),
    }),
    { minLength: 3, maxLength: 9 },
  )

const USUAL: Turn = { passes: 0, down: [], limited: {}, renewed: [], out: [] }

/** Each member answers while it is the only one, and its reasoning comes back when the others are there again. */
const ALONE: readonly Turn[] = NAMES.flatMap((name) => [
  { ...USUAL, out: NAMES.filter((other) => other !== name) },
  USUAL,
  { ...USUAL, down: [name] },
])

interface Expected {
  readonly called: readonly Name[]
  /** The member that answers; null if none does. */
  readonly by: Name | null
  /** The shortest time until a member may be called again; null if one of them has named none. */
  readonly retryAfter: number | null
}

/**
 * The calls that a turn should make: members that do not rest, in their order, until one answers; if all rest, the first
 * one.
 */
class ExpectedCalls {
  private readonly order: readonly Name[]
  private readonly ends = new Map<Name, number>()
  private now = 0

  constructor(order: readonly Name[]) {
    this.order = order
  }

  next({ passes, down, limited, renewed, out }: Turn): Expected {
    this.now += passes
    for (const name of renewed) this.ends.delete(name)
    for (const [name, end] of this.ends) if (end <= this.now) this.ends.delete(name)
    const present = this.order.filter((name) => !out.includes(name))
    const awake = present.filter((name) => !this.ends.has(name))
    const called: Name[] = []
    for (const name of awake.length > 0 ? awake : present.slice(0, 1)) {
      called.push(name)
      if (down.includes(name)) continue
      const seconds = limited[name]?.seconds
      if (seconds === undefined) {
        this.ends.delete(name)
        return { called, by: name, retryAfter: null }
      }
      this.ends.set(name, Math.max(this.now + seconds, this.ends.get(name) ?? 0))
    }
    const waits = present.map((name) =>
      called.includes(name) ? (limited[name]?.seconds ?? 0) : (this.ends.get(name) ?? 0) - this.now,
    )
    const isNamed = !called.some((name) => down.includes(name))
    return { called, by: null, retryAfter: isNamed ? Math.min(...waits) : null }
  }
}

describe('a conversation over three accounts that ask for pauses, get new keys, go and come back', () => {
  it.each(someOf(CASES, 3, 1))(
    'of a client of %s with upstreams of %s makes no call of a member that rests or is out, and sends each account its own reasoning alone',
    async (protocol, wire) => {
      await fc.assert(
        fc.asyncProperty<[readonly Turn[]]>(historiesOf(wire), async (history) => {
          const clock = stopClock()
          const pool = await startPool(wire)
          const model = `acme/${WIRE_UPSTREAMS[wire].model}`
          const conversation = new Conversation(pool, OWN_CLIENTS[protocol], model)
          const keys: Record<Name, string> = { ...KEYS }
          const answered: Name[] = []
          const answerOf = async (turn: Partial<Turn>) => {
            const { calls, status, retryAfter } = await conversation.turn(turn)
            for (const { name, text, key } of calls) {
              expect(issuersIn(text)).toEqual(answered.filter((issuer) => issuer === name))
              expect(text).not.toMatch(/mr1\.|bXIxL/)
              expect(key).toBe(keys[name])
            }
            const last = calls.at(-1)?.name
            if (status === 200 && last !== undefined) answered.push(last)
            return { names: calls.map(({ name }) => name), status, retryAfter }
          }
          // The order of this conversation: the first member, and the one that stands in for it.
          const [first] = (await answerOf({})).names as [Name]
          const second = (await answerOf({ down: [first] })).names.at(-1) as Name
          const third = NAMES.find((name) => name !== first && name !== second) as Name
          const expected = new ExpectedCalls([first, second, third])
          let out: readonly Name[] = []
          for (const [at, turn] of history.entries()) {
            clock.pass(turn.passes * 1000)
            for (const name of turn.renewed) keys[name] = `key-${at}-of-${name}`
            if (turn.renewed.length > 0 || turn.out.join() !== out.join()) await pool.change(keys, turn.out)
            out = turn.out
            const wanted = expected.next(turn)
            const { names, status, retryAfter } = await answerOf(turn)
            expect(names).toEqual(wanted.called)
            expect(status === 200).toBe(wanted.by !== null)
            if (wanted.retryAfter !== null) expect(retryAfter).toBe(String(wanted.retryAfter))
          }
          await closeAll()
        }),
        { numRuns: IS_WHOLE ? runsOf(16) : 4, seed: 20_261_129, examples: [[ALONE]] },
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
