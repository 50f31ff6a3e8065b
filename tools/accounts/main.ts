import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { startServer } from '../../src/server.ts'
import { isObject, parseJson } from '../../src/text/json.ts'

/**
 * `npm run accounts [-- --conversations N] [--turns N] [--seed N]`: conversations with encrypted reasoning over three
 * accounts, behind two servers that share nothing but their configuration. Any account fails at any turn by chance, and
 * refuses the reasoning of another one, as vendors do. Prints how many turns were answered by the account of the first
 * call, the calls of a turn, and how much of the reasoning that its own account has issued a turn brings back. The exit
 * code is 1 if a turn has no answer, a call brings reasoning of another account, or a turn whose account answers takes
 * more than one call.
 */
const { values } = parseArgs({
  options: {
    conversations: { type: 'string', default: '1000' },
    turns: { type: 'string', default: '8' },
    seed: { type: 'string', default: '1' },
  },
})

const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

/** Failures of an account by chance, of all of its calls. */
const FAILURE_RATE = 0.04
const AT_ONCE = 16
const KEY = 'key-of-the-client-of-this-proof'

/** A linear congruential generator (Numerical Recipes): the same numbers for the same seed. */
function chance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const random = chance(Number(values.seed))

interface Call {
  readonly name: Name
  readonly failed: boolean
  /** The accounts whose reasoning it brings. */
  readonly issuers: readonly string[]
}

/** The calls of each turn, by the name of the turn in its last message. */
const calls = new Map<string, Call[]>()

const issuersIn = (body: string): readonly string[] => [...body.matchAll(/SEAL-([abc])-/g)].map(([, name = '']) => name)

const sse = (events: readonly { readonly type: string }[]): string =>
  events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')

let issued = 0

function answerOf(name: Name): string {
  issued += 1
  const id = String(issued)
  const reasoning = { type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: `SEAL-${name}-${id}` }
  const part = { type: 'output_text', text: 'Done.', annotations: [] }
  const message = { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content: [part] }
  const base = { id: `resp_${id}`, object: 'response', model: 'gpt-5.1', output: [], status: 'in_progress' }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return sse(
    [
      { type: 'response.created', response: base },
      { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, encrypted_content: '' } },
      { type: 'response.output_item.done', output_index: 0, item: reasoning },
      { type: 'response.output_item.added', output_index: 1, item: { ...message, content: [] } },
      { type: 'response.output_text.delta', output_index: 1, content_index: 0, item_id: message.id, delta: part.text },
      { type: 'response.output_item.done', output_index: 1, item: message },
      { type: 'response.completed', response: { ...base, status: 'completed', output: [reasoning, message], usage } },
    ].map((event, sequence_number) => ({ ...event, sequence_number })),
  )
}

const turnIn = (body: string): string => /turn (\d+\.\d+) \./g.exec(body.slice(body.lastIndexOf('turn ')))?.[1] ?? ''

async function startAccount(name: Name): Promise<{ readonly url: string; readonly close: () => void }> {
  const server = createServer(async (request: IncomingMessage, response) => {
    const body = await text(request)
    const issuers = issuersIn(body)
    const isForeign = issuers.some((issuer) => issuer !== name)
    const failed = random() < FAILURE_RATE
    const turn = turnIn(body)
    calls.set(turn, [...(calls.get(turn) ?? []), { name, failed, issuers }])
    const refuse = (status: number, error: object): void =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
    if (failed) return refuse(503, { message: 'Overloaded.' })
    if (isForeign) return refuse(400, { message: 'It cannot be verified.', code: 'invalid_encrypted_content' })
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answerOf(name))
  })
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const accounts = await Promise.all(NAMES.map(async (name) => ({ name, ...(await startAccount(name)) })))
const config = {
  listen: { port: 0 },
  vendors: {
    acme: {
      wire: 'openai-responses' as const,
      pool: accounts.map(({ name, url }) => ({ name, base_url: url, key: `key-of-account-${name}` })),
    },
  },
  keys: [{ name: 'proof', sha256: createHash('sha256').update(KEY).digest('hex') }],
  retry: { attempts: 3, first_delay_ms: 1, longest_delay_ms: 5, budget_floor: 1_000_000, breaker_failures: 0 },
  encrypted_content_secret: 'a secret of this proof, long enough',
}
const servers = await Promise.all([1, 2].map(() => startServer(config, { log: () => undefined })))

interface Figures {
  turns: number
  unanswered: number
  stayed: number
  calls: number
  /** Turns whose own account answered at the first call of it, and took more than one call. */
  repeated: number
  /** Calls that brought reasoning of another account. */
  foreign: number
  /** Reasoning of the account that answered, and how much of it the call brought. */
  own: number
  accepted: number
}

const figures: Figures = { turns: 0, unanswered: 0, stayed: 0, calls: 0, repeated: 0, foreign: 0, own: 0, accepted: 0 }

function note(turn: string, home: Name | null, answered: readonly Name[]): Name | null {
  const made = calls.get(turn) ?? []
  calls.delete(turn)
  const last = made.at(-1)
  figures.turns += 1
  figures.calls += made.length
  figures.foreign += made.filter(({ name, issuers }) => issuers.some((issuer) => issuer !== name)).length
  if (last === undefined || last.failed) {
    figures.unanswered += 1
    return null
  }
  if (last.name === home) figures.stayed += 1
  const isUp = made.find(({ name }) => name === home)?.failed === false
  if (isUp && made.length > 1) figures.repeated += 1
  figures.own += answered.filter((name) => name === last.name).length
  figures.accepted += last.issuers.filter((name) => name === last.name).length
  return last.name
}

async function converse(conversation: number): Promise<void> {
  const input: unknown[] = []
  const answered: Name[] = []
  /** The account of the first call, which the conversation prefers. */
  let home: Name | null = null
  for (let turn = 0; turn < Number(values.turns); turn += 1) {
    const name = `${conversation}.${turn}`
    input.push({ role: 'user', content: `turn ${name} .` })
    const server = servers[random() < 0.5 ? 0 : 1]
    const response = await fetch(`${server?.url}/openai/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'acme/gpt-5.1',
        input,
        stream: true,
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: `conversation ${conversation}`,
      }),
    })
    const stream = await response.text()
    home ??= calls.get(name)?.[0]?.name ?? null
    const by = note(name, home, answered)
    if (by === null) continue
    answered.push(by)
    const data = stream
      .split('\n')
      .findLast((line) => line.includes('"response.completed"') && line.startsWith('data: '))
    const event = parseJson(data?.slice('data: '.length) ?? '')
    if (isObject(event) && isObject(event.response) && Array.isArray(event.response.output))
      input.push(...event.response.output)
  }
}

let next = 0
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    for (let one = next++; one < Number(values.conversations); one = next++) await converse(one)
  }),
)
for (const server of servers) await server.close()
for (const { close } of accounts) close()

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
const { turns, unanswered, stayed, repeated, foreign, own, accepted } = figures
process.stdout.write(
  `${turns} turns, ${unanswered} without an answer: ${percent(stayed, turns)} stayed, ${(figures.calls / turns).toFixed(3)} calls a turn, ${percent(accepted, own)} of the own reasoning accepted; ${repeated} turns repeated, ${foreign} calls with foreign reasoning\n`,
)
process.exitCode = unanswered + repeated + foreign === 0 ? 0 : 1
