import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readClientRequest } from '../../src/engine/client-request.ts'
import { encodeAfter } from '../../src/engine/passes/apply-passes.ts'
import { ruleFacts } from '../../src/engine/passes/rules.ts'
import { mendRequest } from '../../src/engine/rules/mend-request.ts'
import { RULE_NAMES, rulesFor } from '../../src/engine/rules/rules.ts'
import { originOf, type UpstreamRoute } from '../../src/engine/upstream-call.ts'
import type { Json, JsonObject } from '../../src/protocol/json.ts'
import type { Request } from '../../src/protocol/request.ts'
import { createOpen } from '../../src/responses/encrypted-content.ts'
import { runSteps } from '../../src/text/steps.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { quirksOn } from '../../src/vendors/vendor.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { type ClientWireName, HAS_CLIENTS } from '../../src/wires/names.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { awkwardBody } from '../arbitraries/awkward-requests.ts'
import { brokenRules } from '../engine/broken-rules.ts'
import { encodeFrom, protocolOf, routeTo } from '../engine/encode-from.ts'
import { WITNESSES, type Witness } from '../engine/rule-witnesses.ts'
import { check, IS_WHOLE } from '../property.ts'

/**
 * Law 13 for passed bodies, by rule: for each rule, bodies of each protocol that break it go to vendors of that protocol,
 * and no body that leaves breaks it. The law reads what leaves as a request, and asks the rules about it.
 */

const CLIENTS = (Object.keys(HAS_CLIENTS) as WireName[]).filter((wire): wire is ClientWireName => HAS_CLIENTS[wire])

const MODELS = [
  'claude-opus-5-5',
  'claude-opus-4-8',
  'claude-sonnet-4-5',
  'claude-3-7-sonnet-latest',
  'gpt-6-sol',
  'gpt-5',
  'gpt-5.2',
  'gpt-4.1',
  'o3',
  'gemini-3.8-flash',
  'gemini-2.5-pro',
  'grok-4.6',
  'deepseek-v4-pro',
  'deepseek-reasoner',
  'kimi-k3',
  'glm-5.3',
  'qwen3-32b',
  'llama-3.3-70b',
  'mistral-large-4',
  'gpt-oss-120b',
  'sonar-pro',
  'zephyr',
] as const

/** Rules that change no body of the upstream's own protocol. */
const OF_TRANSLATED: readonly string[] = [
  // The upstream ignores the name, and receives it as the client has sent it.
  'names of files',
]

interface Upstream {
  readonly wire: ClientWireName
  readonly route: UpstreamRoute
}

const UPSTREAMS: readonly Upstream[] = VENDOR_NAMES.flatMap((vendor) => {
  const row = findVendor(vendor) ?? expect.unreachable(vendor)
  const wires = [row.wire, ...(Object.keys(row.wires ?? {}) as WireName[])]
  return CLIENTS.filter((wire) => wires.includes(wire)).flatMap((wire) =>
    MODELS.map((model) => ({
      wire,
      route: routeTo(vendor, model, { wire: WIRES[wire], quirks: quirksOn(row, wire) }),
    })),
  )
})

const targetOf = (route: UpstreamRoute) => ({
  model: route.model,
  quirks: route.quirks,
  open: createOpen(originOf(route), undefined),
})

/** The protocol has the name of the model in the body, except for Gemini. */
const named = (wire: WireName, body: JsonObject): JsonObject =>
  wire === 'gemini-generate' ? body : { ...body, model: 'vendor/model' }

/** The features of all vendors, with which a body contains everything that a request asks for. */
const OPEN: Quirks = { openaiModels: true, openaiFields: true, customTools: true }

const HI = { role: 'user', content: 'Hi' }
const inChat = (body: object) => ({ ...CHAT, body: { model: 'vendor/model', messages: [HI], ...body } })
const CHAT = { client: 'openai-chat', vendor: 'openai-chat', model: 'gpt-5.2' } as const
const schemaOf = (schema: object) => ({ response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } })

/** Further requests that break a rule, in another part of the request. */
const MORE: Readonly<Record<string, readonly Omit<Witness, 'refused'>[]>> = {
  'schemas that are none': [inChat(schemaOf({ type: 'object', properties: {}, required: null }))],
  'schemas of functions': [inChat(schemaOf({ type: 'array', items: { type: 'string' } }))],
}

/** The requests of a rule as bodies of a client of this protocol, before any rule. */
const bodiesOf = (rule: string, wire: WireName): readonly JsonObject[] =>
  [WITNESSES[rule] ?? expect.unreachable(rule), ...(MORE[rule] ?? [])]
    .map((one) => bodyOf(one, wire))
    .filter((body) => body !== null)

/** Null: the protocol has no such request. */
function bodyOf(witness: Omit<Witness, 'refused'>, wire: WireName): JsonObject | null {
  if (witness.client === wire) return witness.body as JsonObject
  const route = routeTo(witness.vendor, witness.model)
  const read = runSteps(readClientRequest(witness.body, protocolOf(witness.client, route)))
  if (!read.ok) return expect.unreachable(read.error.message)
  const target = { ...targetOf(route), model: 'a-model-of-tomorrow', quirks: OPEN }
  const encoded = runSteps(encodeAfter([], WIRES[wire], read.value.request, target))
  return encoded.ok ? named(wire, JSON.parse(JSON.stringify(encoded.body)) as JsonObject) : null
}

const readOwn = (body: JsonObject, { wire, route }: Upstream): Request | null => {
  const read = runSteps(readClientRequest(body, protocolOf(wire, route)))
  return read.ok ? read.value.request : null
}

const encodeAsItIs = (request: Request, { wire, route }: Upstream): unknown => {
  const encoded = runSteps(encodeAfter([], WIRES[wire], request, targetOf(route)))
  return encoded.ok ? encoded.body : null
}

/** The only setting that a body may have in a form that its protocol does not read, such as `enable_thinking`. */
const isEffort = (member: string): boolean => member === 'reasoning.effort'

/** The rules that a body breaks: they change the request that it is, and the body that it becomes. */
function faultsOf(body: JsonObject, upstream: Upstream): readonly string[] {
  const { wire, route } = upstream
  const facts = ruleFacts(route, wire)
  const request = readOwn(body, upstream)
  if (request === null) return ['not readable']
  const { request: mended, changes } = runSteps(mendRequest(request, facts, rulesFor(facts)))
  const known = brokenRules(body, facts)
  if (isDeepStrictEqual(mended, request)) return known
  if (isDeepStrictEqual(encodeAsItIs(mended, upstream), encodeAsItIs(request, upstream))) return known
  if (changes.flatMap(({ members }) => members).every(isEffort)) {
    const again = encodeFrom(body, protocolOf(wire, route), { ...route, passthrough: false })
    const { model: _, ...sent } = body
    const { model: __, ...other } = again.ok ? (JSON.parse(JSON.stringify(again.value.body)) as JsonObject) : {}
    if (isDeepStrictEqual(other, sent)) return known
  }
  return [...known, ...changes.map(({ rule }) => rule)]
}

interface Counts {
  broken: number
  passed: number
  refused: number
}

/** Sends a body that may break rules, and counts it if it breaks this one. */
function send(rule: string, body: JsonObject, upstream: Upstream, counts: Counts): void {
  const { wire, route } = upstream
  if (!faultsOf(body, upstream).includes(rule)) return
  counts.broken += 1
  const call = encodeFrom(body, protocolOf(wire, route), route)
  if (!call.ok) {
    expect(call.error).toMatchObject({ party: 'client' })
    counts.refused += 1
    return
  }
  if (call.value.edits !== null) counts.passed += 1
  const sent = JSON.parse(JSON.stringify(call.value.body)) as JsonObject
  expect(
    faultsOf(named(wire, sent), upstream),
    `${route.vendor} ${wire} ${route.model} ${JSON.stringify(body)} → ${JSON.stringify(sent)}`,
  ).toEqual([])
}

/** The bodies of a rule in this protocol, each with an upstream that has the rule: with all, or in a short run with a few. */
function casesOf(rule: string, wire: ClientWireName): readonly (readonly [JsonObject, Upstream])[] {
  const bodies = bodiesOf(rule, wire)
  const upstreams = bodies.length === 0 ? [] : upstreamsWith(rule, wire)
  return bodies.flatMap((body) => upstreams.map((upstream) => [body, upstream] as const))
}

function upstreamsWith(rule: string, wire: ClientWireName): readonly Upstream[] {
  const more = WITNESSES[rule]?.quirks
  const own = UPSTREAMS.filter((one) => one.wire === wire).map(
    (one): Upstream =>
      more === undefined ? one : { wire, route: { ...one.route, quirks: { ...one.route.quirks, ...more } } },
  )
  const all = own.filter((one) => rulesFor(ruleFacts(one.route, wire)).some(({ name }) => name === rule))
  const every = Math.max(1, Math.floor(all.length / (IS_WHOLE ? 150 : 8)))
  return all.filter((_, at) => at % every === 0)
}

describe('a passed body', () => {
  it.each(RULE_NAMES.filter((name) => !OF_TRANSLATED.includes(name)))('does not break the rule: %s', (rule) => {
    const counts: Counts = { broken: 0, passed: 0, refused: 0 }
    for (const wire of CLIENTS) for (const [body, upstream] of casesOf(rule, wire)) send(rule, body, upstream, counts)
    // The law has seen the rule broken, and a body that left.
    expect(counts.broken, rule).toBeGreaterThan(0)
    expect(counts.refused, rule).toBeLessThan(counts.broken)
  })

  it.each(OF_TRANSLATED)('cannot break the rule: %s', (rule) => {
    for (const wire of CLIENTS)
      for (const [body, upstream] of casesOf(rule, wire)) expect(faultsOf(body, upstream)).not.toContain(rule)
  })
})

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : [])

/** A body that breaks a rule among everything else that another one may have. */
const joined = (own: JsonObject, other: JsonObject): JsonObject => ({
  ...other,
  ...own,
  ...Object.fromEntries(
    ['messages', 'input', 'contents', 'tools']
      .filter((name) => Array.isArray(own[name]) || Array.isArray(other[name]))
      .map((name) => [name, [...listOf(own[name]), ...listOf(other[name])]]),
  ),
})

it('no passed body breaks any rule where a request breaks several', () => {
  const seen = new Set<string>()
  const cases = CLIENTS.filter((wire) => wire !== 'gemini-interactions').flatMap((wire) =>
    RULE_NAMES.flatMap((rule) => bodiesOf(rule, wire).map((body) => ({ wire, rule, body }))),
  )
  check(
    fc.property(
      fc.constantFrom(...cases).chain((one) => fc.tuple(fc.constant(one), awkwardBody(one.wire))),
      fc.nat(),
      ([{ wire, rule, body }, other], at) => {
        const upstreams = UPSTREAMS.filter((one) => one.wire === wire)
        const upstream = upstreams[at % upstreams.length] ?? expect.unreachable(wire)
        const counts: Counts = { broken: 0, passed: 0, refused: 0 }
        const all = joined(body, other)
        for (const one of faultsOf(all, upstream)) if (RULE_NAMES.includes(one)) seen.add(one)
        send(rule, all, upstream, counts)
      },
    ),
    4000,
  )
  if (IS_WHOLE) expect(seen.size).toBeGreaterThan(30)
})
