import type { Request } from '../protocol/request.ts'
import type { Head } from '../protocol/response.ts'
import { toEcho } from '../responses/echo.ts'
import type { Origin, Sign } from '../responses/encrypted-content.ts'
import type { Wire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { quirksOfAnswer } from './passes/settings.ts'
import type { RoutedRequest } from './upstream-call.ts'

/** The parts of a request on which the translation of its answer depends. */
export interface AnswerContext {
  readonly wire: Wire
  readonly quirks: Quirks
  readonly head: Head
  readonly origin: Origin
  readonly sign?: Sign
}

/** Some vendors number the calls of every answer from 0: `call_0` is a call of the history then. */
function callIdsOf({ input }: Request): Pick<Head, 'callIds'> {
  const ids: (readonly [id: string, known: true])[] = []
  for (const item of input)
    if (item.type === 'function_call' || item.type === 'custom_tool_call') ids.push([item.call_id, true])
  return ids.length === 0 ? {} : { callIds: Object.fromEntries(ids) }
}

/** `id`: the id of the response, with its prefix. `createdAt`: Unix seconds. `reported`: how its client knows models. */
export function answerContext(
  { client, route, answers, origin }: RoutedRequest,
  id: string,
  createdAt: number,
  reported: Head['reported'] = route.reported ?? 'below-vendor',
): AnswerContext {
  const { request } = client
  const { quirks, sign } = route
  return {
    wire: answers,
    quirks: quirksOfAnswer(request, quirks),
    head: {
      id,
      created_at: createdAt,
      model: request.model,
      reported: quirks.ownModelNames === true ? 'ignored' : reported,
      echo: toEcho(request),
      names: request.names,
      ...callIdsOf(request),
    },
    origin,
    ...(sign === undefined ? {} : { sign }),
  }
}
