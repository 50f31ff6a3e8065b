import { Buffer } from 'node:buffer'
import { FORMATS, type FormatName } from '../../framing/format.ts'
import { NDJSON } from '../../framing/ndjson.ts'
import { SSE } from '../../framing/sse.ts'
import { run } from '../../machine/run.ts'
import type { GatewayError } from '../../protocol/error.ts'
import { toErrorBody } from '../../protocol/error-body.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { isObject, parseJson } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'
import { WIRES } from '../../wires/registry.ts'
import { fixtureOf, loadRecordings, mockFixtures } from '../load-recordings.ts'
import type { ReceivedCall } from '../loopback-server.ts'
import { encodeTurnAnswer } from '../scripted/wire-bodies.ts'
import type { WireUpstream } from '../scripted/wire-upstream.ts'
import { SCRIPTED_UPSTREAMS } from '../scripted/wires.ts'
import type { MockFault, MockFrame } from './fault-edits.ts'
import type { MockSettings } from './mock-settings.ts'
import { turnFor } from './script.ts'

/** An answer before it is divided into pieces. */
export interface MockedAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
  readonly refused: string | null
  /** Pieces and pauses of an answer that takes its time; a setting of the mock replaces each of them. */
  readonly played?: Pick<MockSettings, 'pieces' | 'pace'>
}

export const jsonAnswer = (status: number, value: unknown): MockedAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  bytes: Buffer.from(JSON.stringify(value)),
  refused: null,
})

export function toRefusal(
  wire: WireName,
  error: GatewayError,
  fault: MockFault | undefined,
  path: string,
): MockedAnswer {
  const { client } = WIRES[wire]
  const body = errorBodyOf(wire, client, error)
  const refused = { ...jsonAnswer(error.status, isArrayPath(path) ? [body] : body), refused: error.message }
  const edit = fault?.error?.(body)
  if (edit === undefined) return refused
  const { status = error.status, type = 'application/json', text } = edit
  return { ...refused, status, headers: { 'content-type': type }, bytes: Buffer.from(text) }
}

function errorBodyOf(wire: WireName, client: (typeof WIRES)[WireName]['client'], error: GatewayError): JsonObject {
  if (client !== undefined) return client.encodeError(error, 'req_mock').body
  return wire === 'openai-responses' ? toErrorBody(error) : { message: error.message }
}

/** The answer to a valid request. */
export async function playOf(
  wire: WireName,
  name: string,
  stream: boolean,
  { path, body }: ReceivedCall,
  fault: MockFault | undefined,
): Promise<MockedAnswer> {
  const asked = fault?.request?.(body as JsonObject) ?? (body as JsonObject)
  const whole = mockFixtures(wire).includes(name)
    ? await fixtureAnswer(wire, name, stream)
    : scriptedAnswer(wire, stream, path, asked)
  const answer = fault === undefined ? whole : withFault(whole, wire, stream, fault)
  return stream && isArrayPath(path) ? toArray(answer) : answer
}

/** Without `alt=sse`, a stream of Google is one JSON array. */
const isArrayPath = (path: string): boolean =>
  /:streamGenerateContent(?:\?|$)/.test(path) && !/[?&]alt=sse(?:&|$)/.test(path)

const toArray = (answer: MockedAnswer): MockedAnswer => ({
  ...answer,
  headers: { ...answer.headers, 'content-type': 'application/json; charset=UTF-8' },
  bytes: Buffer.from(
    `[${framesOf('gemini-generate', answer.bytes)
      .map(({ data }) => data)
      .join('\n,\r\n')}\n]`,
  ),
})

function upstreamOf(wire: WireName): WireUpstream {
  const upstream = SCRIPTED_UPSTREAMS[wire]
  if (upstream === undefined) throw new Error(`the mock has no answers of ${wire}`)
  return upstream
}

async function fixtureAnswer(wire: WireName, name: string, stream: boolean): Promise<MockedAnswer> {
  const address = fixtureOf(wire, name, stream)
  if (address === null)
    throw new Error(
      `${name} of ${wire} is only ${stream ? 'a whole body: request it without' : 'a stream: request it with'} "stream": true`,
    )
  const [exchange] = loadRecordings(address)
  if (exchange === undefined) throw new Error(`${name} cannot be read`)
  const { status, headers } = exchange.settings
  const type = stream ? upstreamOf(wire).contentType : 'application/json'
  return {
    status: status ?? 200,
    headers: { 'content-type': type, ...headers },
    bytes: await exchange.body(),
    refused: null,
  }
}

function scriptedAnswer(wire: WireName, stream: boolean, url: string, body: JsonObject): MockedAnswer {
  const turn = turnFor(wire, body)
  const { type, bytes } = encodeTurnAnswer(upstreamOf(wire), turn, { url, body: { ...body, stream } })
  const isLong = stream && turn.text.length >= LONG
  return {
    status: 200,
    headers: { 'content-type': type },
    bytes,
    refused: null,
    ...(isLong ? { played: { pieces: Math.ceil(bytes.length / turn.text.length), pace: PACE_MS } } : {}),
  }
}

/** A stream of so many pieces arrives as that of a model does: one piece after the other. */
const LONG = 40
const PACE_MS = 10

// ---------------------------------------------------------------- faults

function withFault(answer: MockedAnswer, wire: WireName, stream: boolean, fault: MockFault): MockedAnswer {
  const { frames: edit, text: editText, body: editBody, type } = fault
  if (!stream) {
    const value = parseJson(Buffer.from(answer.bytes).toString())
    return editBody === undefined || !isObject(value)
      ? answer
      : { ...answer, ...pick(jsonAnswer(answer.status, editBody(value))) }
  }
  const headers = type === undefined ? answer.headers : { ...answer.headers, 'content-type': type }
  const edited =
    edit === undefined ? Buffer.from(answer.bytes).toString() : written(wire, edit(framesOf(wire, answer.bytes)))
  return { ...answer, headers, bytes: Buffer.from(editText === undefined ? edited : editText(edited)) }
}

const pick = ({ headers, bytes }: MockedAnswer): Pick<MockedAnswer, 'headers' | 'bytes'> => ({ headers, bytes })

const formatFor = (wire: WireName): FormatName => (wire === 'ollama-chat' ? 'ndjson' : 'sse')

function framesOf(wire: WireName, bytes: Uint8Array): readonly MockFrame[] {
  const reader = (formatFor(wire) === 'ndjson' ? NDJSON : SSE).open(Number.MAX_SAFE_INTEGER)
  return [...reader.push(bytes), ...reader.end()]
}

const written = (wire: WireName, frames: readonly MockFrame[]): string =>
  run(FORMATS[formatFor(wire)].write, frames).join('')
