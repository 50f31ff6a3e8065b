import type { Env } from '../../gateway/config/secrets.ts'
import { type Log, lineLog } from '../../gateway/telemetry/log.ts'
import { hasColours } from '../output/terminal.ts'
import type { Streams } from '../streams.ts'
import { LOG_FORMATS, LOG_LEVELS, logFrom } from './log-level.ts'
import { prettyLog } from './pretty-log.ts'

export interface LogOptions {
  /** `json` or `pretty`. Default: `pretty` on a terminal. */
  readonly log?: string
  readonly 'log-level'?: string
}

/** The log of a server on its output. Unknown words count as left out. */
export function openLog(options: LogOptions, stdout: Streams['stdout'], env: Env): Log {
  const level = LOG_LEVELS.find((one) => one === options['log-level']) ?? 'info'
  const format = LOG_FORMATS.find((one) => one === options.log) ?? (stdout.isTTY === true ? 'pretty' : 'json')
  const write = (text: string): void => void stdout.write(text)
  const style = { colours: hasColours(stdout, env), isDetailed: level === 'debug' }
  return logFrom(level, format === 'json' ? lineLog(write, Date.now) : prettyLog(write, Date.now, style))
}
