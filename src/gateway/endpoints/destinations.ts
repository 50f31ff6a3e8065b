import { listError, listPage, parseListQuery } from '../../observability/list.ts'
import { authenticate, bearerOf } from '../auth/auth.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendJson } from '../exchange/send.ts'
import { urlOf } from '../exchange/url.ts'
import type { Gateway } from '../gateway.ts'

/** `GET {mount}/observability/destinations` (docs/description.md, 4.1). */
export async function getDestinations(gateway: Gateway, context: RequestContext): Promise<void> {
  const { request, journal } = context
  const { observability } = gateway
  const key = authenticate(gateway, bearerOf(request))
  if (!key.ok) return refuse(context, 401, UNKNOWN[key.error.code] ?? 'Invalid API key')
  journal.add({ type: 'admitted', key: key.value.name })
  if (key.value.kind !== 'management')
    return refuse(context, 401, 'Only management keys can perform this operation', 'wrong_key_kind')
  const parsed = parseListQuery(urlOf(request).searchParams)
  if (!parsed.ok) return refuse(context, 400, `Invalid request parameters: ${parsed.problem}`)
  const { query } = parsed
  try {
    const workspaceId = query.workspaceId ?? observability.workspaceOf(key.value)
    sendJson(context, 200, listPage(await observability.destinations(), workspaceId, query))
  } catch {
    refuse(context, 500, 'Internal Server Error')
  }
}

const UNKNOWN: Readonly<Record<string, string>> = { missing_authentication: 'Missing Authentication header' }

/** The service has no other operation on destinations than the list. */
export const refuseOperation =
  (allow: string) =>
  (_: Gateway, context: RequestContext): void => {
    context.journal.add({ type: 'failed', code: 'method_not_allowed', party: null })
    sendJson(context, 405, listError(405, 'Destinations can only be listed. Change them in the configuration.'), {
      allow,
    })
  }

const CODES: ReadonlyMap<number, string> = new Map([
  [400, 'invalid_query'],
  [401, 'invalid_api_key'],
])

function refuse(context: RequestContext, status: number, message: string, code?: string): void {
  context.journal.add({ type: 'failed', code: code ?? CODES.get(status) ?? 'server_error', party: null })
  sendJson(context, status, listError(status, message), status === 401 ? { 'www-authenticate': 'Bearer' } : {})
}
