import { authenticate, bearerOf, requireKind } from '../auth/auth.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError, sendText } from '../exchange/send.ts'
import type { Gateway } from '../gateway.ts'

/** `GET /metrics`: the metrics for Prometheus. */
export async function getMetrics({ config, keys, metrics }: Gateway, context: RequestContext): Promise<void> {
  if (config.metrics.management_key) {
    const key = authenticate(keys, bearerOf(context.request))
    const fit = key.ok ? requireKind(key.value, 'management') : key
    if (!fit.ok) return sendError(context, fit.error)
    context.entry.key = fit.value.name
  }
  sendText(context, 200, await metrics.text(), metrics.contentType)
}
