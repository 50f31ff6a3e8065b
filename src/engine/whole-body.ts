import { jsonOf } from '../framing/frame.ts'
import type { Delta } from '../protocol/delta.ts'
import { upstreamError } from '../protocol/error.ts'
import { isObject, parseJson } from '../text/json.ts'
import type { StreamWire } from '../wires/contract.ts'
import type { Quirks } from '../wires/quirks.ts'
import { isSentence } from '../wires/shared/upstream/answers/unreadable-frames.ts'
import { describePage } from './bare-body.ts'

interface BodyOptions {
  readonly wire: StreamWire
  readonly quirks?: Quirks
}

/** A whole body as it was read. */
export interface WholeBody {
  readonly text: string
  readonly value: unknown
  /** Whether the text is that of the value, and parsers of JSON accept it. */
  readonly isStrict: boolean
}

/** Parses a whole body, as strict parsers do if they can. */
export function readWholeBody(options: BodyOptions, text: string): WholeBody {
  const strict = parseJson(text)
  const value = strict === undefined || typeof strict === 'string' ? jsonOf({ event: '', data: text }) : strict
  return openEnvelope(options, { text, value, isStrict: value === strict && strict !== undefined })
}

/** Deltas of an envelope, whose members may have the names of those of an answer. */
const OF_ENVELOPES: ReadonlySet<Delta['kind']> = new Set(['start', 'served', 'usage', 'finish', 'loss', 'error'])

const isContent = (kind: Delta['kind']): boolean => !OF_ENVELOPES.has(kind)

/**
 * Takes an answer out of an envelope of a gateway: `{"success": true, "data": …}`. Cloudflare names it `result`. An answer
 * that has these members beside its own stays.
 */
export function openEnvelope({ wire, quirks = {} }: BodyOptions, body: WholeBody): WholeBody {
  const { text, value } = body
  if (!isObject(value) || value.success !== true) return body
  const inner = [value.data, value.result].find(isObject)
  if (inner === undefined) return body
  const kindsIn = (one: unknown): readonly Delta['kind'][] => wire.decodeBody(one, quirks).map(({ kind }) => kind)
  const kinds = kindsIn(value)
  // A status of its own may be the one of the envelope.
  const isAnswer = kinds.some(isContent) || (kinds.includes('finish') && !kindsIn(inner).some(isContent))
  return isAnswer ? body : { text, value: inner, isStrict: false }
}

export const decodeWholeBody = (options: BodyOptions, { text, value }: WholeBody): readonly Delta[] =>
  text.trim() === ''
    ? [invalidBody('no body.')]
    : text.trimStart().startsWith('<')
      ? [invalidBody(describePage(text.trim()))]
      : decodeValue(options, jsonOrSentence(text, value))

/** A body that is one sentence is the message of a failure, such as that of a proxy. Any other text is not quoted. */
function jsonOrSentence(body: string, value: unknown): unknown {
  if (value !== undefined && typeof value !== 'string') return value
  const text = value ?? body.trim()
  return isSentence(text) ? text : value === undefined ? undefined : null
}

/** Decodes the value of a whole upstream body to deltas. `value`: undefined if the body is not JSON. */
function decodeValue({ wire, quirks = {} }: BodyOptions, value: unknown): readonly Delta[] {
  if (value === undefined) return [invalidBody('a body that is not valid JSON.')]
  const deltas = wire.decodeBody(value, quirks)
  return deltas.length === 0 ? [invalidBody(`a body that is not a response of ${wire.name}.`)] : deltas
}

const invalidBody = (what: string): Delta => ({
  kind: 'error',
  error: upstreamError('upstream_invalid', `The upstream returned ${what}`),
})
