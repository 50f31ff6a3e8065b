import fc from 'fast-check'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { WIRE_UPSTREAMS } from '../mock-upstreams/wires.ts'
import { ANSWERS } from './wires.ts'

/** Answers of an upstream that quotes a secret of the request anywhere but in the content of the answer. */

const escapeAll = (text: string, toEscape: (code: number) => string): string =>
  Array.from(text, (character) => toEscape(character.charCodeAt(0))).join('')

const hex = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** The spellings of a secret in a text. */
const SPELLINGS: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => `Bearer ${secret}`,
  (secret) => `{"authorization":"Bearer ${inJson(secret)}"}`,
  (secret) => inJson(inJson(secret)),
  (secret) => escapeAll(secret, (code) => `\\u${hex(code, 4)}`),
  (secret) => escapeAll(secret, (code) => `\\x${hex(code, 2)}`),
  (secret) =>
    escapeAll(secret, (code) =>
      code % 3 === 0 ? `\\u${hex(code, 4).toUpperCase()}` : inJson(String.fromCharCode(code)),
    ),
  (secret) => `https://a.example/?key=${encodeURIComponent(secret)}&x=1`,
  (secret) => escapeAll(secret, (code) => `%${hex(code, 2)}`),
  (secret) => encodeURIComponent(encodeURIComponent(secret)),
  (secret) => escapeAll(secret, (code) => (code % 2 === 0 ? `&#x${hex(code, 2)};` : `&#${code};`)),
  (secret) =>
    secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll("'", '&apos;'),
  base64,
  (secret) => base64(`Bearer ${secret}`),
  (secret) => `Basic ${base64(`user:${secret}`)}`,
  (secret) => Buffer.from(`{"key":"${secret}","more":1}`).toString('base64url'),
]

/**
 * Lengths of the text before the secret. Long ones put it near the positions at which texts, titles and pages are
 * truncated.
 */
const LEADS = [0, 0, 0, 5, 40, 150, 190, 300, 1900, 1970, 1990, 9_950]

const words = (length: number): string => 'Incorrect key, '.repeat(Math.ceil(length / 15)).slice(0, length)

export const escapedSecrets = (secret: string): fc.Arbitrary<string> =>
  fc.constantFrom(...SPELLINGS).map((spell) => spell(secret))

export const quoting = (secret: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      escapedSecrets(secret),
      fc.constantFrom(...LEADS),
      fc.nat({ max: 30 }),
      fc.constantFrom('', '.', '" is wrong', ' and more '.repeat(50)),
    )
    .map(([text, lead, shift, tail]) => words(lead + (lead > 100 ? shift : 0)) + text + tail)

/** The error bodies of different vendors. */
const FAILURES: readonly ((text: string) => unknown)[] = [
  (message) => ({ error: { message, type: 'invalid_request_error', code: 'invalid_api_key' } }),
  (message) => ({ error: { message, code: 401 } }),
  (message) => ({ error: { message: 'No', code: message, type: message, param: message } }),
  (message) => ({
    error: { code: 400, message, status: 'INVALID_ARGUMENT', details: [{ '@type': message, reason: message }] },
  }),
  (message) => [{ error: { code: 403, message, status: 'PERMISSION_DENIED' } }],
  (message) => ({ type: 'error', error: { type: 'authentication_error', message }, request_id: message }),
  (message) => ({ type: 'error', error: { type: message } }),
  (message) => ({ error: message }),
  (message) => ({ message }),
  (message) => ({ Message: message, __type: 'UnrecognizedClientException' }),
  (message) => ({ __type: message }),
  (message) => ({ detail: message }),
  (message) => ({ detail: [{ msg: message, loc: ['header', message] }] }),
  (message) => ({ errors: [{ message, code: 1000 }], success: false }),
  (raw) => ({ error: { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: raw } } }),
  (message) => ({
    error: { message: 'Provider returned error', metadata: { raw: JSON.stringify({ error: { message } }) } },
  }),
  (message) => ({ error: { message: `Unauthorized: ${message}`, metadata: { reasons: [message] } } }),
  (message) => ({
    type: 'response.failed',
    response: { id: 'r', status: 'failed', error: { code: 'server_error', message } },
  }),
  (message) => ({ type: 'message-end', delta: { finish_reason: 'ERROR', error: message } }),
  (message) => ({ candidates: [{ finishReason: message, finishMessage: message, content: { parts: [] } }] }),
  (message) => ({ choices: [{ index: 0, delta: {}, finish_reason: message, error: { message } }] }),
  (message) => message,
]

const PAGES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `<html><head><title>${text}</title></head><body>${text}</body></html>`,
  (text) => `<html><title>401: ${text}`,
  (text) => `{"error": "${text}`,
  (text) => `upstream connect error: ${text}`,
]

/** Marks the secret in a JSON text. It is replaced by the JSON-escaped secret, or by an escape for every character. */
const MARK = 'QQ_MARK_QQ'

const filled = (json: string, text: string, isNumbered: boolean): string => {
  const written = isNumbered ? escapeAll(text, (code) => `\\u${hex(code, 4)}`) : inJson(text)
  return json.replaceAll(MARK, () => written)
}

const failureText = (secret: string): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.constantFrom(...FAILURES), quoting(secret), fc.boolean())
        .map(([build, text, isNumbered]) => filled(JSON.stringify(build(MARK)), text, isNumbered)),
    },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...PAGES), quoting(secret)).map(([page, text]) => page(text)) },
  )

const HEADERS = [
  'x-echo',
  'x-request-id',
  'request-id',
  'set-cookie',
  'location',
  'www-authenticate',
  'x-amzn-errortype',
  'x-amzn-requestid',
  'retry-after',
  'content-type',
  'content-encoding',
  'openai-processing-ms',
  'x-should-retry',
  'x-ratelimit-remaining-requests',
] as const

const headersOf = (secret: string, type: string): fc.Arbitrary<Record<string, string>> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant({ 'content-type': type }) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom(...HEADERS), escapedSecrets(secret)).map(([name, text]) => ({
        'content-type': type,
        [name]: name === 'content-type' ? `${type}; charset=${text}` : text,
      })),
    },
  )

/** Fields that contain the answer itself: texts, reasoning, calls, citations and encrypted content. */
const CONTENT: ReadonlySet<string> = new Set([
  'text',
  'content',
  'thinking',
  'reasoning',
  'reasoning_content',
  'reasoning_details',
  'reasoningContent',
  'signature',
  'thoughtSignature',
  'encrypted_content',
  'delta',
  'partial_json',
  'arguments',
  'args',
  'input',
  'tool_plan',
  'tool_calls',
  'toolUse',
  'functionCall',
  'parts',
  'output',
  'item',
  'item_id',
  'part',
  'summary',
  'refusal',
  'explanation',
  'citations',
  'citationMetadata',
  'annotations',
  'annotation',
  'call_id',
  'name',
  'content_block',
  'container',
  'container_id',
  'file_id',
  'image',
  'images',
  'audio',
  'logprobs',
  'logprobsResult',
  'citation',
  'groundingMetadata',
  'urlContextMetadata',
])

type Path = readonly (string | number)[]

/** Returns the paths of a JSON value outside the content, and those where a field can be added. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (Array.isArray(value)) return value.flatMap((one, at) => placesIn(one, [...path, at]))
  if (!isObject(value)) return [path]
  const fields = Object.entries(value).flatMap(([name, field]) =>
    // The `delta` in a choice of chat completions is an envelope, and so is the `delta` in events of other wires.
    CONTENT.has(name) && !(name === 'delta' && isObject(field)) ? [] : placesIn(field, [...path, name]),
  )
  return [...fields, [...path, 'x_note']]
}

function put(value: unknown, [first, ...rest]: Path, leaf: unknown): unknown {
  if (first === undefined) return leaf
  if (Array.isArray(value)) return value.map((one, at) => (at === first ? put(one, rest, leaf) : one))
  const object = isObject(value) ? value : {}
  return { ...object, [first]: put(object[first], rest, leaf) }
}

function planted(json: string, where: number, text: string, isNumbered: boolean): string {
  const value = parseJson(json)
  if (!isObject(value)) return json
  const places = placesIn(value)
  const place = places[where % places.length] ?? []
  return filled(JSON.stringify(put(value, place, MARK)), text, isNumbered)
}

const TURN = {
  thought: { text: 'Let me see.', seal: 'c2VhbA==' },
  text: ['Seven', ' degrees', ' in Oslo.'],
  calls: [{ id: 'call_1', name: 'get_weather', args: { city: 'Oslo' } }],
}

const FRAMES = Object.fromEntries(
  Object.values(WIRE_UPSTREAMS).map((upstream) => {
    const reader = WIRES[upstream.wire].framing.open(1e6)
    return [upstream.wire, [...reader.push(upstream.encodeTurn(TURN)), ...reader.end()]]
  }),
) as unknown as Readonly<Record<WireName, readonly Frame[]>>

function bytesOf(wire: WireName, { event, data }: Frame): Uint8Array {
  const { framing } = WIRES[wire]
  if (framing.name === 'eventstream') return encodeEventStream({ event, data })
  if (framing.name === 'ndjson') return Buffer.from(`${data.replaceAll('\n', ' ')}\n`)
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return Buffer.from(`${event === '' ? '' : `event: ${event}\n`}${lines.join('')}\n`)
}

const EVENTS = ['', 'error', ':exception throttlingException', ':exception validationException', ':error 500']

/** A stream that fails, or whose frames quote the secret outside the content. */
const streamText = (wire: WireName, secret: string): fc.Arbitrary<Uint8Array> => {
  const frames = FRAMES[wire]
  const last = frames.length - 1
  const failing = fc
    .tuple(fc.nat({ max: last }), fc.constantFrom(...EVENTS), failureText(secret), fc.boolean())
    .map(([at, event, data, goesOn]) => [...frames.slice(0, at), { event, data }, ...(goesOn ? frames.slice(at) : [])])
  const naming = fc
    .tuple(fc.nat({ max: last }), fc.nat({ max: 1000 }), quoting(secret), fc.boolean())
    .map(([at, where, text, isNumbered]) =>
      frames.map((frame, index) =>
        index === at ? { ...frame, data: planted(frame.data, where, text, isNumbered) } : frame,
      ),
    )
  const calling = fc
    .tuple(fc.nat({ max: last }), escapedSecrets(secret), fc.constantFrom('', ':exception ', ':error '))
    .map(([at, text, kind]) =>
      frames.map((frame, index) => (index === at ? { ...frame, event: kind + text.slice(0, 200) } : frame)),
    )
  return fc
    .oneof({ weight: 4, arbitrary: failing }, { weight: 4, arbitrary: naming }, { weight: 1, arbitrary: calling })
    .map((all) => Buffer.concat(all.map((frame) => bytesOf(wire, frame))))
}

const bodyText = (wire: WireName, secret: string): fc.Arbitrary<string> =>
  fc
    .tuple(ANSWERS[wire].body, fc.nat({ max: 1000 }), quoting(secret), fc.boolean())
    .map(([body, where, text, isNumbered]) => planted(body, where, text, isNumbered))

export interface QuotingAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  /** The positions at which the bytes are cut. */
  readonly cuts: readonly number[]
  readonly breaks: boolean
}

const STATUSES = [400, 401, 402, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529, 301, 302, 307, 201, 204] as const

const ANSWERS_OF = new Map<string, fc.Arbitrary<QuotingAnswer>>()

/**
 * Any answer of an upstream of this wire that quotes the secret. Cached, because building it takes longer than a run.
 */
export function quotingAnswer(wire: WireName, secret: string): fc.Arbitrary<QuotingAnswer> {
  const name = `${wire} ${secret}`
  const made = ANSWERS_OF.get(name) ?? makeAnswer(wire, secret)
  ANSWERS_OF.set(name, made)
  return made
}

function makeAnswer(wire: WireName, secret: string): fc.Arbitrary<QuotingAnswer> {
  const [streamType = ''] = WIRES[wire].framing.mediaTypes
  const json = 'application/json'
  const asBytes = (text: fc.Arbitrary<string>): fc.Arbitrary<Uint8Array> => text.map((one) => Buffer.from(one))
  const kinds = [
    [fc.constantFrom(...STATUSES), asBytes(failureText(secret)), json],
    [fc.constant(200), asBytes(failureText(secret)), json],
    [fc.constant(200), asBytes(failureText(secret)), streamType],
    [fc.constant(200), streamText(wire, secret), streamType],
    [fc.constant(200), asBytes(bodyText(wire, secret)), json],
  ] as const
  const answers = kinds.map(([status, bytes, type]) =>
    fc.record({
      status,
      bytes,
      headers: headersOf(secret, type),
      cuts: fc.array(fc.nat({ max: 3000 }), { maxLength: 4 }),
      breaks: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
    }),
  )
  return fc.oneof(...answers)
}

/** Returns the pieces between the cuts. */
export function piecesOf({ bytes, cuts }: Pick<QuotingAnswer, 'bytes' | 'cuts'>): readonly Uint8Array[] {
  const places = [0, ...cuts.filter((at) => at < bytes.length).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end))
}
