import type { Result } from '../../protocol/result.ts'
import { authenticate, type Key, requireKind } from '../auth/auth.ts'
import { limitRate } from '../auth/rate-limit.ts'
import type { ClientApi } from '../clients/client-api.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import type { Gateway } from '../gateway.ts'
import { awaited, type Work } from '../run-in-slices.ts'

/** Authenticates, applies the rate limit and checks the headers before the body is read. */
export function* admitRequest(gateway: Gateway, api: ClientApi, context: RequestContext): Work<Result<Key>> {
  const { keys, rates, observability, history } = gateway
  const { request, journal } = context
  const key = authenticate(gateway, api.keyOf(request), api.keyPath)
  // Refused clients could otherwise remove all other requests from the list of the page.
  if (key.ok || keys.some(({ isDevelopment }) => isDevelopment)) context.row = history?.begin(context) ?? null
  if (!key.ok) return key
  const { name, id, label } = key.value
  journal.add({ type: 'admitted', key: name, owner: id, label })
  const fit = requireKind(key.value, 'inference')
  if (!fit.ok) return fit
  context.trace = observability.begin(key.value)
  const paced = yield* awaited(limitRate(rates, key.value, context))
  const readable = paced.ok ? checkBody(context, api) : paced
  return readable.ok ? key : readable
}

/** Checks the headers of the body. A refusal names the content codings that the server decodes (RFC 9110, 15.5.16). */
export function checkBody(
  { body, reply }: Pick<RequestContext, 'body' | 'reply'>,
  { isTypeOptional }: Pick<ClientApi, 'isTypeOptional'>,
): Result<null> {
  const fit = body.check(isTypeOptional)
  if (!fit.ok && body.codings !== undefined) reply.setHeader('accept-encoding', body.codings.join(', '))
  return fit
}
