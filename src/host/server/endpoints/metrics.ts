import { authenticate, bearerOf, requireKind } from '../../auth/auth.ts'
import type { Gateway } from '../../gateway.ts'
import type { Exchange } from '../request-context.ts'
import { sendError, sendText } from '../send.ts'

/** `GET /metrics`: the metrics for Prometheus. */
export async function getMetrics({ config, keys, metrics }: Gateway, exchange: Exchange): Promise<void> {
  if (config.metrics.management_key) {
    const key = authenticate(keys, bearerOf(exchange.request))
    const fit = key.ok ? requireKind(key.value, 'management') : key
    if (!fit.ok) return sendError(exchange, fit.error)
    exchange.entry.key = fit.value.name
  }
  sendText(exchange, 200, await metrics.text(), metrics.contentType)
}
