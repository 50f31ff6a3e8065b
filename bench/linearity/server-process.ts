/** The server of `server.ts`: `server-process.js URL`, where URL is the upstream. One vendor a wire. */
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import { start } from '../../src/host/start.ts'
import { setServerFlags } from '../../src/host/v8-flags.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { processorMs } from '../measure.ts'

export const KEY = 'linearity'

/** What the process reports of itself. */
export interface ServerReport {
  readonly cpu: number
  /** MiB; null without Linux's /proc. */
  readonly peak: number | null
}

/** The largest resident memory since the last `forgetPeak` (proc(5), VmHWM), in MiB. */
function peak(): number | null {
  try {
    const [, kilobytes] = /^VmHWM:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
    return kilobytes === undefined ? null : Number(kilobytes) / 1024
  } catch {
    return null
  }
}

/** After a collection, so that the memory of the process in rest is what counts as nothing. */
function forgetPeak(): void {
  ;(globalThis as unknown as { gc: () => void }).gc()
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // Elsewhere there is no peak either.
  }
}

async function openServer(upstream: string): Promise<void> {
  const keys = [{ name: 'linearity', sha256: createHash('sha256').update(KEY).digest('hex') }]
  const vendors = Object.fromEntries(
    Object.keys(WIRES).map((wire) => [wire, { wire, base_url: `${upstream}/v1`, key: 'x' }]),
  )
  const loaded = checkConfigValue({ listen: { port: 0 }, keys, vendors })
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
  // The command line does the same.
  setServerFlags()
  const { url } = await start(loaded.config)
  forgetPeak()
  process.on('message', () => process.send?.({ cpu: processorMs(), peak: peak() } satisfies ServerReport))
  process.on('disconnect', () => process.exit())
  process.send?.(url)
}

if (process.send !== undefined) await openServer(process.argv[2] as string)
