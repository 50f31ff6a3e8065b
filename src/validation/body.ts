import { clientError, type GatewayError } from '../protocol/error.ts'
import { MAX_LENGTHS, REQUEST_LIMITS } from '../protocol/limits.ts'
import { isObject } from '../text/json.ts'
import { type Cut, JsonCost, type JsonLimits } from '../text/json-cost.ts'
import { type JsonRead, parsePieces, parseTextPieces } from '../text/json-pieces.ts'
import { runSteps, type Steps } from '../text/steps.ts'
import { describeValue } from './messages.ts'

export type ParsedBody =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: GatewayError }

const bodyError = (message: string, code = 'invalid_json'): GatewayError =>
  clientError(code, `body: expected ${message}`, 'body')

export const EMPTY_BODY = bodyError('a JSON object, got nothing')
const NO_JSON = bodyError('a JSON object, got text that is not valid JSON')
const NO_UTF8 = bodyError('UTF-8')

const EXCESSES: Readonly<Record<keyof JsonLimits, (most: number) => GatewayError>> = {
  depth: (most) => bodyError(`at most ${most} levels of nested lists and objects, got more`),
  values: (most) => bodyError(`at most ${most} values, got more`, 'request_too_large'),
  members: (most) => bodyError(`at most ${most} members in one object, got more`, 'request_too_large'),
}

/** Counts the cost of a body while it arrives. `values`: the number of values that it may have. */
export const scanBody = (values: number): JsonCost =>
  new JsonCost({ depth: MAX_LENGTHS.nesting, values, members: MAX_LENGTHS.members })

/** Returns the reason to refuse the body that has arrived so far; null if there is none. */
export function faultOfScan({ excess, malformed }: JsonCost): GatewayError | null {
  if (excess !== null) return EXCESSES[excess.of](excess.most)
  return malformed ? NO_JSON : null
}

/** The bytes of a whole body in which the scan found no fault, in the pieces that arrived → its JSON. */
export function* parseBodyPieces(bytes: Uint8Array[], cuts: readonly Cut[]): Steps<ParsedBody> {
  return toParsedBody(yield* parsePieces(bytes, cuts))
}

function toParsedBody(read: JsonRead): ParsedBody {
  if (!read.ok) return { ok: false, error: read.wrong === 'text' ? NO_UTF8 : NO_JSON }
  const { value } = read
  if (isObject(value)) return { ok: true, body: value }
  return { ok: false, error: bodyError(`a JSON object, got ${describeValue(value)}`, 'invalid_prompt') }
}

/** The text of a request → its JSON. */
export function parseBody(text: string): ParsedBody {
  const bytes = new TextEncoder().encode(text)
  const scan = scanBody(REQUEST_LIMITS.values)
  scan.add(bytes)
  const fault = scan.empty ? EMPTY_BODY : faultOfScan(scan)
  return fault === null ? toParsedBody(runSteps(parseTextPieces(text, bytes, scan.cuts))) : { ok: false, error: fault }
}
