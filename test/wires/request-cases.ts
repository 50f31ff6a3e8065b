import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { type ClientProtocol, type ClientRequest, readClientRequest } from '../../src/engine/client-request.ts'
import { explainCall } from '../../src/engine/explain/explain-call.ts'
import { encodeUpstreamCall, originOf, routeRequest, type UpstreamRoute } from '../../src/engine/upstream-call.ts'
import type { GatewayError } from '../../src/protocol/error.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { formatLoss, type Loss } from '../../src/protocol/loss.ts'
import type { Result } from '../../src/protocol/result.ts'
import { valueAt } from '../../src/text/json-path.ts'
import { runSteps, type Steps } from '../../src/text/steps.ts'
import type { History } from '../../src/validation/items.ts'
import { validateRequest } from '../../src/validation/request.ts'
import { findVendor } from '../../src/vendors/registry.ts'
import type { DecodeContext } from '../../src/wires/client-contract.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { clientOf } from '../engine/client-of.ts'
import { type Addressed, encodeFitted, encodeInSteps } from '../engine/encode-request.ts'
import { targetOf } from '../engine/target.ts'
import { requestOf } from '../request-bodies.ts'

/**
 * Requests as data. Each case is tested in one piece, in slices, through the explanation, and through the passthrough
 * of a wire that has clients.
 */

/** Members of an object. */
export type Fields = object

interface Outcome {
  /** In a list: the rest of the title, as text or JSON. Left out: the members of the request. */
  readonly name?: unknown
  /**
   * Places of losses, in their order: `top_p, temperature mapped`; an action that is not named is `dropped`. In a list,
   * with reasons: `input[1] mapped: moved to the system prompt`.
   */
  readonly losses?: string | readonly string[]
  /** The place of the error, and words of its message; the whole message, if they begin with the place. */
  readonly error?: string | readonly [place: string, words: string]
}

/** A request of the hub, and what an upstream receives for it. */
export interface UpstreamCase extends Outcome {
  /** Members of the request, beside a model and the input "Hi". */
  readonly request?: Fields
  readonly stop?: readonly string[]
  readonly model?: string
  readonly quirks?: Quirks
  /** Members of the body that differ from `base`; undefined: there is none. Left out: the body is not compared. */
  readonly sent?: Fields
  readonly path?: string
  readonly headers?: Fields
}

/** A request of a client, and what the hub reads. */
export interface ClientCase extends Outcome {
  /** Members of the client's body that differ from `base`. */
  readonly body?: Fields
  readonly context?: Partial<DecodeContext>
  /** Members of the hub's request that differ from those of `base`. Left out: the request is not compared. */
  readonly request?: Fields
  readonly stop?: readonly string[]
  readonly settings?: Fields
}

export type Cases<Case> = Readonly<Record<string, Case | readonly Case[]>>

/** Cases of a subject by their titles, as `describe` and `it` print them. A title may have several cases. */
export interface Titled<Case> {
  readonly subject: string
  readonly cases: Cases<Case>
}

/** The requests to an upstream. */
export interface UpstreamRequests {
  readonly wire: KnownWire
  readonly model: string
  /** The body for a request without further members. */
  readonly base: (model: string) => Fields
  readonly groups: readonly Titled<UpstreamCase>[]
}

/** The requests of clients. */
export interface ClientRequests {
  readonly wire: KnownWire
  readonly context: DecodeContext
  readonly base: Fields
  /** The request and the settings that the hub reads from `base`. */
  readonly request: Fields
  readonly settings: Fields
  /** Whether messages of the assistant need an id and a status. Left out: `lenient`. */
  readonly history?: History
  readonly groups: readonly Titled<ClientCase>[]
}

const nameOf = ({ name, body, request }: Pick<UpstreamCase & ClientCase, 'name' | 'body' | 'request'>): string =>
  typeof name === 'string' ? name : JSON.stringify(name ?? body ?? request)

/** `title`: stands before the names of the cases. */
export function titled<Case extends { readonly name?: unknown }>(
  subject: string,
  title: string,
  named: Cases<Case> | readonly Case[],
): Titled<Case> {
  const entries = Array.isArray(named)
    ? (named as readonly Case[]).map((one) => [nameOf(one), one] as const)
    : Object.entries(named as Cases<Case>)
  const cases = Object.fromEntries(entries.map(([name, one]) => [title + name, one]))
  if (Object.keys(cases).length < entries.length) throw new Error(`${subject}: two cases have the same title`)
  return { subject, cases }
}

export const upstreamCases: typeof titled<UpstreamCase> = titled
export const clientCases: typeof titled<ClientCase> = titled

/** Returns the cases of a title. */
export const listed = <Case>(cases: Case | readonly Case[]): readonly Case[] =>
  Array.isArray(cases) ? (cases as readonly Case[]) : [cases as Case]

export const quirksOf = (vendor: string): Quirks => findVendor(vendor)?.quirks ?? expect.unreachable(vendor)

const linesOf = (losses: readonly Loss[]): readonly string[] => losses.map(({ path, action }) => `${path} ${action}`)

function expectLosses(found: readonly Loss[], { losses = '' }: Outcome): void {
  const entries = typeof losses === 'string' ? losses.split(', ').filter((entry) => entry !== '') : losses
  const expected = entries.map((entry) => (entry.includes(' ') ? entry : `${entry} dropped`))
  const lines = linesOf(found)
  expect(found.map((loss, at) => (expected[at]?.includes(': ') ? formatLoss(loss) : lines[at]))).toEqual(expected)
}

function expectError(found: GatewayError | undefined, { error = '' }: Outcome): void {
  const [param, words] = typeof error === 'string' ? [error, ''] : error
  expect(found).toMatchObject({ party: 'client', status: 400, param })
  if (words.startsWith(`${param}: `)) expect(found).toMatchObject({ message: words, code: 'invalid_prompt' })
  else expect(found?.message).toContain(words)
}

/** Makes every change of a value in place an exception. Values may be nested deeper than the stack. */
function frozen<Value>(value: Value): Value {
  const left: unknown[] = [value]
  for (let inner = left.pop(); left.length > 0 || inner !== undefined; inner = left.pop())
    if (typeof inner === 'object' && inner !== null && !Object.isFrozen(inner))
      left.push(...Object.values(Object.freeze(inner)).filter((one) => typeof one === 'object' && one !== null))
  return value
}

/** Runs the steps, and between them all steps of another request. */
function runPaused<Result>(steps: Steps<Result>, other: () => Steps<unknown>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    runSteps(other())
  }
}

/** Tests each title with each check. */
function testTitles<Case>(
  groups: readonly Titled<Case>[],
  checks: Readonly<Record<string, (one: Case, other: Case) => void>>,
  applies: (way: string, one: Case) => boolean,
): void {
  const all = groups.flatMap(({ cases }) => Object.values(cases).flatMap((found) => listed<Case>(found)))
  const other = (one: Case): Case => all[(all.indexOf(one) + 1) % all.length] ?? one
  for (const { subject, cases } of groups) {
    const make = () => {
      for (const [title, found] of Object.entries(cases))
        for (const [way, check] of Object.entries(checks)) {
          const those = listed<Case>(found).filter((one) => applies(way, one))
          if (those.length > 0) it(title + way, () => those.forEach((one) => check(one, other(one))))
        }
    }
    if (subject === '') make()
    else describe(subject, make)
  }
}

const routeOf = (wire: KnownWire, model: string, quirks: Quirks, passthrough: boolean): UpstreamRoute => ({
  wire,
  quirks,
  vendor: 'acme',
  model,
  baseUrl: 'https://upstream.test',
  key: null,
  headers: {},
  passthrough,
  cache: 'client',
})

/** Returns the value of a result; throws if there is an error. */
function succeeded<Value>(result: Result<Value>): Value {
  return result.ok ? result.value : expect.unreachable(result.error.message)
}

/** Every path of an explanation exists in the bodies that it explains, and each change has their values. */
function expectExplained(client: ClientRequest, route: UpstreamRoute, forms: readonly unknown[]): void {
  const routed = routeRequest(client, route)
  const call = succeeded(runSteps(encodeUpstreamCall(routed)))
  const { upstream, origins, losses, changes } = explainCall({ routed, call }, null)
  const absent = (values: readonly unknown[], paths: readonly string[]) =>
    paths.filter((path) => values.every((value) => valueAt(value, path) === undefined))
  const lost = losses.map(({ path }) => path).filter((path) => path !== 'tools')
  expect(absent(forms, [...lost, ...origins.map(([, path]) => path)])).toEqual([])
  expect(
    absent(
      [upstream],
      origins.map(([path]) => path),
    ),
  ).toEqual([])
  for (const { path, upstreamPath, before, after } of changes) {
    if (before !== undefined) expect(valueAt(client.sent.body, path ?? '')).toEqual(before)
    if (after !== undefined) expect(valueAt(upstream, upstreamPath ?? '')).toEqual(after)
  }
}

/** Reads a body of a client of the wire's own protocol. */
function readOwn(body: unknown, route: UpstreamRoute, context: Partial<DecodeContext> = {}): Result<ClientRequest> {
  const { client, name } = route.wire
  const { model = null, stream = null } = context
  const protocol: ClientProtocol =
    client === undefined
      ? { dialect: openai }
      : { wire: { name, client }, sealing: { origin: originOf(route) }, model, stream }
  return runSteps(readClientRequest(body, protocol))
}

/** Tests the requests to an upstream. */
export function testUpstreamRequests({ wire, model: usual, base, groups }: UpstreamRequests): void {
  const requestFor = ({ request, stop }: UpstreamCase) => {
    const valid = requestOf({ ...request })
    return frozen(stop === undefined ? valid : { ...valid, stop })
  }
  const targetFor = ({ model = usual, quirks }: UpstreamCase) => targetOf(wire.name, quirks, model)
  const routeFor = ({ model = usual, quirks = {} }: UpstreamCase, passthrough: boolean) =>
    routeOf(wire, model, quirks, passthrough)
  const encode = (one: UpstreamCase): Addressed => encodeFitted(wire, requestFor(one), targetFor(one))
  const stepsOf = (one: UpstreamCase) => encodeInSteps(wire, requestFor(one), targetFor(one))

  testTitles<UpstreamCase>(
    groups,
    {
      '': (one) => {
        const { model = usual, sent, path, headers } = one
        const encoded = encode(one)
        if (one.error !== undefined) expectError(encoded.ok ? undefined : encoded.error, one)
        else if (!encoded.ok) expect.unreachable(encoded.error.message)
        else {
          if (sent !== undefined) expect(encoded.body).toEqual({ ...base(model), ...sent })
          if (path !== undefined) expect(encoded.path).toBe(path)
          if (headers !== undefined) expect(encoded.headers).toEqual(headers)
          expectLosses(encoded.losses, one)
        }
      },
      ', in slices': (one, other) => {
        expect(runPaused(stepsOf(one), () => stepsOf(other))).toEqual(runSteps(stepsOf(one)))
      },
      ', explained': (one) => {
        const request = requestFor(one)
        const body = frozen({ model: 'vendor/model', input: 'Hi', stop: one.stop, ...one.request })
        const client = clientOf(request, body)
        const encoded = runSteps(stepsOf(one))
        // The hub reads a text as a list with one part.
        if (encoded.ok) expectExplained(client, routeFor(one, false), [body, request])
        else expect(runSteps(encodeUpstreamCall(routeRequest(client, routeFor(one, false))))).toEqual(encoded)
      },
      // An encoded body is one of the wire's own protocol: its clients could have sent it.
      ', passed through': (one) => {
        const encoded = runSteps(stepsOf(one))
        if (!encoded.ok) return expect.unreachable(encoded.error.message)
        const route = routeFor(one, true)
        const inPath = wire.name === 'gemini-generate'
        const own = inPath ? encoded.body : { model: route.model, ...encoded.body }
        const client = succeeded(readOwn(own, route, inPath ? { model: route.model, stream: true } : {}))
        const call = succeeded(runSteps(encodeUpstreamCall(routeRequest(client, route))))
        expect(call.body).toEqual(encoded.body)
        expect(linesOf(call.losses)).toEqual([])
      },
    },
    (way, { error }) => way !== ', passed through' || (wire.passthrough !== undefined && error === undefined),
  )
}

/** Tests the requests of clients. */
export function testClientRequests(requests: ClientRequests): void {
  const { wire, context, base, request: usual, settings, history = 'lenient', groups } = requests
  const { client } = wire
  if (client === undefined) throw new Error(`${wire.name} has no clients`)
  const bodyOf = ({ body }: ClientCase) => frozen({ ...base, ...body }) as JsonObject
  const stepsOf = (one: ClientCase) => client.decodeRequest(bodyOf(one), { ...context, ...one.context })
  const read = (one: ClientCase, passthrough: boolean) => {
    const route = routeOf(wire, 'm-1', {}, passthrough)
    return { route, read: readOwn(bodyOf(one), route, { ...context, ...one.context }) }
  }

  testTitles<ClientCase>(
    groups,
    {
      '': (one) => {
        const decoded = runSteps(stepsOf(one))
        if (one.error !== undefined) {
          const error = decoded.ok ? decoded.required?.error : decoded.error
          expectError(error, one)
          expect(error?.message).toMatch(new RegExp(`^${error?.param?.replace(/[.[\]]/g, '\\$&')}: `))
        } else if (!decoded.ok) expect.unreachable(decoded.error.message)
        else {
          expect(validateRequest(decoded.body, history)).toMatchObject({ ok: true })
          if (one.request !== undefined) expect(decoded.body).toEqual({ ...usual, ...one.request })
          expect(decoded.stop).toEqual(one.stop ?? null)
          expect(decoded.settings).toEqual({ ...settings, ...one.settings })
          expectLosses(decoded.losses, one)
        }
      },
      ', in slices': (one, other) => {
        const { toClientPath: _, ...whole } = runSteps(stepsOf(one))
        const { toClientPath, ...paused } = runPaused(stepsOf(one), () => stepsOf(other))
        expect(paused).toEqual(whole)
      },
      ', explained': (one) => {
        const { route, read: found } = read(one, false)
        if (one.error === undefined) expectExplained(succeeded(found), route, [bodyOf(one)])
        else expectError(found.ok ? (found.value.untranslatable ?? found.value.required?.error) : found.error, one)
      },
      ', passed through': (one) => {
        const { route, read: found } = read(one, true)
        const own = succeeded(found)
        const call = succeeded(runSteps(encodeUpstreamCall(routeRequest(own, route))))
        const { body: sent, unsupported } = own.sent
        const whole = call.edits?.includes('model') === true ? { ...(sent as object), model: route.model } : sent
        if (call.edits?.every((name) => name === 'model') === true) {
          expect(call.body).toEqual(whole)
          expect(call.losses).toEqual([])
        } else if (call.edits !== null) expect(call.body).not.toEqual(whole)
        const lost = new Set(call.losses.map(({ path }) => path))
        const kept = [...unsupported].filter((path) => !lost.has(path))
        expect(kept.map((path) => valueAt(call.body, path))).toEqual(kept.map((path) => valueAt(sent, path)))
      },
    },
    (way, { error }) => way !== ', passed through' || error === undefined,
  )
}
