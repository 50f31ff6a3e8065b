import type { buildConnector } from 'undici/index.js'

type Connector = buildConnector.connector

/** An error after the connection is reported by undici's own listeners. */
const ignore = (): void => undefined

/**
 * undici's connector leaves its listener for a failed attempt on the connection. The listener keeps the timers of the
 * attempt, half a kilobyte, for as long as the connection lasts.
 */
export const forgettingAttempts =
  (connect: Connector): Connector =>
  (options, callback) =>
    connect(options, (...result) => {
      if (result[0] === null) result[1].removeAllListeners('error').on('error', ignore)
      callback(...result)
    })
