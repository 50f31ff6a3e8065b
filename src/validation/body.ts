import { clientError, type GatewayError } from '../protocol/error.ts'
import { LONGEST } from '../protocol/limits.ts'
import { isObject, parseJson } from '../text/json.ts'
import { isDeeperThan } from '../text/nesting.ts'
import { said } from './issue.ts'

export type ParsedBody =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: GatewayError }

const refuse = (message: string, code = 'invalid_json'): ParsedBody => ({
  ok: false,
  error: clientError(code, message, 'body'),
})

/** The text of a request → its JSON. */
export function parseBody(text: string): ParsedBody {
  if (text.trim() === '') return refuse('body: expected a JSON object, got nothing')
  const body = parseJson(text)
  if (body === undefined) return refuse('body: expected a JSON object, got a text that is no JSON')
  if (isDeeperThan(LONGEST.nesting, body))
    return refuse(`body: expected at most ${LONGEST.nesting} levels of lists and objects`)
  if (!isObject(body)) return refuse(`body: expected a JSON object, got ${said(body)}`, 'invalid_prompt')
  return { ok: true, body }
}
