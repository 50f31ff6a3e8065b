/**
 * One process of the comparison: `node main.js <role> <origin of the upstream> <folder of the build>`. It sends its
 * origin to its parent.
 */
import { readdirSync } from 'node:fs'
import type { Report, Role } from '../endpoints.ts'
import { profile } from './profile.ts'
import { openRelay } from './relay.ts'
import { openServer } from './server.ts'
import { lastClosed, openUpstream } from './upstream.ts'

const ROLES: Readonly<Record<Role, (upstream: string, folder: string) => Promise<string>>> = {
  upstream: openUpstream,
  relay: openRelay,
  server: openServer,
  base: openServer,
}

process.on('message', ({ collect, begins }: { collect?: boolean; begins?: boolean }) => {
  if (begins !== undefined) {
    void profile(begins).then((rows) => process.send?.(rows))
    return
  }
  // The memory of a buffer is released one collection after the collection that finds it unused.
  if (collect) for (let n = 0; n < 3; n += 1) (globalThis as unknown as { gc: () => void }).gc()
  const { user, system } = process.cpuUsage()
  const { heapUsed, external, rss: resident } = process.memoryUsage()
  const descriptors = readdirSync('/proc/self/fd').length
  const cpu = (user + system) / 1000
  const report: Report = { cpu, memory: heapUsed + external, resident, descriptors, lastClosed: lastClosed() }
  process.send?.(report)
})
process.on('disconnect', () => process.exit())
const [, , role = 'upstream', upstream = '', folder = ''] = process.argv
process.send?.(await ROLES[role as Role](upstream, folder))
