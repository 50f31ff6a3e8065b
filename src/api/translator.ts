import { openai } from '../dialects/openai.ts'
import { RULE_NAMES } from '../engine/rules/rules.ts'
import { withLimits } from '../engine/stream-translator.ts'
import type { Target } from '../engine/target.ts'
import type { GatewayError } from '../protocol/error.ts'
import type { JsonObject } from '../protocol/json.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import { withoutHalves } from '../text/json-write.ts'
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
import { checkedValues } from '../validation/option-values.ts'
import { hideKeys } from '../wires/redact.ts'
import { isFetchResponse } from './answer-input.ts'
import { type Encoding, encodeAnswered } from './answered-call.ts'
import { type ClientProtocolObject, targetOf, toClient } from './client-protocol.ts'
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
import { routeTo, UPSTREAM_OBJECT } from './upstream-route.ts'

/** Stands for the response of a request that could not be sent. */
const UNSENT = Symbol('unsent')

/** The protocols and the settings of a translator, ready for its requests. */
interface TranslatorParts extends TranslatorSettings, Pick<Encoding, 'client' | 'route' | 'keyVariable' | 'place'> {
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
  const { client = openai, upstream: given, ...settings } = checkedValues(options)
  checkOptions(given, UPSTREAM_OBJECT, 'upstream')
  const upstream = checkedValues(given, 'upstream')
  const route = routeTo(upstream)
  return openTranslator({ ...settings, client: toClient(client), route, keyVariable: upstream.keyVariable })
}

function createCall(parts: Encoding, body: unknown, given: CallOptions): TranslatorCall | RefusedCall {
  checkOptions(given, CALL_OPTIONS, 'encodeRequest')
  const options = checkedValues(given, 'encodeRequest')
  const encoded = encodeAnswered(parts, body, options, (outcome) => parts.onOutcome?.(outcome, made))
  if (!encoded.ok) return encoded
  const { call, answer } = encoded.value
  const { signal } = options
  const made: TranslatorCall = {
    ok: true,
    url: call.url.href,
    init: {
      method: 'POST',
      headers: call.headers,
      body: withoutHalves(JSON.stringify(call.body)),
      ...(signal === undefined ? {} : { signal }),
    },
    body: call.body,
    stream: call.stream,
    losses: call.losses,
    answer,
  }
  return made
}

export function openTranslator(parts: TranslatorParts): Translator<never, never> {
  const { client, fastPath } = parts
  checkMachines(parts.machines ?? [])
  checkFunctions(parts.requests ?? [], 'requests')
  checkRules(parts.rules ?? [], RULE_NAMES)
  const encoding: Encoding = { ...parts, limits: withLimits(parts.limits) }
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
