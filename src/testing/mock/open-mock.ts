import type { Cancellation } from '../../gateway/cancellation.ts'
import { createPlayback, type PlayedPiece } from '../../host/recording/playback.ts'
import { wireOfPath } from '../../host/recording/wire-paths.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { ok } from '../../protocol/result.ts'
import { isObject } from '../../text/json.ts'
import type { WireName } from '../../wires/contract.ts'
import { WIRES } from '../../wires/registry.ts'
import { mockFixtures } from '../load-recordings.ts'
import {
  type FaultyAnswer,
  type LoopbackAddress,
  type LoopbackServer,
  openLoopbackServer,
  type ReceivedCall,
} from '../loopback-server.ts'
import { SCRIPTED_UPSTREAMS } from '../scripted/wires.ts'
import type { MockFault } from './fault-edits.ts'
import { MOCK_FAULTS } from './faults.ts'
import { jsonAnswer, type MockedAnswer, playOf, toRefusal } from './mock-answers.ts'
import { type MockSettings, parseMockModel, settingsOfHeaders } from './mock-settings.ts'
import { faultOfRequest } from './strict-request.ts'

export interface MockOptions extends MockSettings, LoopbackAddress {
  /** The key that each request needs. Default: none. */
  readonly key?: string
  /** Called for each request. */
  readonly onRequest?: (request: MockedRequest) => void
}

export interface MockedRequest {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Why it was refused; null if it was not. */
  readonly refused: string | null
}

/** A model with this beginning is one that the vendor does not have. */
const UNKNOWN_MODEL = /^no-such-/

/**
 * Opens a server that answers in the protocol of every wire, chosen by the path of a request: with a fixture, if the model
 * has its name, and else with what the request demands. It refuses what the vendor of the wire would refuse.
 */
export const openMock = ({
  host,
  port,
  holdsProcess = false,
  key,
  onRequest,
  ...settings
}: MockOptions = {}): Promise<LoopbackServer> =>
  openLoopbackServer(
    async (call, signal) => {
      const { answer, faults } = await answerOf(call, key ?? null, settings)
      onRequest?.({ method: call.method, path: call.path, status: answer.status, refused: answer.refused })
      return toFaulty(answer, faults, signal)
    },
    { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }), holdsProcess },
  )

function toFaulty(
  { status, headers, bytes, played: { pieces, pace = 0 } = {} }: MockedAnswer,
  settings: MockSettings,
  signal: Cancellation,
): FaultyAnswer {
  const { delay, cut, fault } = settings
  const sent = piecesOf(bytes, settings.pieces ?? pieces, settings.pace ?? pace)
  const isHeld = fault !== undefined && MOCK_FAULTS[fault]?.held === true
  const played = createPlayback(
    { status, headers, pieces: isHeld ? [heldPiece(bytes, sent)] : sent, error: null },
    signal,
  )
  return {
    opened: ok(played),
    faults: {
      ...(delay === undefined ? {} : { delayMs: delay }),
      ...(cut === undefined ? {} : { cutAfterBytes: cut }),
    },
  }
}

const piecesOf = (bytes: Uint8Array, size = bytes.length, delayMs: number): readonly PlayedPiece[] =>
  Array.from({ length: Math.ceil(bytes.length / Math.max(size, 1)) }, (_, at) => ({
    bytes: bytes.subarray(at * size, (at + 1) * size),
    delayMs,
  }))

/** All pieces as one, at the time of the last. */
const heldPiece = (bytes: Uint8Array, pieces: readonly PlayedPiece[]): PlayedPiece => ({
  bytes,
  delayMs: pieces.reduce((sum, { delayMs }) => sum + delayMs, 0),
})

// ---------------------------------------------------------------- routes

const MODEL_IN_PATH = /\/models?\/([^/:]+)(?::\w+|\/[\w-]+)$/
const STREAM_IN_PATH = /:streamGenerateContent$|\/converse-stream$/
const LISTS = /\/(?:models|api\/tags)$/

/** The wire of a request for an answer; null for other paths below it, such as that of a count. */
function wireAt(path: string): WireName | null {
  const wire = wireOfPath(path)
  const upstream = wire === null ? undefined : SCRIPTED_UPSTREAMS[wire]
  return upstream !== undefined && (MODEL_IN_PATH.test(path) || path.endsWith(upstream.path)) ? wire : null
}

interface Answered {
  readonly answer: MockedAnswer
  readonly faults: MockSettings
}

async function answerOf(call: ReceivedCall, key: string | null, server: MockSettings): Promise<Answered> {
  const [path = ''] = call.path.split('?', 1)
  const wire = wireAt(path)
  const refuse = (error: GatewayError, faults: MockSettings = server, fault?: MockFault): Answered => ({
    answer: toRefusal(wire ?? 'openai-chat', error, fault, call.path),
    faults,
  })
  if (key !== null && !hasKey(call, key))
    return refuse(clientError('invalid_api_key', 'The key is not valid.', undefined, 401))
  if (call.method === 'GET' && LISTS.test(path)) return { answer: jsonAnswer(200, listFor(path)), faults: server }
  if (wire === null) return refuse(clientError('not_found', `The mock has no ${path}.`, undefined, 404))
  if (call.method !== 'POST')
    return refuse(clientError('method_not_allowed', `${call.method} is not allowed here.`, undefined, 405))
  if (!isObject(call.body)) return refuse(clientError('invalid_json', 'The body is not a JSON object.'))
  const body = call.body as JsonObject
  const inPath = MODEL_IN_PATH.exec(path)?.[1]
  try {
    const model = inPath === undefined ? String(body.model ?? '') : decodeURIComponent(inPath)
    const { name, settings } = parseMockModel(model)
    const faults = { ...server, ...settingsOfHeaders(call.headers), ...settings }
    const fault = faults.fault === undefined ? undefined : MOCK_FAULTS[faults.fault]
    if (fault !== undefined && fault.wire !== wire)
      return refuse(clientError('invalid_prompt', `The fault ${faults.fault} belongs to ${fault.wire}.`))
    if (UNKNOWN_MODEL.test(name))
      return refuse(clientError('model_not_found', `Unknown model ${name}.`, 'model', 404), faults, fault)
    const stream = isStream(wire, path, body)
    const wrong = faultOfRequest(wire, body, model, stream)
    if (wrong !== null) return refuse(wrong, faults, fault)
    return { answer: await playOf(wire, name, stream, call, fault), faults }
  } catch (error) {
    return refuse(clientError('invalid_prompt', error instanceof Error ? error.message : String(error), 'model'))
  }
}

const isStream = (wire: WireName, path: string, { stream }: JsonObject): boolean =>
  STREAM_IN_PATH.test(path) || stream === true || (wire === 'ollama-chat' && stream === undefined)

const hasKey = ({ headers, path }: ReceivedCall, key: string): boolean =>
  headers.authorization === `Bearer ${key}` ||
  headers['x-api-key'] === key ||
  headers['x-goog-api-key'] === key ||
  new URLSearchParams(path.split('?', 2)[1]).get('key') === key

/** The list of models in the form of each family: their members differ, so that one list has all of them. */
function listFor(path: string): JsonObject {
  const names = ['script', ...new Set(Object.keys(WIRES).flatMap((wire) => mockFixtures(wire as WireName)))]
  if (path.includes('v1beta')) return { models: names.map((name) => ({ name: `models/${name}`, displayName: name })) }
  if (path.endsWith('/api/tags')) return { models: names.map((name) => ({ name, model: name })) }
  const data = names.map((id) => ({
    id,
    object: 'model',
    type: 'model',
    display_name: id,
    created: 0,
    owned_by: 'mock',
  }))
  return { object: 'list', data, models: names.map((name) => ({ name: `models/${name}` })), has_more: false }
}
