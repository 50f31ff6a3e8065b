import { authenticate, bearerOf, type Key } from '../auth/auth.ts'
import type { Gateway } from '../gateway.ts'
import type { RequestContext } from '../server/request-context.ts'
import { sendError } from '../server/send.ts'

/** Returns the key of a request of the page, of either kind; null if a refusal was sent. */
export function admitPage({ keys }: Gateway, context: RequestContext): Key | null {
  const key = authenticate(keys, bearerOf(context.request))
  if (!key.ok) {
    sendError(context, key.error)
    return null
  }
  context.entry.key = key.value.name
  return key.value
}
