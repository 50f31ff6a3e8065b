import { type BodyEdits, mergeObjects } from '../engine/call/body-edits.ts'
import type { ClientRequest } from '../engine/client-request.ts'
import { settled } from '../engine/hooks.ts'
import { type HookRefusal, isRefusal, readHookResult, refusalOf, withChangedRequest } from '../engine/request-hooks.ts'
import type { RequestRule } from '../engine/rules/rule.ts'
import type { FormatName } from '../framing/format.ts'
import type { Json, JsonObject } from '../protocol/json.ts'
import { dropped, type Loss } from '../protocol/loss.ts'
import type { Request } from '../protocol/request.ts'
import { err, ok, type Result } from '../protocol/result.ts'
import type { SamplingSetting, Wire } from '../wires/contract.ts'

/** Properties of a request that its protocol has in the URL and not in the body, as `gemini-generate` does. */
export interface RequestAddress {
  readonly model?: string
  readonly stream?: boolean
  /** The format of the stream. Default: the usual one of the protocol. */
  readonly format?: FormatName
}

/** Settings of one request that its body has no place for. */
export interface RequestSettings extends RequestAddress {
  /** Stop sequences, in addition to those of the body. */
  readonly stop?: readonly string[]
  /** A number for repeatable sampling. */
  readonly seed?: number
  /** The number of tokens that are sampled from. */
  readonly top_k?: number
  /**
   * Functions that the request passes before it is encoded, in this order, as the Responses API has it. Each returns the
   * same object for a request that stays as it is, a changed one, or `{ refusal: { message } }`. An exception reaches the
   * caller.
   */
  readonly requests?: readonly RequestChange[]
  /**
   * Rules of the upstream that the program knows. They mend each request after the known rules, in this order, whether it
   * is translated or passed through. An exception reaches the caller.
   */
  readonly rules?: readonly RequestRule[]
}

/** A function of a program that changes or refuses a request. */
export type RequestChange = (request: Request) => Request | HookRefusal

/** The names of `RequestSettings`. */
export const REQUEST_SETTINGS = ['model', 'stream', 'format', 'stop', 'seed', 'top_k', 'requests', 'rules'] as const

/** Applies the functions of the program, and the stop sequences beside the body. */
export function changeRequest(
  client: ClientRequest,
  { requests = [], stop = [] }: RequestSettings,
): Result<ClientRequest> {
  let { request } = client
  for (const [at, change] of requests.entries()) {
    const result = readResult(change(request), request, at)
    if (isRefusal(result)) return err(refusalOf(result))
    request = result
  }
  const changed = withChangedRequest(client, request)
  if (stop.length === 0) return ok(changed)
  const all = [...new Set([...(request.stop ?? []), ...stop])]
  return ok({ ...changed, request: { ...request, stop: all }, sent: { ...changed.sent, isIntact: false } })
}

/** Throws a TypeError that names the function whose result is neither a request nor a refusal. */
function readResult(result: unknown, received: Request, at: number): Request | HookRefusal {
  try {
    return readHookResult(settled(result), received)
  } catch (error) {
    throw new TypeError(`requests[${at}]: ${(error as Error).message}`)
  }
}

interface SamplingEdits {
  /** `body`: members of the operator, which take precedence. */
  readonly edits: (body?: JsonObject) => BodyEdits
  readonly losses: readonly Loss[]
}

const NO_EDITS: SamplingEdits = { edits: () => ({}), losses: [] }

const SAMPLING = ['seed', 'top_k'] as const satisfies readonly SamplingSetting[]

/** The changes of the body for settings that the hub does not have, and the losses of those that the wire has no member for. */
export function samplingEdits(wire: Wire, settings: RequestSettings): SamplingEdits {
  if (settings.seed === undefined && settings.top_k === undefined) return NO_EDITS
  const given = SAMPLING.flatMap((name) => {
    const value = settings[name]
    return value === undefined ? [] : [{ name, value, path: wire.sampling?.[name] }]
  })
  const losses = given.flatMap(({ name, path }) => (path === undefined ? [dropped(name, NO_MEMBER)] : []))
  const edits = (body: JsonObject = {}): BodyEdits => {
    const added = given.flatMap(({ value, path }) => (path === undefined ? [] : [objectAt(path, value)]))
    return added.length === 0 ? {} : { body: [...added, body].reduce(mergeObjects) }
  }
  return { edits, losses }
}

const NO_MEMBER = 'the protocol of the upstream has no field for it'

const objectAt = (path: readonly string[], value: Json): JsonObject =>
  path.reduceRight<Json>((inner, name) => ({ [name]: inner }), value) as JsonObject
