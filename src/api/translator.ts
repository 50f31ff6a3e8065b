import { openai } from '../dialects/openai.ts'
import type { Outcome } from '../engine/outcome.ts'
import { RULE_NAMES } from '../engine/rules/rules.ts'
import { withLimits } from '../engine/stream-translator.ts'
import type { Target } from '../engine/target.ts'
import type { UpstreamCall } from '../engine/upstream-call.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import { ok, type Result } from '../protocol/result.ts'
import {
  checkCall,
  checkFailure,
  checkFunctions,
  checkInput,
  checkMachines,
  checkOptions,
  checkReadOnce,
  checkRules,
} from '../validation/arguments.ts'
import { checkOptionValues } from '../validation/option-values.ts'
import { hideKeys, redactor } from '../wires/redact.ts'
import { isFetchResponse } from './answer-input.ts'
import { type CallAnswer, createCallAnswer } from './call-answer.ts'
import { type ClientProtocolObject, type NamedClient, targetOf, toClient } from './client-protocol.ts'
import { encodeFor } from './encode-for.ts'
import { type Collected, type EventStream, type KeepAliveOptions, streamHeaders } from './output-streams.ts'
import type { WriteOptions } from './stream-options.ts'
import {
  collectResponse,
  randomId,
  readAnswerBody,
  rejected,
  streamEvents,
  translateIterable,
  translateStream,
} from './streams.ts'
import {
  CALL_OPTIONS,
  type CallOptions,
  type CallReadOptions,
  type RefusedCall,
  TRANSLATOR_SETTINGS,
  type Translator,
  type TranslatorCall,
  type TranslatorObjects,
  type TranslatorSettings,
} from './translator-types.ts'
import { keyRemedyOf, toUnsent } from './unsent.ts'
import { keyOf, type OpenRoute, routeTo, toLowerCase, UPSTREAM_OBJECT } from './upstream-route.ts'

/** Stands for the response of a request that could not be sent. */
const UNSENT = Symbol('unsent')

/** The protocols and the settings of a translator, ready for its requests. */
interface TranslatorParts extends TranslatorSettings {
  readonly client: NamedClient
  readonly route: OpenRoute
  readonly keyVariable?: string | undefined
  /** The option that holds the settings of the upstream, with a dot, for remedies. Default: `upstream.` */
  readonly place?: string
  /** Adds what a program of names has beside that of objects. */
  readonly fastPath?: WriteOptions['fastPath']
}

const OBJECT_OPTIONS = [...TRANSLATOR_SETTINGS, 'client', 'upstream']

/**
 * A translator of objects: a bundle contains only the protocols that the program imports.
 *
 * @throws TypeError for an option that does not exist, and for a base URL that is none.
 */
export function createTranslator(
  options: TranslatorObjects<Extract<ClientProtocolObject, { readonly events: unknown }>>,
): Translator<ResponseEvent, ResponseObject>
export function createTranslator(options: TranslatorObjects): Translator<JsonObject, JsonObject>
export function createTranslator(options: TranslatorObjects): Translator<never, never> {
  checkOptions(options, OBJECT_OPTIONS)
  checkOptionValues(options)
  const { client = openai, upstream, ...settings } = options
  checkOptions(upstream, UPSTREAM_OBJECT, 'upstream')
  checkOptionValues(upstream ?? {}, 'upstream')
  const route = routeTo(upstream)
  return openTranslator({ ...settings, client: toClient(client), route, keyVariable: upstream.keyVariable })
}

/** The parts of a call that are decided before its answer is known. */
interface Encoding extends Omit<TranslatorParts, 'limits'> {
  readonly limits: ReturnType<typeof withLimits>
}

/** A request in the protocol of its upstream, and what it has decided about its answer. */
interface AnsweredCall {
  readonly call: UpstreamCall
  readonly answer: CallAnswer
}

/** Encodes a request, and keeps what its answer needs. `onOutcome`: beside that of the options. */
export function encodeCall(
  parts: Encoding,
  body: unknown,
  options: CallOptions,
  onOutcome?: (outcome: Outcome) => void,
): Result<AnsweredCall> {
  const { client, keyVariable } = parts
  const machines = joined(parts.machines, options.machines)
  const requests = joined(parts.requests, options.requests)
  checkMachines(machines)
  checkFunctions(requests, 'requests')
  const rules = joined(parts.rules, options.rules)
  checkRules(rules, RULE_NAMES)
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

function createCall(parts: Encoding, body: unknown, options: CallOptions): TranslatorCall | RefusedCall {
  checkOptions(options, CALL_OPTIONS, 'encodeRequest')
  checkOptionValues(options, 'encodeRequest')
  const encoded = encodeCall(parts, body, options, (outcome) => parts.onOutcome?.(outcome, made))
  if (!encoded.ok) return encoded
  const { call, answer } = encoded.value
  const { signal } = options
  const made: TranslatorCall = {
    ok: true,
    url: call.url.href,
    init: {
      method: 'POST',
      headers: call.headers,
      body: JSON.stringify(call.body),
      ...(signal === undefined ? {} : { signal }),
    },
    body: call.body,
    stream: call.stream,
    losses: call.losses,
    answer,
  }
  return made
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

export function openTranslator(parts: TranslatorParts): Translator<never, never> {
  const { client, fastPath } = parts
  checkMachines(parts.machines ?? [])
  checkFunctions(parts.requests ?? [], 'requests')
  checkRules(parts.rules ?? [], RULE_NAMES)
  const encoding = { ...parts, limits: withLimits(parts.limits) }
  const errorResponse = (error: GatewayError, { to }: CallReadOptions = {}): globalThis.Response => {
    checkFailure(error)
    return toErrorResponse(to ?? targetOf(client), hideKeys(error))
  }
  const reading = (call: TranslatorCall, options: CallReadOptions & KeepAliveOptions = {}) => {
    checkCall(call)
    return { ...options, answer: call.answer, ...(fastPath === undefined ? {} : { fastPath }) }
  }
  return {
    encodeRequest: (body, options = {}) =>
      createCall(encoding, body, options) as TranslatorCall<never, never> | RefusedCall,
    errorResponse,
    async toResponse(pending, call, options) {
      const given = reading(call, options)
      const upstream = Promise.resolve(pending)
      const response = await upstream.catch((): typeof UNSENT => UNSENT)
      if (response !== UNSENT) {
        checkInput(response, 'upstream')
        checkReadOnce(response, 'upstream')
      }
      const target = given.to ?? call.answer.target
      if (call.stream && response !== UNSENT && (!isFetchResponse(response) || response.ok))
        return new Response(translateStream(response, given), { headers: streamHeaders(target) })
      const { keepAlive: _, ...whole } = given
      const { body, text, outcome } = await readAnswerBody(response === UNSENT ? upstream : response, whole)
      if (outcome.error !== null) return toErrorResponse(target, outcome.error)
      return text === null
        ? Response.json(body)
        : new Response(text, { headers: { 'content-type': 'application/json' } })
    },
    events: (input, call, options) => streamEvents(input, reading(call, options)) as EventStream<never>,
    collect(input, call, options) {
      try {
        return collectResponse(input, reading(call, options)) as Collected<never>
      } catch (error) {
        return rejected(error)
      }
    },
    stream: (input, call, options) => translateIterable(input, reading(call, options)),
  } satisfies Translator<never, never>
}

function toErrorResponse(target: Target, error: GatewayError): globalThis.Response {
  const { status, body } = target.errorBody(error, randomId().replace('resp_', ''))
  const headers: Record<string, string> = error.retryAfter === null ? {} : { 'retry-after': String(error.retryAfter) }
  return Response.json(body, { status, headers })
}
