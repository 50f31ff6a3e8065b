import type { Dialect } from '../dialects/dialect.ts'
import { dialectFor } from '../dialects/for-request.ts'
import type { TranslationOptions } from '../engine/answer.ts'
import { type AnswerContext, answerContext } from '../engine/answer-context.ts'
import type { ClientTargetOptions, ClientWire } from '../engine/client-target.ts'
import { openAnswerBody, openAnswerStream, passingOf } from '../engine/passthrough/answers.ts'
import { collectorOf, DISCONNECTED, translatorOf, withLimits } from '../engine/stream-translator.ts'
import { type GatewayError, upstreamError } from '../protocol/error.ts'
import type { Loss } from '../protocol/loss.ts'
import type { Request as ResponsesRequest } from '../protocol/request.ts'
import type { Sign } from '../responses/encrypted-content.ts'
import { checkCall, checkFailure, checkOptions, checkResponse } from '../validation/arguments.ts'
import { findVendor } from '../vendors/registry.ts'
import type { AnswerPassthrough } from '../wires/passthrough-contract.ts'
import { hideKeys, redactor } from '../wires/redact.ts'
import { AnswerInputReader } from './answer-input.ts'
import { encodeFor, type RequestAddress } from './encode-for.ts'
import { clientNamed, type NamedClient, type TargetName, targetOf } from './names.ts'
import { collectBody, type SharedOptions, streamHeaders, toWebStream } from './streams.ts'
import { type OpenRoute, toRoute, type UpstreamOptions } from './upstream-route.ts'

export interface TranslatorOptions {
  /**
   * The protocol of the clients, or a dialect of the Responses API: its name, or the object of `millrace/wires/<name>`
   * or `millrace/dialects/<name>`. Default: `openai-responses`, in the dialect `openai`.
   */
  readonly client?: TargetName | Dialect | ClientWire
  readonly upstream: UpstreamOptions
  /**
   * Returns a keyed digest of a text, such as its HMAC as hexadecimal digits. It signs encrypted reasoning, so that a
   * changed one is not sent to the upstream. Left out: encrypted reasoning has no signature.
   */
  readonly sign?: Sign
  /** Bounds of memory and input; the others keep their defaults. */
  readonly limits?: NonNullable<SharedOptions['limits']>
  /** Is called once when an answer has ended or its client has left, with its status, usage, losses and error. */
  readonly onOutcome?: NonNullable<SharedOptions['onOutcome']>
}

/** A request for `fetch`, and the data that the translation of its answer needs. */
export interface TranslatorCall {
  readonly ok: true
  readonly url: string
  readonly init: {
    readonly method: 'POST'
    readonly headers: Readonly<Record<string, string>>
    readonly body: string
  }
  /** Whether the client requested a stream. */
  readonly stream: boolean
  /** Requested features that cannot be carried unchanged, with the client's own paths. */
  readonly losses: readonly Loss[]
  /** For `toResponse`. */
  readonly answer: {
    readonly context: AnswerContext
    readonly request: Pick<ResponsesRequest, 'include'>
    readonly options: ClientTargetOptions
    /** Set if the client's own body was passed through: its answer is passed through as well. */
    readonly pass: AnswerPassthrough | null
  }
}

/** Answers requests of one protocol with an upstream of another. No I/O: the program sends the requests. */
export interface Translator {
  /** Reads a client's request, as text or as its JSON value, and encodes it for the upstream. */
  encodeRequest(
    body: unknown,
    address?: RequestAddress,
  ): TranslatorCall | { readonly ok: false; readonly error: GatewayError }
  /** A failure as a response in the client's protocol. */
  errorResponse(error: GatewayError): globalThis.Response
  /**
   * The answer for the client: a stream if the client requested one, else a JSON body. A status of 400 or more, and an
   * answer that fails before it is complete, become an error response; inside a stream, a failure is an event of the
   * protocol. A rejected promise of `fetch` is a broken connection. Rejects only with a TypeError, for other arguments.
   */
  toResponse(
    upstream: globalThis.Response | Promise<globalThis.Response>,
    call: TranslatorCall,
  ): Promise<globalThis.Response>
}

/** Codes of connections that were never open (https://nodejs.org/api/errors.html#common-system-errors). */
const UNREACHABLE = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/

/** The failure of a request whose `fetch` was rejected. A URL may contain secrets, its host does not. */
function toUnsent(error: unknown, url: string): GatewayError {
  const { cause } = (error ?? {}) as { readonly cause?: { readonly code?: unknown } }
  const code = String(cause?.code)
  if (!UNREACHABLE.test(code)) return DISCONNECTED
  return upstreamError('upstream_unreachable', `The upstream ${new URL(url).host} cannot be reached (${code}).`)
}

/** Headers in which a program may send credentials of its own. */
const CREDENTIALS = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

/** The remedy for credentials that the upstream refuses. */
function keyRemedyOf({ vendor, key, headers }: OpenRoute): string {
  if (CREDENTIALS.some((name) => name in headers)) return 'Check the credentials in upstream.headers.'
  const variable = findVendor(vendor)?.keyVariable ?? null
  if (key !== null) return `Check upstream.apiKey${variable === null ? '' : `, usually from ${variable}`}.`
  return variable === null
    ? 'The request had no key: set upstream.apiKey.'
    : `The request had no key: set the environment variable ${variable}, and pass it as upstream.apiKey.`
}

/**
 * @throws TypeError for an unknown name in `client` or `upstream`, and for a vendor whose base URL is not given.
 */
export function createTranslator(options: TranslatorOptions): Translator {
  checkOptions(options)
  const { onOutcome, sign } = options
  const limits = withLimits(options.limits)
  const client = clientNamed('client', options.client ?? 'openai-responses')
  const route = toRoute(options.upstream, sign)
  const redact = redactor(route.key === null ? [] : [route.key])
  const keyRemedy = keyRemedyOf(route)
  const errorResponse = (error: GatewayError): globalThis.Response => {
    checkFailure(error)
    return toErrorResponse(client, hideKeys(error))
  }

  return {
    encodeRequest: (body, address = {}) => encodeCall(client, route, body, address),
    errorResponse,
    async toResponse(pending, call) {
      checkCall(call)
      const { response, failure } = await Promise.resolve(pending).then(
        (response) => ({ response, failure: null }),
        (error: unknown) => ({ response: null, failure: toUnsent(error, call.url) }),
      )
      const translation = toTranslation(client, call, { limits, redact })
      if (failure !== null) {
        const failed = collectorOf(openAnswerBody(translation, null))
        failed.abort(failure)
        onOutcome?.(failed.outcome)
        return errorResponse(failure)
      }
      checkResponse(response, 'upstream')
      const source = { wire: call.answer.context.wire, limits, keyRemedy, redact }
      const pass = response.ok ? call.answer.pass : null
      if (call.stream && response.ok) {
        const translator = translatorOf(openAnswerStream(translation, pass))
        const body = toWebStream(new AnswerInputReader(response, source, translator, onOutcome))
        return new Response(body, { headers: streamHeaders(translation.target) })
      }
      const collector = collectorOf(openAnswerBody(translation, pass))
      const body = await collectBody(new AnswerInputReader(response, source, collector, onOutcome), collector)
      const { outcome, text } = collector
      if (outcome.error !== null) return errorResponse(outcome.error)
      return text === null
        ? Response.json(body)
        : new Response(text, { headers: { 'content-type': 'application/json' } })
    },
  }
}

function encodeCall(
  client: NamedClient,
  route: OpenRoute,
  body: unknown,
  address: RequestAddress,
): ReturnType<Translator['encodeRequest']> {
  const encoded = encodeFor(client, route, body, address)
  if (!encoded.ok) return encoded
  const { call, routed } = encoded.value
  const context = answerContext(routed, `resp_${randomId()}`, Math.floor(Date.now() / 1000))
  return {
    ok: true,
    url: call.url.href,
    init: { method: 'POST', headers: call.headers, body: JSON.stringify(call.body) },
    stream: call.stream,
    losses: call.losses,
    answer: {
      context,
      request: { include: routed.client.request.include },
      options: {
        settings: routed.client.settings,
        ...(address.format === undefined ? {} : { format: address.format }),
      },
      pass: passingOf(routed, call.edits),
    },
  }
}

/** How the answer to a call is translated. */
function toTranslation(
  client: NamedClient,
  { answer: { context, request, options } }: TranslatorCall,
  bounds: Pick<TranslationOptions, 'limits' | 'redact'>,
): TranslationOptions {
  const { head } = context
  const shown = client.dialect === null ? client : { ...client, dialect: dialectFor(client.dialect, request) }
  return {
    ...context,
    now: Date.now,
    // Its models have one vendor, so that a name needs no vendor.
    head: { ...head, reported: head.reported === 'ignored' ? 'ignored' : 'alone' },
    ...bounds,
    target: targetOf(shown, options),
  }
}

const randomId = (): string => crypto.randomUUID().replaceAll('-', '')

function toErrorResponse(client: NamedClient, error: GatewayError): globalThis.Response {
  const { status, body } = targetOf(client).errorBody(error, randomId())
  const headers: Record<string, string> = error.retryAfter === null ? {} : { 'retry-after': String(error.retryAfter) }
  return Response.json(body, { status, headers })
}
