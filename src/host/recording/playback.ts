import type { CancellationSignal } from '../../gateway/cancellation.ts'
import type { BodyReader, Trailers, UpstreamResponse } from '../../gateway/upstream/transport.ts'
import type { GatewayError } from '../../protocol/error.ts'

/** Bytes that arrive together, this many milliseconds after those before them. */
export interface PlayedPiece {
  readonly bytes: Uint8Array
  readonly delayMs: number
}

export interface PlayedAnswer {
  readonly status: number
  readonly headers: UpstreamResponse['headers']
  readonly pieces: readonly PlayedPiece[]
  readonly trailers?: Trailers
  /** The failure after the last piece; null: the answer is complete. */
  readonly error: GatewayError | null
}

/** Plays an answer as its upstream would send it. It can be paused, resumed and aborted. */
export function createPlayback(answer: PlayedAnswer, signal: CancellationSignal): UpstreamResponse {
  const { status, headers, pieces, trailers, error } = answer
  let next = 0
  /** When the next piece is due, in milliseconds: a timer that is late does not delay all later pieces. */
  let dueAt = 0
  let reader: BodyReader | null = null
  let cancelNext: (() => void) | null = null

  const stop = (): void => {
    cancelNext?.()
    cancelNext = null
  }
  const close = (): void => {
    stop()
    reader = null
    signal.forget(listener)
  }
  const listener = {
    onCancel() {
      const active = reader
      close()
      if (signal.reason !== null) active?.fail(signal.reason)
    },
  }
  const play = (): void => {
    cancelNext = null
    const active = reader
    const piece = pieces[next++]
    dueAt += pieces[next]?.delayMs ?? 0
    if (piece === undefined) {
      close()
      if (error === null) active?.end(trailers)
      else active?.fail(error)
      return
    }
    // Schedules the next piece before this one is delivered, because its reader may pause.
    run()
    active?.bytes(piece.bytes)
  }
  const run = (): void => {
    if (reader !== null && cancelNext === null) cancelNext = schedule(play, dueAt - performance.now())
  }
  signal.listen(listener)

  return {
    status,
    headers,
    read: (own) => {
      reader = own
      dueAt = performance.now() + (pieces[0]?.delayMs ?? 0)
      if (signal.aborted) listener.onCancel()
      else run()
    },
    pause: stop,
    resume: run,
    abort: close,
  }
}

/** A timer takes at least a millisecond, also without a delay. Returns the function that cancels the call. */
function schedule(act: () => void, delayMs: number): () => void {
  if (delayMs <= 0) {
    const turn = setImmediate(act)
    return () => clearImmediate(turn)
  }
  const timer = setTimeout(act, delayMs)
  return () => clearTimeout(timer)
}
