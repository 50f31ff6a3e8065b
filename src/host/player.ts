import type { Signal } from './signal.ts'
import type { Answer, Reader } from './source.ts'

/** Plays pieces at a fixed pace, as an upstream would: it can be paused, resumed and given up. */
export function openPlayer(
  pieces: readonly Uint8Array[],
  pace: number,
  headers: Answer['headers'],
  signal: Signal,
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
    signal.forget(giveUp)
  }
  const giveUp = (): void => {
    const told = reader
    close()
    if (signal.reason !== null) told?.fail(signal.reason)
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
  signal.listen(giveUp)

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
