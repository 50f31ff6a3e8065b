import { gatewayError } from '../../protocol/error.ts'
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
  if (row !== null) history?.end(row, summary)
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
