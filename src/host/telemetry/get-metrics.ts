import { authenticate, bearerOf, requireKind } from '../../gateway/auth/auth.ts'
import type { Endpoint } from '../../gateway/endpoints/refusals.ts'
import { sendError, sendText } from '../../gateway/exchange/send.ts'
import type { ServerMetrics } from './metrics.ts'

/** `GET /metrics`: the metrics for Prometheus. */
export const getMetrics =
  (metrics: ServerMetrics): Endpoint =>
  async (gateway, context) => {
    if (gateway.config.metrics.management_key) {
      const key = authenticate(gateway, bearerOf(context.request))
      const fit = key.ok ? requireKind(key.value, 'management') : key
      if (!fit.ok) return sendError(context, fit.error)
      context.entry.key = fit.value.name
    }
    sendText(context, 200, await metrics.text(), metrics.contentType)
  }
