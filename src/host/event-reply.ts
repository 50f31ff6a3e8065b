import { clientError } from '../protocol/error.ts'
import type { Exchange } from './exchange.ts'
import type { Voice } from './voice.ts'

const HEADERS = {
  'cache-control': 'no-cache',
  // Asks nginx and its kin not to hold the stream back.
  'x-accel-buffering': 'no',
}

const STALLED = clientError('client_stalled', 'The client did not read its stream.')

export interface EventReplyOptions {
  /** Silence after which it is told that the stream still lives; 0: never. */
  readonly keepAliveMs: number
  /** How long the client may leave the stream unread. */
  readonly stalledMs: number
  /** The client is behind: nothing more should be written until `onDrain`. */
  readonly onFull: () => void
  readonly onDrain: () => void
}

/** A stream to one client. */
export interface EventReply {
  /** Whole frames: between two writes something may be said in silence. */
  write(frames: Uint8Array): void
  end(frames: Uint8Array): void
}

/** Sends the head at once, so that the client knows its request was taken. */
export function openEventReply(
  exchange: Exchange,
  voice: Pick<Voice, 'mediaType' | 'keepAlive'>,
  options: EventReplyOptions,
): EventReply {
  const { response, entry } = exchange
  entry.status = 200
  response.writeHead(200, { 'content-type': voice.mediaType, ...HEADERS })
  response.flushHeaders()

  const keepAlive = openTimer(voice.keepAlive === null ? 0 : options.keepAliveMs, () => {
    if (!response.writableNeedDrain) response.write(voice.keepAlive)
    keepAlive.restart()
  })
  const stalled = openTimer(options.stalledMs, () => {
    exchange.abort(STALLED)
    response.destroy()
  })
  keepAlive.restart()

  response.on('drain', () => {
    stalled.stop()
    options.onDrain()
  })
  response.once('close', () => {
    keepAlive.stop()
    stalled.stop()
  })

  return {
    write(frames) {
      if (frames.length === 0 || response.destroyed) return
      entry.first_byte_ms ??= exchange.elapsed()
      keepAlive.restart()
      if (response.write(frames)) return
      stalled.restart()
      options.onFull()
    },
    end(frames) {
      keepAlive.stop()
      if (response.destroyed) return
      entry.first_byte_ms ??= exchange.elapsed()
      response.end(frames)
      // The last bytes, too, must be fetched one day.
      if (!response.writableFinished) stalled.restart()
    },
  }
}

interface Timer {
  restart(): void
  stop(): void
}

/** One timer for the whole stream: to restart it costs next to nothing, and that happens at every write. */
function openTimer(ms: number, onTime: () => void): Timer {
  let timer: NodeJS.Timeout | null = null
  return {
    restart() {
      if (ms === 0) return
      if (timer === null) timer = setTimeout(onTime, ms)
      else timer.refresh()
    },
    stop() {
      if (timer === null) return
      clearTimeout(timer)
      timer = null
    },
  }
}
