import { readFileSync } from 'node:fs'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import type { LogLine } from '../../src/gateway/telemetry/log.ts'
import { type Door, startAt, useDoor } from '../../test/host/doors.ts'

/**
 * A gateway in its own process, by one of its doors: `gateway.ts DOOR CONFIG`. Sends `{ url }` to its parent, then
 * `{ bug }` for each bug in its log, and `{ heapMiB, rssMiB }` after a collection for each message.
 */
export interface GatewayMemory {
  readonly heapMiB: number
  readonly rssMiB: number
}

const [, , door = 'node', file = ''] = process.argv
const collect = (globalThis as { readonly gc?: () => void }).gc
const toMiB = (bytes: number): number => Math.round(bytes / 1024 / 1024)

const loaded = checkConfigValue(JSON.parse(readFileSync(file, 'utf8')))
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
useDoor(door as Door)
const log = (line: LogLine): void => {
  if (line.event === 'bug') process.send?.({ bug: JSON.stringify(line) })
}
const { url } = await startAt(loaded.config, { env: {}, log })
process.on('message', () => {
  collect?.()
  const { heapUsed, external, rss } = process.memoryUsage()
  process.send?.({ heapMiB: toMiB(heapUsed + external), rssMiB: toMiB(rss) })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ url })
