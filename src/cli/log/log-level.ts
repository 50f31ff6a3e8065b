import type { Log, LogLine } from '../../gateway/telemetry/log.ts'
import { lookup } from '../../text/lookup.ts'

/** The least important lines that a log contains. */
export type LogLevel = 'error' | 'warn' | 'info' | 'debug'

/** From the fewest lines to the most. */
export const LOG_LEVELS: readonly LogLevel[] = ['error', 'warn', 'info', 'debug']

/** `pretty` is for readers at a terminal, `json` for programs. */
export const LOG_FORMATS = ['json', 'pretty'] as const

/** Events other than requests. One that is not listed is `info`. */
const LEVELS: Readonly<Record<string, LogLevel>> = {
  bug: 'error',
  reload_refused: 'error',
  worker_crashed: 'error',
  worker_given_up: 'error',
  recording_failed: 'error',
  configuration_notice: 'warn',
  connections_cut: 'warn',
  connections_refused: 'warn',
  continuation_off: 'warn',
  destinations_unavailable: 'warn',
  encrypted_content_secret_missing: 'warn',
  forwarding_unsupported: 'warn',
  rate_limit_store: 'warn',
  upstream: 'warn',
  traces_dropped: 'warn',
  configuration: 'debug',
  worker_started: 'debug',
}

/** A request that failed by a fault of its client is `warn`; by one of the upstream or of this server, `error`. */
export function levelOf({ event, error, party, file }: LogLine): LogLevel {
  // The user of a server that has found its file in the folder reads which one it was.
  if (event === 'configuration' && typeof file === 'string' && file !== '') return 'info'
  if (event === 'request') return error === undefined ? 'info' : party === 'client' ? 'warn' : 'error'
  return lookup(LEVELS, String(event)) ?? 'info'
}

/** A log that passes only the lines of a level, and of those above it. */
export function logFrom(level: LogLevel, log: Log): Log {
  const allowed = new Set(LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1))
  return (line) => {
    if (allowed.has(levelOf(line))) log(line)
  }
}
