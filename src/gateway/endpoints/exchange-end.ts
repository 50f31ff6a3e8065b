import { gatewayError } from '../../protocol/error.ts'
import { authenticate, bearerOf } from '../auth/auth.ts'
import { findFamily } from '../clients/client-apis.ts'
import { summaryOf } from '../exchange/journal.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError } from '../exchange/send.ts'
import type { Gateway } from '../gateway.ts'
import { bugLine, type Log, toLogLine } from '../telemetry/log.ts'
import { loggedPath } from '../telemetry/logged-path.ts'

/** Records an exchange that has ended: in the log, in the metrics, for destinations and for the page. */
export function recordExchange(gateway: Gateway, context: RequestContext, log: Log): void {
  const { metrics, observability, history, config } = gateway
  const { journal, request, trace, row } = context
  if (journal.last('matched') === undefined) journal.add({ type: 'unmatched', path: loggedPath(request, gateway) })
  const summary = summaryOf(journal)
  log(toLogLine(summary, config.log))
  metrics.note(summary)
  if (trace !== null) observability.finish(trace, summary)
  const listed = row ?? (isLostClient(gateway, context) ? (history?.begin(context) ?? null) : null)
  if (listed !== null) history?.end(listed, summary)
}

/**
 * Whether a client of this server has requested a path that does not exist: most often, its base URL is wrong. Others
 * could otherwise remove all other requests from the list of the page.
 */
function isLostClient(gateway: Gateway, { journal, request }: RequestContext): boolean {
  if (journal.last('matched') !== undefined) return false
  const token = findFamily(request)?.api.keyOf(request) ?? bearerOf(request)
  return (
    authenticate(gateway, token).ok ||
    (request.method === 'POST' && gateway.keys.some(({ isDevelopment }) => isDevelopment))
  )
}

/** Logs an exception, which is a bug of the gateway, and ends its answer. */
export function reportBug(context: RequestContext, error: unknown, log: Log): void {
  log(bugLine(context.id, error))
  if (context.reply.hasStarted()) context.reply.destroy()
  else
    sendError(
      context,
      gatewayError('server_error', 'The gateway failed. Its log describes the failure under the id of this request.'),
    )
}
