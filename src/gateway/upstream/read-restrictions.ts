import { learnFrom } from '../../engine/rules/read-refusal.ts'
import type { Restriction } from '../../engine/rules/refusal.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { firstDifference } from '../../text/json-diff.ts'
import { type Awaitable, runInSlices } from '../run-in-slices.ts'
import type { UnsentRequest } from './send-request.ts'

const BETAS = 'anthropic-beta'

type SentCall = Pick<UnsentRequest, 'json' | 'headers'>

/**
 * Failures with which some servers refuse a request: OpenRouter has no endpoint for a setting, the templates of Ollama and
 * llama.cpp fail.
 */
const OTHER_FAILURES: ReadonlySet<string> = new Set(['model_not_found', 'server_error'])

/** The restrictions of the failure of a call. Only a refusal of the request itself has some. */
export function restrictionsOf(
  { party, status, code, message: text, param }: GatewayError,
  { json: body, headers }: SentCall,
): Awaitable<readonly Restriction[]> {
  const isRefusal = status === 400 && code !== 'content_filter'
  if (party !== 'upstream' || !(isRefusal || OTHER_FAILURES.has(code))) return []
  const betas = (headers[BETAS] ?? '').split(',').map((word) => word.trim())
  return runInSlices(learnFrom({ text, param, body, betas, isRefusal }))
}

/** Whether the upstream would refuse the other call as well. */
export const isSameCall = (one: SentCall, other: SentCall): boolean =>
  firstDifference(one.json, other.json) === null && one.headers[BETAS] === other.headers[BETAS]
