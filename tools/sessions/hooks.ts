import type { Delta, HookOptions } from '../../src/server.ts'
import { WIRE_UPSTREAMS } from '../../test/mock-upstreams/wires.ts'
import { choose, eachOf, Lab, type Scenario, SESSION_WIRES, send } from './lab.ts'

/**
 * Code of the operator that fails in every way, in exchanges of all clients and wires, streamed and whole. Laws: the
 * client learns that a hook has failed, or has the answer that the hook has changed; the gateway goes on.
 */
type Machine = ReturnType<NonNullable<HookOptions['machines']>[number]>

const never = (): never => {
  throw new Error('of the operator')
}

const upperCase: Machine = {
  initial: null,
  step: (state: unknown, delta: Delta) => ({
    state,
    events: [delta.kind === 'text' ? { ...delta, text: delta.text.toUpperCase() } : delta],
  }),
  end: () => [],
}

const MACHINES: Readonly<Record<string, () => Machine>> = {
  'machine throws at once': never,
  'machine throws in a step': () => ({ ...upperCase, step: never }),
  'machine throws at the end': () => ({ ...upperCase, end: never }),
}

const REQUESTS: Readonly<Record<string, () => unknown>> = {
  'request throws': never,
  'request rejects': () => Promise.reject(new Error('of the operator')),
  'request returns nothing': () => undefined,
  'request returns a number': () => 1,
}

const WELL = 'all is well'
const KINDS = [WELL, ...Object.keys(MACHINES), ...Object.keys(REQUESTS)]

const kindIn = (value: unknown): string => KINDS.find((kind) => JSON.stringify(value).includes(kind)) ?? WELL

const HOOKS: HookOptions = {
  machines: [({ request }) => (MACHINES[kindIn(request)] ?? (() => upperCase))()],
  requests: [(request) => (REQUESTS[kindIn(request)] ?? (() => request))() as typeof request],
}

const CLIENTS: Readonly<Record<string, (text: string) => object>> = {
  '/openai/v1/responses': (input) => ({ input }),
  '/openai/v1/chat/completions': (content) => ({ messages: [{ role: 'user', content }] }),
  '/openai/v1/messages': (content) => ({ max_tokens: 99, messages: [{ role: 'user', content }] }),
}

/** Of a failure, in the form of any client: a type, a code, or the message alone. */
const FAILED = /hook_failed|[Tt]he hook /

/** `size`: requests. */
export const hooks: Scenario = async (size, chance) => {
  const lab = new Lab()
  const vendors: Record<string, object> = {}
  const turn = { text: ['all ', 'lower'], calls: [] }
  for (const wire of SESSION_WIRES) {
    const { contentType, encodeTurn, quirks } = WIRE_UPSTREAMS[wire]
    const { url } = await lab.upstream((response) => {
      response.writeHead(200, { 'content-type': contentType }).end(encodeTurn(turn))
    })
    vendors[wire] = { wire, base_url: url, key: 'x', quirks }
  }
  const server = await lab.server({ vendors }, HOOKS)
  const found = await eachOf(size, async (at) => {
    const wire = choose(SESSION_WIRES, chance)
    const kind = choose(KINDS, chance)
    const path = choose(Object.keys(CLIENTS), chance)
    const body = { model: `${wire}/${WIRE_UPSTREAMS[wire].model}`, stream: true, ...CLIENTS[path]?.(`${at}: ${kind}`) }
    const answer = await (await send(server.url + path, body)).text()
    const isRight = kind === WELL ? answer.includes('LOWER') && !FAILED.test(answer) : FAILED.test(answer)
    return isRight ? [] : [`${kind}, ${path} over ${wire}: ${answer.slice(0, 200)}`]
  })
  const faults = found.flat()
  return {
    figure: `${size - faults.length} of ${size} requests as their hooks decide, ${KINDS.length} kinds of hooks`,
    faults: [...faults, ...(await lab.close())],
  }
}
