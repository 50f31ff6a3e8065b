import type { GatewayError } from '../../protocol/error.ts'
import { formatJson } from '../../text/json.ts'
import { failureOf, httpFailureOf, VERDICTS, type Verdict, type Words } from '../failures.ts'
import type { Wire } from '../wire.ts'

/** Their words, from `error.type`. */
const WORDS: Words = {
  authentication_error: VERDICTS.badKey,
  permission_error: VERDICTS.badKey,
  billing_error: VERDICTS.noMoney,
  not_found_error: VERDICTS.noModel,
  request_too_large: VERDICTS.tooLarge,
  rate_limit_error: VERDICTS.tooFast,
  timeout_error: VERDICTS.timedOut,
  api_error: VERDICTS.broken,
  overloaded_error: VERDICTS.overloaded,
}

/** `invalid_request_error` is one word for many faults: which one, only its message tells. */
const FAULTS: readonly (readonly [RegExp, Verdict])[] = [
  [/invalid\W+(?:signature|data)\W.*thinking|thinking.*(?:signature|cannot be modified)/i, VERDICTS.badSeal],
  [/prompt is too long|exceed context limit/i, VERDICTS.tooLong],
  [/credit balance/i, VERDICTS.noMoney],
  [/content filtering policy/i, VERDICTS.filtered],
]

const wordsFor = (text: string): Words => ({
  ...WORDS,
  invalid_request_error: FAULTS.find(([says]) => says.test(text))?.[1] ?? VERDICTS.badRequest,
})

/** A failure told inside a 200: `{type, message}`. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, wordsFor(formatJson(error)))

export const decodeError: Wire['decodeError'] = (status, headers, body) =>
  httpFailureOf(status, headers, body, wordsFor(body))
