import { clientError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { describeValue } from '../../validation/messages.ts'
import { codingOf } from '../body/content-coding.ts'
import type { RequestHead } from './http-types.ts'

/** The content types of a body whose client sets none: curl sends the second one. Pages send each without asking. */
const UNTYPED: ReadonlySet<string> = new Set(['', 'application/x-www-form-urlencoded', 'text/plain'])

/** Every browser adds one of these headers to a POST, which no page can prevent (WHATWG Fetch, 3.2; Fetch Metadata, 2.4). */
const isOfBrowser = ({ origin, 'sec-fetch-site': site, referer }: RequestHead['headers']): boolean =>
  [origin, site, referer].some((header) => header !== undefined)

/**
 * Checks that the header announces a JSON body, in a content coding that the platform decodes. Without this check, pages
 * of other sites could send requests: see `cross-site.ts`. `isTypeOptional`: clients of this API set no content type.
 */
export function checkContentType(
  { headers }: Pick<RequestHead, 'headers'>,
  codings: readonly string[],
  isTypeOptional: boolean,
): Result<null> {
  const coding = codingOf(headers['content-encoding'])
  if (coding !== '' && !codings.includes(coding)) {
    const taken = ['identity', ...codings].join(', ')
    return unsupported(`Content-Encoding: expected one of ${taken}, got ${describeValue(headers['content-encoding'])}`)
  }
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  const isUntyped = isTypeOptional && UNTYPED.has(type.trim()) && !isOfBrowser(headers)
  if (type.trim() !== 'application/json' && !isUntyped)
    return unsupported(`Content-Type: expected application/json, got ${describeValue(headers['content-type'])}`)
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='))
  const isUtf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset)
  return isUtf8 ? ok(null) : unsupported(`Content-Type: expected charset=utf-8, got ${describeValue(charset)}`)
}

const unsupported = (message: string) => err(clientError('unsupported_media_type', message))
