import { isObject, parseJson } from '../../src/text/json.ts'
import { WIRE_UPSTREAMS } from '../../test/mock-upstreams/wires.ts'
import {
  answerOf,
  type Chance,
  eachOf,
  Lab,
  percent,
  RESPONSES,
  type Scenario,
  SESSION_WIRES,
  type SessionWire,
  send,
} from './lab.ts'

/**
 * Conversations with reasoning over three accounts of each wire, behind two servers that share nothing but their
 * configuration. Any account fails at any turn by chance, and refuses the reasoning of another one, as vendors do.
 * Laws: each turn has an answer; no call brings reasoning of another account; a turn whose account answers is one call.
 */
const NAMES = ['a', 'b', 'c'] as const
type Name = (typeof NAMES)[number]

/** Failures of an account by chance, of all of its calls. */
const FAILURE_RATE = 0.04
const TURNS = 8

/** Wires whose answers have reasoning that its vendor has encrypted or signed. */
const SEALING: ReadonlySet<SessionWire> = new Set(['openai-responses', 'anthropic-messages', 'gemini-generate'])

interface Call {
  readonly name: Name
  readonly failed: boolean
  /** The accounts whose reasoning it brings. */
  readonly issuers: readonly string[]
}

const issuersIn = (body: string): readonly string[] =>
  [...body.matchAll(/SEAL([abc])\1{3}/g)].map(([, name = '']) => name)

/** Base64 with the name of its account, for wires that expect it. */
const sealOf = (name: Name, at: number): string => `SEAL${name.repeat(4)}${String(at).padStart(8, '0')}`

/** Gemini signs calls: each turn has one. */
const callOf = (at: number) => ({ id: `call_${at}`, name: 'look', args: { at } })
const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object', properties: { at: { type: 'integer' } } } },
]

const resultsOf = (output: readonly unknown[]): readonly object[] =>
  output.flatMap((item) =>
    isObject(item) && item.type === 'function_call'
      ? [{ type: 'function_call_output', call_id: item.call_id, output: 'Seen.' }]
      : [],
  )

const turnIn = (body: string): string => /turn (\d+\.\d+) \./.exec(body.slice(body.lastIndexOf('turn ')))?.[1] ?? ''

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

class Accounts {
  readonly figures: Figures = {
    turns: 0,
    unanswered: 0,
    stayed: 0,
    calls: 0,
    repeated: 0,
    foreign: 0,
    own: 0,
    accepted: 0,
  }
  /** The calls of each turn, by the name of the turn in its last message. */
  private readonly calls = new Map<string, Call[]>()
  private readonly wire: SessionWire
  private readonly chance: Chance
  private issued = 0

  constructor(wire: SessionWire, chance: Chance) {
    this.wire = wire
    this.chance = chance
  }

  start = (lab: Lab, name: Name) =>
    lab.upstream((response, { text }) => {
      const issuers = issuersIn(text)
      const failed = this.chance() < FAILURE_RATE
      const made = turnIn(text)
      this.calls.set(made, [...(this.calls.get(made) ?? []), { name, failed, issuers }])
      const refuse = (status: number, error: object): void =>
        void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
      if (failed) return refuse(503, { message: 'Overloaded.' })
      if (issuers.some((issuer) => issuer !== name))
        return refuse(400, { message: 'It cannot be verified.', code: 'invalid_encrypted_content' })
      const { contentType } = WIRE_UPSTREAMS[this.wire]
      this.issued += 1
      const reasoning = { text: 'Hm.', seal: sealOf(name, this.issued) }
      const turn = { ...(SEALING.has(this.wire) ? { reasoning } : {}), text: ['Done.'], calls: [callOf(this.issued)] }
      response.writeHead(200, { 'content-type': contentType }).end(answerOf(this.wire, turn, String(this.issued)))
    })

  firstOf(turn: string): Name | null {
    return this.calls.get(turn)?.[0]?.name ?? null
  }

  /** Notes a turn, and returns the account that has answered it. `answered`: those of the turns before. */
  note(turn: string, home: Name | null, answered: readonly Name[]): Name | null {
    const { figures } = this
    const made = this.calls.get(turn) ?? []
    this.calls.delete(turn)
    const last = made.at(-1)
    figures.turns += 1
    figures.calls += made.length
    figures.foreign += made.filter(({ name, issuers }) => issuers.some((issuer) => issuer !== name)).length
    if (last === undefined || last.failed) {
      figures.unanswered += 1
      return null
    }
    if (last.name === home) figures.stayed += 1
    if (made.find(({ name }) => name === home)?.failed === false && made.length > 1) figures.repeated += 1
    if (SEALING.has(this.wire)) {
      figures.own += answered.filter((name) => name === last.name).length
      figures.accepted += last.issuers.filter((name) => name === last.name).length
    }
    return last.name
  }
}

function outputOf(stream: string): readonly unknown[] {
  const data = stream.split('\n').findLast((line) => line.startsWith('data: ') && line.includes('"response.completed"'))
  const event = parseJson(data?.slice('data: '.length) ?? '')
  const response = isObject(event) && isObject(event.response) ? event.response : {}
  return Array.isArray(response.output) ? response.output : []
}

async function converse(name: string, urls: readonly string[], model: string, accounts: Accounts, chance: Chance) {
  const input: unknown[] = []
  const answered: Name[] = []
  /** The account of the first call, which the conversation prefers. */
  let home: Name | null = null
  for (let at = 0; at < TURNS; at += 1) {
    const turn = `${name}.${at}`
    input.push({ role: 'user', content: `turn ${turn} .` })
    const include = ['reasoning.encrypted_content']
    const body = { model, input, tools: TOOLS, stream: true, include, prompt_cache_key: `conversation ${name}` }
    const answer = await send(`${urls[chance() < 0.5 ? 0 : 1]}${RESPONSES}`, body)
    const stream = await answer.text()
    home ??= accounts.firstOf(turn)
    const by = accounts.note(turn, home, answered)
    if (by === null) continue
    answered.push(by)
    const output = outputOf(stream)
    input.push(...output, ...resultsOf(output))
  }
}

const faultsOf = (wire: SessionWire, { unanswered, repeated, foreign }: Figures): readonly string[] =>
  Object.entries({ unanswered, repeated, foreign }).flatMap(([what, count]) =>
    count === 0 ? [] : [`${wire}: ${count} ${what}`],
  )

async function ofWire(wire: SessionWire, count: number, chance: Chance) {
  const lab = new Lab()
  const accounts = new Accounts(wire, chance)
  const pool = await Promise.all(
    NAMES.map(async (name) => ({
      name,
      base_url: (await accounts.start(lab, name)).url,
      key: `key-of-account-${name}`,
    })),
  )
  const { model, quirks } = WIRE_UPSTREAMS[wire]
  const retry = { attempts: 3, first_delay_ms: 1, longest_delay_ms: 5, budget_floor: 1_000_000, breaker_failures: 0 }
  const config = { vendors: { acme: { wire, quirks, pool } }, retry }
  const urls = [(await lab.server(config)).url, (await lab.server(config)).url]
  await eachOf(count, (at) => converse(String(at), urls, `acme/${model}`, accounts, chance))
  const { figures } = accounts
  const { turns, stayed, calls, own, accepted } = figures
  const reasoning = own === 0 ? '' : `, ${percent(accepted, own)} of the own reasoning accepted`
  return {
    figure: `${wire}: ${turns} turns, ${percent(stayed, turns)} stayed, ${(calls / turns).toFixed(3)} calls a turn${reasoning}`,
    faults: [...faultsOf(wire, figures), ...(await lab.close())],
  }
}

/** `size`: conversations of each wire. */
export const conversations: Scenario = async (size, chance) => {
  const outcomes = []
  for (const wire of SESSION_WIRES) outcomes.push(await ofWire(wire, size, chance))
  return {
    figure: outcomes.map(({ figure }) => figure).join('; '),
    faults: outcomes.flatMap(({ faults }) => faults),
  }
}
