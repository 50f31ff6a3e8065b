import { authenticate, bearerOf, type Key } from '../../gateway/auth/auth.ts'
import type { RequestContext } from '../../gateway/exchange/request-context.ts'
import { sendError } from '../../gateway/exchange/send.ts'
import type { Gateway } from '../../gateway/gateway.ts'

/** Returns the key of a request of the page, of either kind; null if a refusal was sent. */
export function admitPage(gateway: Gateway, context: RequestContext): Key | null {
  const key = authenticate(gateway, bearerOf(context.request))
  if (!key.ok) {
    sendError(context, key.error)
    return null
  }
  context.journal.add({ type: 'admitted', key: key.value.name })
  return key.value
}
