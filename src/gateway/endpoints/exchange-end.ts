import { gatewayError } from '../../protocol/error.ts'
import type { RequestContext } from '../exchange/request-context.ts'
import { sendError } from '../exchange/send.ts'
import type { Gateway } from '../gateway.ts'
import { type Log, toLogLine } from '../telemetry/log.ts'

/** Records an exchange that has ended: in the log, in the metrics, for destinations and for the page. */
export function recordExchange(
  { metrics, observability, history }: Pick<Gateway, 'metrics' | 'observability' | 'history'>,
  context: RequestContext,
  log: Log,
): void {
  log(toLogLine(context.entry))
  metrics.note(context.entry)
  observability.finish(context)
  if (context.record !== null) history?.end(context.record)
}

/**
 * Logs an exception, which is a bug of the gateway. Its message may contain anything, so only the stack positions are
 * logged.
 */
export function reportBug(context: RequestContext, error: unknown, log: Log): void {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const calls = stack.split('\n').filter((line) => /^ +at /.test(line))
  log({
    event: 'bug',
    request_id: context.id,
    name: error instanceof Error ? error.name : typeof error,
    places: calls.map((line) => line.trim()),
  })
  if (context.reply.hasStarted()) context.reply.destroy()
  else
    sendError(
      context,
      gatewayError('server_error', 'The gateway failed. Its log describes the failure under the id of this request.'),
    )
}
