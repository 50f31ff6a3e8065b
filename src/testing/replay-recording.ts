import {
  collectNamedResponse,
  type StreamOptions,
  streamNamedEvents,
  translateNamedStream,
} from '../api/named-streams.ts'
import { wireNamed } from '../api/names.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { PlayedAnswer } from '../host/recording/playback.ts'
import { toPlayedAnswer } from '../host/recording/replay-transport.ts'
import type { ResponseEvent, ResponseObject } from '../protocol/response-event.ts'
import type { WireName } from '../wires/contract.ts'
import { loadRecordings, type RecordingPath } from './load-recordings.ts'

export interface ReplayRecordingOptions extends Omit<StreamOptions, 'from' | 'onOutcome'> {
  /** The wire of the recording. Default: that of its settings, of the name of its folder, or of its bytes. */
  readonly from?: WireName
}

/** A recorded answer as the engine translates it. */
export interface ReplayedRecording {
  /** The events of the Responses API, in the form of the dialect `openai`. */
  readonly events: readonly ResponseEvent[]
  /** The whole response; its status is `failed` for an error or a broken answer. */
  readonly response: ResponseObject
  /** The stream for a client of `to`. */
  readonly text: string
  /** Status, usage, losses and failure. */
  readonly outcome: Outcome
}

/** The bytes in the pieces in which they came. A broken answer breaks at its end. */
function streamOf({ pieces, error }: PlayedAnswer): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const piece = pieces[next++]
      if (piece !== undefined) controller.enqueue(piece.bytes)
      else if (error === null) controller.close()
      else controller.error(new Error(error.message))
    },
  })
}

const STATUS_WITHOUT_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304])

const toResponse = (answer: PlayedAnswer): Response => {
  const { status, headers } = answer
  const named = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return new Response(STATUS_WITHOUT_BODY.has(status) ? null : streamOf(answer), {
    status,
    headers: Object.fromEntries(named),
  })
}

/**
 * Translates a recorded answer as the engine would, without a server and without delays. `path` has one recording. An
 * answer with an error status, or one that breaks, fails as it would for a client. Rejects with an Error that names the
 * path if it has no recording; throws a TypeError for an unknown name in an option.
 */
export async function replayRecording(
  path: RecordingPath,
  { from, ...options }: ReplayRecordingOptions = {},
): Promise<ReplayedRecording> {
  if (from !== undefined) wireNamed('from', from)
  const [exchange, ...others] = loadRecordings(path, from)
  if (exchange === undefined || others.length > 0) {
    throw new Error(`"${path}" has ${others.length + 1} recordings. Name the folder of one recording.`)
  }
  const { wire, quirks } = exchange.settings
  if (wire === null) throw new Error(`"${path}" is not a model’s recording.`)
  const answer = await toPlayedAnswer(exchange, 'fast')
  const { to: _, settings: __, format: ___, ...shared } = options
  const read = { quirks, ...shared, from: from ?? wire }
  const events: ResponseEvent[] = []
  for await (const event of streamNamedEvents(toResponse(answer), read)) events.push(event)
  let outcome: Outcome | null = null
  const written = translateNamedStream(toResponse(answer), {
    quirks,
    ...options,
    from: from ?? wire,
    onOutcome: (ended) => {
      outcome = ended
    },
  })
  const text = await new Response(written).text()
  const response = await collectNamedResponse(toResponse(answer), read)
  if (outcome === null) throw new Error(`"${path}" has no end.`)
  return { events, response, text, outcome }
}
