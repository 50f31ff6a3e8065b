import type { CancellationSignal } from '../cancellation.ts'
import type { BodyReader, UpstreamResponse } from './transport.ts'

/** Plays pieces at a fixed pace, as an upstream would send them. The answer can be paused, resumed and aborted. */
export function createPlayback(
  pieces: readonly Uint8Array[],
  pace: number,
  headers: UpstreamResponse['headers'],
  signal: CancellationSignal,
): UpstreamResponse {
  let next = 0
  let reader: BodyReader | null = null
  let timer: NodeJS.Timeout | null = null

  const stop = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }
  const close = (): void => {
    stop()
    reader = null
    signal.forget(cancel)
  }
  const cancel = (): void => {
    const active = reader
    close()
    if (signal.reason !== null) active?.fail(signal.reason)
  }
  const play = (): void => {
    timer = null
    const active = reader
    const piece = pieces[next++]
    if (piece === undefined) {
      close()
      active?.end()
      return
    }
    // Schedules the next piece before this one is delivered, because its reader may pause.
    run()
    active?.bytes(piece)
  }
  const run = (): void => {
    if (reader !== null && timer === null) timer = setTimeout(play, pace)
  }
  signal.listen(cancel)

  return {
    status: 200,
    headers,
    read: (own) => {
      reader = own
      if (signal.aborted) cancel()
      else run()
    },
    pause: stop,
    resume: run,
    abort: close,
  }
}
