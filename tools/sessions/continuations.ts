import { checkStream } from '../../src/dialects/check-stream.ts'
import { openai } from '../../src/dialects/openai.ts'
import { WIRE_UPSTREAMS } from '../../test/mock-upstreams/wires.ts'
import {
  answerOf,
  below,
  type Chance,
  choose,
  eachOf,
  Lab,
  RESPONSES,
  type Scenario,
  SESSION_WIRES,
  send,
} from './lab.ts'
import { textIn, wordsOf } from './texts.ts'

/**
 * Streams whose upstreams break off at any byte, up to twice, each with three routes over the four wires. The next
 * upstream goes on where the text that it receives ends, in pieces of its own. Laws: the client has each text once and
 * whole, in one valid stream.
 */
const MOST_DEATHS = 2
const ROUTES = MOST_DEATHS + 1

interface Plan {
  readonly text: string
  /** The share of its bytes that each dying call sends. */
  readonly deaths: readonly number[]
  calls: number
}

/** The text without what the request, as JSON, already has of it. */
function restOf(text: string, request: string): string {
  let length = text.length
  while (length > 0 && !request.includes(JSON.stringify(text.slice(0, length)).slice(1, -1))) length -= 1
  return text.slice(length)
}

/** Pieces of an upstream, as of a tokenizer. */
function piecesOf(text: string, chance: Chance): readonly string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + 1 + below(9, chance)
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

/** `size`: streams. */
export const continuations: Scenario = async (size, chance) => {
  const lab = new Lab()
  const plans = new Map<string, Plan>()
  let calls = 0
  const vendors: Record<string, object> = {}
  for (const wire of SESSION_WIRES) {
    const { contentType, quirks } = WIRE_UPSTREAMS[wire]
    const { url } = await lab.upstream((response, { text: request }) => {
      const plan = plans.get(/stream (\d+) \./.exec(request)?.[1] ?? '')
      if (plan === undefined) return void response.writeHead(404).end()
      const death = plan.deaths[plan.calls]
      plan.calls += 1
      calls += 1
      const bytes = answerOf(wire, { text: piecesOf(restOf(plan.text, request), chance), calls: [] }, `${calls}`)
      response.writeHead(200, { 'content-type': contentType })
      if (death === undefined) response.end(bytes)
      else response.write(bytes.subarray(0, 1 + Math.floor(death * (bytes.length - 1))), () => response.destroy())
    })
    vendors[wire] = { wire, base_url: url, key: 'x', quirks }
  }
  const targets = SESSION_WIRES.map((wire) => `${wire}/${WIRE_UPSTREAMS[wire].model}`)
  const names = eachChain(targets.length)
  const models = names.map((chain) => ({
    match: `chain-${chain.join('-')}`,
    to: chain.map((at) => targets[at] ?? ''),
    continue: true,
  }))
  const retry = { attempts: 3, first_delay_ms: 1, longest_delay_ms: 5, budget_floor: 1_000_000, breaker_failures: 0 }
  const server = await lab.server({ vendors, models, retry })
  let died = 0
  const found = await eachOf(size, async (at) => {
    const text = wordsOf(20, at, chance)
    const deaths = Array.from({ length: below(MOST_DEATHS + 1, chance) }, chance)
    died += deaths.length
    plans.set(String(at), { text, deaths, calls: 0 })
    const chain = choose(names, chance)
    const body = { model: `chain-${chain.join('-')}`, input: `stream ${at} .`, stream: true }
    const stream = await (await send(`${server.url}${RESPONSES}`, body)).text()
    const violations = checkStream(stream, openai)
    const where = `stream ${at} over ${chain.map((one) => SESSION_WIRES[one]).join(', ')}, dying at ${deaths.map((share) => share.toFixed(3)).join(' and ')}`
    if (textIn(stream) !== text) return [`${where}: "${textIn(stream)}" instead of "${text}"`]
    return violations.length === 0 ? [] : [`${where}: ${JSON.stringify(violations[0])}`]
  })
  const faults = found.flat()
  return {
    figure: `${size - faults.length} of ${size} streams whole, after ${died} upstreams that broke off`,
    faults: [...faults, ...(await lab.close())],
  }
}

/** All chains of routes over so many targets, without a target twice in a row: it would be a retry. */
function eachChain(targets: number): readonly (readonly number[])[] {
  let chains: (readonly number[])[] = [[]]
  for (let length = 0; length < ROUTES; length += 1)
    chains = chains.flatMap((chain) =>
      Array.from({ length: targets }, (_, next) => next)
        .filter((next) => !chain.includes(next))
        .map((next) => [...chain, next]),
    )
  return chains
}
