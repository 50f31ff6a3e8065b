import type { Outcome } from '../engine/outcome.ts'
import { RULE_NAMES } from '../engine/rules/rules.ts'
import type { UpstreamCall } from '../engine/upstream-call.ts'
import type { Limits } from '../protocol/limits.ts'
import { ok, type Result } from '../protocol/result.ts'
import { checkFunctions, checkMachines, checkRules } from '../validation/arguments.ts'
import { redactor } from '../wires/redact.ts'
import { type CallAnswer, createCallAnswer } from './call-answer.ts'
import type { NamedClient } from './client-protocol.ts'
import { encodeFor } from './encode-for.ts'
import { randomId } from './streams.ts'
import type { CallOptions, TranslatorSettings } from './translator-types.ts'
import { keyRemedyOf, toUnsent } from './unsent.ts'
import { keyOf, type OpenRoute, toLowerCase } from './upstream-route.ts'

/** The parts of a call that are decided before its answer is known. */
export interface Encoding extends Omit<TranslatorSettings, 'limits'> {
  readonly client: NamedClient
  readonly route: OpenRoute
  readonly keyVariable?: string | undefined
  /** The option that holds the settings of the upstream, with a dot, for remedies. Default: `upstream.` */
  readonly place?: string
  readonly limits: Limits
}

/** A request in the protocol of its upstream, and what it has decided about its answer. */
interface AnsweredCall {
  readonly call: UpstreamCall
  readonly answer: CallAnswer
}

/** Encodes a request, and keeps what its answer needs. `onOutcome`: beside that of the options. */
export function encodeAnswered(
  parts: Encoding,
  body: unknown,
  options: CallOptions,
  onOutcome?: (outcome: Outcome) => void,
): Result<AnsweredCall> {
  const { client, keyVariable } = parts
  const { machines: ownMachines = [], requests: ownRequests = [], rules: ownRules = [] } = options
  // Those of the translator were checked with it.
  checkMachines(ownMachines)
  checkFunctions(ownRequests, 'requests')
  checkRules(ownRules, RULE_NAMES)
  const machines = joined(parts.machines, ownMachines)
  const requests = joined(parts.requests, ownRequests)
  const rules = joined(parts.rules, ownRules)
  const route = routeOf(parts, options)
  // V8 makes a hidden class for each object that begins with a spread and has further members.
  const encoded = encodeFor(client, route, body, Object.assign({}, options, { requests, rules }))
  if (!encoded.ok) return encoded
  const { call, routed } = encoded.value
  const { signal, format } = options
  const answer = createCallAnswer(routed, {
    client,
    id: options.id ?? randomId(),
    createdAt: options.createdAt ?? Math.floor(Date.now() / 1000),
    form: format === undefined ? {} : { format },
    machines,
    edits: call.edits,
    limits: parts.limits,
    redact: redactor(route.key === null ? [] : [route.key]),
    keyRemedy: keyRemedyOf(route, keyVariable, parts.place ?? 'upstream.'),
    toUnsent: (error) => toUnsent(error, call.url.href, signal),
    onOutcome(outcome) {
      options.onOutcome?.(outcome)
      onOutcome?.(outcome)
    },
  })
  return ok({ call, answer })
}

const joined = <T>(own: readonly T[] = [], more: readonly T[] = []): readonly T[] =>
  more.length === 0 ? own : [...own, ...more]

/** The route of one request. A name in the URL is the client's. */
function routeOf({ client, route, sign }: Encoding, { model, apiKey, headers }: CallOptions): OpenRoute {
  if (sign === undefined && model === undefined && apiKey === undefined && headers === undefined) return route
  const isInUrl = client.wire?.client.modelInPath === true
  return {
    ...route,
    ...(sign === undefined ? {} : { sign }),
    model: model === undefined || (isInUrl && route.model !== null) ? route.model : model,
    key: apiKey === undefined ? route.key : keyOf({ apiKey }),
    headers: headers === undefined ? route.headers : { ...route.headers, ...toLowerCase(headers) },
  }
}
