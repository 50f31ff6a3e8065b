import type { Cancellation } from '../gateway/cancellation.ts'
import type { UpstreamResponse } from '../gateway/upstream/transport.ts'
import { piecesAt } from '../host/recording/paced-pieces.ts'
import { createPlayback } from '../host/recording/playback.ts'
import { playExchange, type ReplayPace } from '../host/recording/replay-transport.ts'
import { clientError, type GatewayError } from '../protocol/error.ts'
import { ok, type Result } from '../protocol/result.ts'
import type { WireName } from '../wires/contract.ts'
import { loadRecordings, type RecordingPath } from './load-recordings.ts'

/** Failures that an upstream shows beside its answer. */
export interface Faults {
  /** Replaces the status. */
  readonly status?: number
  /** Milliseconds before the head. */
  readonly delayMs?: number
  /** The connection breaks after this many bytes of the body. */
  readonly cutAfterBytes?: number
}

/** One answer of a mock: a recording, JSON, or text and bytes. Default: an empty body. */
export type MockAnswer = Faults & { readonly headers?: Readonly<Record<string, string>> } & (
    | { readonly recording: RecordingPath; readonly from?: WireName; readonly pace?: ReplayPace }
    | { readonly json: unknown }
    | { readonly body?: string | Uint8Array }
  )

/** The head and body of an answer before its faults. */
export async function openAnswer(
  answer: MockAnswer,
  pace: ReplayPace,
  signal: Cancellation,
): Promise<Result<UpstreamResponse>> {
  if ('recording' in answer) {
    const [exchange, ...others] = loadRecordings(answer.recording, answer.from)
    if (exchange === undefined || others.length > 0) {
      throw new Error(`"${answer.recording}" has ${others.length + 1} recordings. Name the folder of one recording.`)
    }
    return playExchange(exchange, answer.pace ?? pace, signal)
  }
  const body = 'json' in answer ? JSON.stringify(answer.json) : (answer.body ?? '')
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const headers = 'json' in answer ? { 'content-type': 'application/json' } : {}
  return ok(createPlayback({ status: 200, headers, pieces: piecesAt(bytes, 0, null), error: null }, signal))
}

/** An answer in the form in which every vendor's client finds the message of an error. */
export const errorAnswer = ({ status, code, message }: GatewayError): MockAnswer => ({
  status,
  // The clients of OpenAI and Anthropic would repeat the request otherwise.
  headers: { 'x-should-retry': 'false' },
  json: { type: 'error', error: { type: code, code, status: code, message } },
})

export const notFound = (message: string): MockAnswer => errorAnswer(clientError('not_found', message))
