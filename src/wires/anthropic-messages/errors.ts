import type { GatewayError } from '../../protocol/error.ts'
import { parseJson } from '../../text/json.ts'
import type { Wire } from '../contract.ts'
import { failureOf, httpFailureOf, textIn, VERDICTS, type Verdict, type Words } from '../shared/upstream/error-map.ts'
import { ownWordsIn } from '../shared/upstream/error-messages.ts'

/** Anthropic's error types, from `error.type`. */
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

const BAD_SEAL = /invalid\W+(?:signature|data)\W/i

/**
 * Whether a line reports an invalid signature or invalid data of a thinking block, in either order of these words, or a
 * modified thinking block. Each pattern is searched for once.
 */
function isBadSeal(line: string): boolean {
  const at = line.search(BAD_SEAL)
  if (at >= 0 && line.toLowerCase().includes('thinking', at)) return true
  const text = line.toLowerCase()
  const thought = text.indexOf('thinking')
  return thought >= 0 && (text.includes('signature', thought) || text.includes('cannot be modified', thought))
}

/** `invalid_request_error` covers many faults, which only the message distinguishes. */
const FAULTS: readonly (readonly [(text: string) => boolean, Verdict])[] = [
  [(text) => text.split('\n').some(isBadSeal), VERDICTS.badSeal],
  [(text) => /prompt is too long|exceed context limit/i.test(text), VERDICTS.tooLong],
  [(text) => /credit balance/i.test(text), VERDICTS.noMoney],
  [(text) => /content filtering policy/i.test(text), VERDICTS.filtered],
]

function wordsFor(error: unknown): Words {
  const text = ownWordsIn(textIn(error))
  return { ...WORDS, invalid_request_error: FAULTS.find(([says]) => says(text))?.[1] ?? VERDICTS.badRequest }
}

/** Maps a failure inside an HTTP 200: `{type, message}`. */
export const upstreamErrorOf = (error: unknown): GatewayError => failureOf(error, wordsFor(error))

export const decodeError: Wire['decodeError'] = (status, headers, body) =>
  httpFailureOf(status, headers, body, wordsFor(parseJson(body)))
