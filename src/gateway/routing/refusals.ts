import { clientError, type GatewayError } from '../../protocol/error.ts'
import { MAX_LENGTHS } from '../../protocol/limits.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError } from '../exchange/send.ts'
import type { Gateway } from '../gateway.ts'
import { HTTP_ONLY, NO_WEBSOCKET, type SocketRoute } from './handshake.ts'

export type Endpoint = (gateway: Gateway, context: RequestContext) => Promise<void> | void

export const refuseWith =
  (error: GatewayError): Endpoint =>
  (_, context) =>
    sendError(context, error)

/** Names the base paths, because most of these requests come from a client whose base URL lacks one. */
export const refuseUnknown: Endpoint = ({ config }, context) => {
  const bases = config.mounts.map(({ path }) => path).join(', ')
  const message = `This server has no endpoint at this path. Check the base URL of the client. Base paths: ${bases}; for SDKs of Anthropic, Google and Ollama, none.`
  sendError(context, clientError('not_found', message))
}

/** Refuses a handshake: for the reason why it was not admitted, or because the path accepts none. */
export const refuseWebSocket =
  (route: SocketRoute | undefined): Endpoint =>
  (_, context) => {
    const admitted = route?.admit(route.api, context.request)
    if (admitted === undefined || admitted.ok) sendError(context, NO_WEBSOCKET, HTTP_ONLY)
    else sendError(context, admitted.error)
  }

export const refuseLongPath = refuseWith(
  clientError('path_too_long', `The path must not be longer than ${MAX_LENGTHS.path} characters, its query included.`),
)

export const refuseMethod =
  (allow: string): Endpoint =>
  (_, context) =>
    sendError(context, clientError('method_not_allowed', toMethodMessage(context.request.method, allow)), { allow })

const toMethodMessage = (method: string | undefined, allow: string): string =>
  `This path does not support the method ${method}. Supported: ${allow}.`
