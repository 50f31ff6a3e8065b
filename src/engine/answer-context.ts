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

/** `id`: the id of the response, with its prefix. `createdAt`: Unix seconds. */
export function answerContext(
  { client, route, answers, origin }: RoutedRequest,
  id: string,
  createdAt: number,
): AnswerContext {
  const { request } = client
  const { quirks, sign, reported = 'below-vendor' } = route
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
    },
    origin,
    ...(sign === undefined ? {} : { sign }),
  }
}
