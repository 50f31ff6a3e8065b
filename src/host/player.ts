import type { GatewayError } from '../protocol/error.ts'
import type { Answer, Reader } from './source.ts'

/** Plays pieces at a fixed pace, as an upstream would: it can be paused, resumed and given up. */
export function openPlayer(
  pieces: readonly Uint8Array[],
  pace: number,
  headers: Answer['headers'],
  signal: AbortSignal,
): Answer {
  let next = 0
  let reader: Reader | null = null
  let timer: NodeJS.Timeout | null = null

  const stop = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
  }
  const close = (): void => {
    stop()
    reader = null
    signal.removeEventListener('abort', giveUp)
  }
  const giveUp = (): void => {
    const told = reader
    close()
    told?.fail(signal.reason as GatewayError)
  }
  const play = (): void => {
    timer = null
    const told = reader
    const piece = pieces[next++]
    if (piece === undefined) {
      close()
      told?.end()
      return
    }
    // Before the piece is told: who hears it may pause.
    run()
    told?.bytes(piece)
  }
  const run = (): void => {
    if (reader !== null && timer === null) timer = setTimeout(play, pace)
  }
  signal.addEventListener('abort', giveUp)

  return {
    status: 200,
    headers,
    read: (own) => {
      reader = own
      if (signal.aborted) giveUp()
      else run()
    },
    pause: stop,
    resume: run,
    abort: close,
  }
}
