import {
  CONNECTIONS,
  type Connection,
  DOORS,
  type Door,
  type DoorResult,
  type RuntimeResults,
} from '../../test/runtimes/results.ts'
import { table } from './markdown.ts'

function cellText(result: DoorResult | undefined, isInstalled: boolean): string {
  if (result === undefined) return isInstalled ? 'none' : 'not tested'
  const total = result.passed + result.failed.length
  return result.failed.length === 0
    ? `${total} of ${total}`
    : `${result.passed} of ${total}: ${result.failed.join('; ')}`
}

/** The table of runtimes: versions, and passed tests by each way to use the package. */
export function runtimeTable({ runtimes }: RuntimeResults): string {
  const rows = Object.entries(runtimes).map(([name, { version, connections: _, ...results }]) => [
    name,
    version ?? 'not installed',
    ...(Object.keys(DOORS) as Door[]).map((door) => cellText(results[door], version !== null)),
  ])
  return table(['runtime', 'version', ...Object.values(DOORS)], rows)
}

/** The table of connections of the server: a row for each, and a column for each runtime that has a server. */
export function connectionTable({ runtimes }: RuntimeResults): string {
  const servers = Object.entries(runtimes).filter(([, { connections }]) => connections !== undefined)
  const rows = (Object.keys(CONNECTIONS) as Connection[]).map((connection) => [
    CONNECTIONS[connection],
    ...servers.map(([, { connections }]) => connections?.[connection] ?? 'not tested'),
  ])
  return table(['the server', ...servers.map(([name]) => name)], rows)
}

/** The size of a script of Workers. */
export function workerSize({ script }: RuntimeResults): string {
  return `The example \`fetch-gateway.ts\`, bundled as Wrangler does: ${script.minified} KiB minified, ${script.compressed} KiB compressed. Workers accept 3 MiB compressed in the free plan.`
}
