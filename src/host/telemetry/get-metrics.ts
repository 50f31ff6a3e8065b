import { authenticate, bearerOf, requireKind } from '../../gateway/auth/auth.ts'
import { sendError, sendText } from '../../gateway/exchange/send.ts'
import type { Endpoint } from '../../gateway/routing/refusals.ts'
import { gatewayError } from '../../protocol/error.ts'
import type { ServerMetrics } from './metrics.ts'

const NO_SUM = gatewayError(
  'server_is_overloaded',
  'A worker of the server does not answer, and the sums would lack its share. Retry the request.',
  503,
)

/** `GET /metrics`: the metrics for Prometheus. */
export const getMetrics =
  (metrics: ServerMetrics): Endpoint =>
  async (gateway, context) => {
    if (gateway.config.metrics.management_key) {
      const key = authenticate(gateway, bearerOf(context.request))
      const fit = key.ok ? requireKind(key.value, 'management') : key
      if (!fit.ok) return sendError(context, fit.error)
      context.journal.add({ type: 'admitted', key: fit.value.name })
    }
    const text = await metrics.text()
    if (text === null) sendError(context, NO_SUM)
    else sendText(context, 200, text, metrics.contentType)
  }
