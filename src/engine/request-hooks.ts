import { clientError, type GatewayError } from '../protocol/error.ts'
import type { Request } from '../protocol/request.ts'
import { isNonEmptyString, isObject } from '../text/json.ts'
import type { ClientRequest } from './client-request.ts'

/** The reason why a hook refuses a request, as its client receives it. */
export interface HookRefusal {
  readonly refusal: {
    readonly message: string
    /** Default: `request_refused`. */
    readonly code?: string
    /** From 400 to 599. Default: 400. */
    readonly status?: number
    /** The path of the refused value. */
    readonly param?: string
  }
}

/** The error of a refused request. */
export function refusalOf({ refusal }: HookRefusal): GatewayError {
  const { message, code, status = 400, param } = refusal
  const isFailure = Number.isInteger(status) && status >= 400 && status <= 599
  const named = isNonEmptyString(code) ? code : 'request_refused'
  return clientError(named, message, isNonEmptyString(param) ? param : null, isFailure ? status : 400)
}

/** The result of a hook for the request that it received. Throws a TypeError if it is neither a request nor a refusal. */
export function readHookResult(result: unknown, received: Request): Request | HookRefusal {
  if (isRefusal(result) || isRequest(result, received)) return result
  throw new TypeError('neither a request nor a refusal was returned')
}

export const isRefusal = (result: unknown): result is HookRefusal =>
  isObject(result) && isObject(result.refusal) && typeof result.refusal.message === 'string'

/** Whether a result has all members of the request that the hook received. */
const isRequest = (result: unknown, received: Request): result is Request =>
  isObject(result) &&
  Object.keys(received).every((name) => result[name] !== undefined) &&
  typeof result.model === 'string' &&
  [result.input, result.tools].every((list) => Array.isArray(list) && list.every(isObject))

/** The client's own body does not describe the request any more, so that no upstream receives it or parts of it. */
export const withChangedRequest = (client: ClientRequest, request: Request): ClientRequest =>
  request === client.request
    ? client
    : { ...client, request, sent: { ...client.sent, isIntact: false, unsupported: new Set() } }
