import { describe, expect, it } from 'vitest'
import { type Behaviour, startMockUpstream } from '../../mock-upstreams/server.ts'
import { stopClock } from '../stopped-clock.ts'
import { json, post, startGateway, whenDone } from '../test-server.ts'

/** Conversations of eighteen turns over three members, each of which stores the prefixes of its own prompts. */

const MEMBERS = ['eu', 'us', 'asia'] as const
type Member = (typeof MEMBERS)[number]

/** Not a multiple of the members: in turn, a conversation would else always reach the same one. */
const CONVERSATIONS = 13
const TURNS = 18
const CHARACTERS_A_TOKEN = 4

/** Longer than an answer takes on a busy machine: the client of a later probe gets the answer of the next member. */
const BREAKER_SECONDS = 60

const tokensOf = (text: string): number => Math.ceil(text.length / CHARACTERS_A_TOKEN)

/** Answers like an upstream that bills stored prefixes apart. A prefix ends with the tools or with a message. */
function cachingUpstream(isDown: () => boolean): Behaviour {
  const stored = new Set<string>()
  return (response, { body }) => {
    if (isDown()) return void response.socket?.destroy()
    const pieces = [body.tools ?? [], ...(body.messages as readonly unknown[])].map((piece) => JSON.stringify(piece))
    const prefixes = pieces.map((_, at) => pieces.slice(0, at + 1).join('\n'))
    const cached = prefixes.findLast((prefix) => stored.has(prefix)) ?? ''
    for (const prefix of prefixes) stored.add(prefix)
    const prompt = tokensOf(prefixes.at(-1) ?? '')
    const message = { role: 'assistant', content: 'The file has been changed as you asked, and its tests pass.' }
    const usage = {
      prompt_tokens: prompt,
      completion_tokens: 20,
      total_tokens: prompt + 20,
      prompt_tokens_details: { cached_tokens: tokensOf(cached) },
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }], usage }))
  }
}

/** The tools and the instructions of a coding agent, about 14,000 tokens, and 1,300 tokens a turn. */
const TOOLS = Array.from({ length: 20 }, (_, at) => ({
  type: 'function',
  name: `tool_${at}`,
  description: `Does what tool ${at} does. `.repeat(60),
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  strict: false,
}))
const INSTRUCTIONS = 'You are a coding agent. Read a file before you change it. '.repeat(400)
const wordsOf = (conversation: number, turn: number): string => `Line ${conversation}.${turn} of the file. `.repeat(200)

/** A third of the conversations has a cache key, a third a session header, a third neither. */
const namesOf = (conversation: number): { fields: object; headers: Record<string, string> } => ({
  fields: conversation % 3 === 0 ? { prompt_cache_key: `thread-${conversation}` } : {},
  headers: conversation % 3 === 1 ? { 'x-claude-code-session-id': `session-${conversation}` } : {},
})

interface Figures {
  /** The percentage of the input that is read from a cache: in the last turn, and in all turns. */
  readonly last: number
  readonly all: number
  /** The least percentage of a conversation in its last turn. */
  readonly least: number
  /** Requests that did not reach the member that their conversation prefers. */
  readonly moved: number
}

/** `downIn`: the turns in which a member refuses all connections. */
async function runLab(vendor: object, downIn: readonly number[] = []): Promise<Figures> {
  let turn = 0
  const clock = stopClock()
  const upstreams = await Promise.all(
    MEMBERS.map(async (name) => {
      const upstream = await startMockUpstream(cachingUpstream(() => name === LOST && downIn.includes(turn)))
      whenDone(upstream.close)
      return { name, base_url: upstream.url, key: `key-of-${name}` }
    }),
  )
  const { url, lines } = await startGateway({
    vendors: { acme: { wire: 'openai-chat', pool: upstreams, ...vendor } },
    retry: { first_delay_ms: 1, longest_delay_ms: 1, breaker_seconds: BREAKER_SECONDS },
  })
  const inputs = Array.from({ length: CONVERSATIONS }, (): object[] => [])
  const usages: { turn: number; input: number; cached: number }[] = []
  for (turn = 1; turn <= TURNS; turn += 1) {
    // A probe is due in each turn.
    clock.pass(BREAKER_SECONDS * 1000)
    for (const [conversation, input] of inputs.entries()) {
      input.push({ role: 'user', content: wordsOf(conversation, turn) })
      const { fields, headers } = namesOf(conversation)
      const body = { model: 'acme/m', tools: TOOLS, instructions: INSTRUCTIONS, input, ...fields }
      const answer = await post(url, body, { path: '/openai/v1/responses', headers })
      expect(answer.status).toBe(200)
      const { output, usage } = await json(answer)
      input.push(...output)
      usages.push({ turn, input: usage.input_tokens, cached: usage.input_tokens_details.cached_tokens })
    }
  }
  const percentOf = (of: typeof usages): number => {
    const [cached, whole] = of.reduce((sum, one) => [sum[0] + one.cached, sum[1] + one.input], [0, 0] as const as [
      number,
      number,
    ])
    return (100 * cached) / whole
  }
  const inLast = usages.filter((one) => one.turn === TURNS)
  return {
    last: percentOf(inLast),
    all: percentOf(usages),
    least: Math.min(...inLast.map((one) => percentOf([one]))),
    moved: lines.filter(({ preferred }) => preferred !== undefined).length,
  }
}

const LOST: Member = 'us'

const show = (name: string, { last, least, all }: Figures): void =>
  void process.stdout.write(
    `${name}: ${last.toFixed(1)} % of turn ${TURNS} from cache, at least ${least.toFixed(1)} % of a conversation; ${all.toFixed(1)} % of all turns\n`,
  )

describe('eighteen turns over three members', () => {
  it('read at least 95 % of the last turn from the cache with affinity', async () => {
    const figures = await runLab({})
    show('affinity', figures)
    expect(figures.least).toBeGreaterThanOrEqual(95)
    expect(figures.moved).toBe(0)
  })

  it('do so as well if a member dies in turn 9 and is back in turn 12', async () => {
    const figures = await runLab({}, [9, 10, 11])
    show('affinity, a member down from turn 9 to 11', figures)
    expect(figures.least).toBeGreaterThanOrEqual(95)
    // Each conversation of the lost member in each of these turns, and none of the others.
    expect(figures.moved).toBeGreaterThan(0)
    expect(figures.moved % 3).toBe(0)
    expect(figures.moved).toBeLessThan(3 * CONVERSATIONS)
  })

  it('read less in turn', async () => {
    const figures = await runLab({ affinity: false })
    show('in turn', figures)
    expect(figures.last).toBeLessThan(92)
    expect(figures.all).toBeLessThan(90)
  })
})
