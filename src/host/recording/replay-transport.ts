import type { CancellationSignal } from '../../gateway/cancellation.ts'
import { sleep } from '../../gateway/upstream/retry.ts'
import type { Transport, UpstreamResponse } from '../../gateway/upstream/transport.ts'
import { clientError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { parseJson } from '../../text/json.ts'
import { redactor, redactText } from '../../wires/redact.ts'
import { WIRES } from '../../wires/registry.ts'
import type { ExchangeLibrary } from './exchange-library.ts'
import { piecesAt } from './paced-pieces.ts'
import { createPlayback, type PlayedAnswer } from './playback.ts'
import { isStreamOf, type StoredExchange } from './read-exchange.ts'
import { clientSecrets } from './request-secrets.ts'
import type { UpstreamTap } from './upstream-tap.ts'

/** `recorded`: with the delays of the recording. `fast`: without any. */
export type ReplayPace = 'recorded' | 'fast'

interface ReplayOptions {
  readonly pace: ReplayPace
  /** Called with the name of each exchange that is played, and the first difference from its request, if there is one. */
  readonly onPlay: (exchange: string, difference: string | null) => void
  /** Hidden in differences, besides the keys of clients and all that looks like a key. Default: none. */
  readonly secrets?: readonly string[]
}

/** The answer of an exchange, ready to be played. It has a status. */
export async function toPlayedAnswer({ settings, body }: StoredExchange, pace: ReplayPace): Promise<PlayedAnswer> {
  const { status, headers, trailers, wire, error, end } = settings
  const bytes = await body()
  const framing = isStreamOf(settings, bytes) && wire !== null ? WIRES[wire].framing : null
  const pieces = piecesAt(bytes, settings.pace, framing)
  return {
    status: status ?? 502,
    headers:
      'content-type' in headers || framing === null ? headers : { 'content-type': framing.mediaTypes[0], ...headers },
    pieces: pace === 'fast' ? pieces.map((piece) => ({ ...piece, delayMs: 0 })) : pieces,
    trailers,
    error: end === 'broken' ? error : null,
  }
}

/** Plays one exchange as its upstream behaved: with its status, its pace and its end. */
export async function playExchange(
  exchange: StoredExchange,
  pace: ReplayPace,
  signal: CancellationSignal,
): Promise<Result<UpstreamResponse>> {
  const { status, error, head_ms } = exchange.settings
  const answer = await toPlayedAnswer(exchange, pace)
  if (pace === 'recorded' && head_ms > 0) await sleep(head_ms, signal)
  if (signal.reason !== null) return err(signal.reason)
  if (status === null && error !== null) return err(error)
  return ok(createPlayback(answer, signal))
}

/** Keys of clients that are remembered, the oldest forgotten first. */
const MOST_SECRETS = 100

/** Answers in place of every upstream. No call leaves the process. */
export function createReplay(library: ExchangeLibrary, options: ReplayOptions): UpstreamTap {
  const { pace, onPlay } = options
  let { secrets = [] } = options
  let ofClients: readonly string[] = []
  const redact = (text: string): string => redactText(text, redactor([...secrets, ...ofClients]))
  return {
    hide: (more) => {
      secrets = [...new Set([...secrets, ...more])]
    },
    admit: (request) => {
      const fresh = clientSecrets(request).filter((secret) => !ofClients.includes(secret))
      if (fresh.length > 0) ofClients = [...ofClients, ...fresh].slice(-MOST_SECRETS)
    },
    wrap:
      (_, { vendor }): Transport =>
      async (call, signal) => {
        const text = typeof call.body === 'string' ? call.body : Buffer.from(call.body).toString()
        const found = library.find({
          method: call.method ?? 'POST',
          path: call.url.pathname,
          model: call.model,
          body: call.method === 'GET' || text === '' ? null : (parseJson(text) ?? text),
          vendor,
        })
        if (!found.ok) return err(clientError('not_found', redact(found.message)))
        onPlay(found.exchange.name, found.difference === null ? null : redact(found.difference))
        return playExchange(found.exchange, pace, signal)
      },
  }
}
