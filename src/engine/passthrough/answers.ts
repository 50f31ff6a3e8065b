import { openFastPath } from '../../fast-path/open-fast-path.ts'
import { isObject } from '../../text/json.ts'
import type { AnswerPassthrough } from '../../wires/passthrough-contract.ts'
import type { AnswerOptions, BodyCollector, Translation, TranslationOptions } from '../answer.ts'
import { createBodyCollector } from '../body-collector.ts'
import { createTranslation } from '../translation.ts'
import type { RoutedRequest } from '../upstream-call.ts'
import { PassedBody } from './passed-body.ts'
import { PassedStream } from './passed-stream.ts'

/**
 * How the answer to a request is passed through; null if it is translated. It does not depend on how the request was
 * made: the hub may have encoded it for an upstream of the client's own protocol (`edits`: null then). Passes with a
 * machine for the answer, names of tools that only the upstream has, and the gateway's own searches need its deltas.
 */
export function passingOf(
  { client, route, passes, search }: RoutedRequest,
  edits: readonly string[] | null,
): AnswerPassthrough | null {
  const { wire, quirks } = route
  const { sent, request } = client
  const answers = wire.passthrough?.answer ?? null
  if (answers === null || (isObject(sent.body) && answers.isForeign?.(sent.body, quirks) === true)) return null
  if (edits !== null) return answers
  if (sent.wire !== wire.name || sent.dialect !== (wire.dialect ?? null) || !isObject(sent.body)) return null
  if (search !== null || passes.some(({ back }) => back !== undefined)) return null
  if (Object.keys(request.names).length > 0) return null
  return answers
}

/**
 * Opens the answer of one upstream as a stream. `pass`: null if the answer is translated. `forgetsText`: the text of an
 * answer that is passed is not kept, and its outcome has none.
 */
export const openAnswerStream = (
  options: TranslationOptions,
  pass: AnswerPassthrough | null,
  forgetsText = false,
): Translation =>
  pass === null ? createTranslation(options) : new PassedStream(options, pass, openFastPath, forgetsText)

/** Opens the answer of one upstream as a body. `pass`: null if the answer is translated. */
export const openAnswerBody = (options: AnswerOptions, pass: AnswerPassthrough | null): BodyCollector =>
  pass === null ? createBodyCollector(options) : new PassedBody(options, pass)
