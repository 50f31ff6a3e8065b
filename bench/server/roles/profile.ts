import { type Profiler, Session } from 'node:inspector/promises'
import { partOfModule, REST } from '../cost-rows.ts'

const INTERVAL_US = 200

/** Frames of no program: the time in which a process waits. */
const IDLE = '(idle)'

/** `…/out/src/engine/pipeline.js` → `engine/pipeline.js`; `…/node_modules/undici/lib/…` → `undici/lib/…`. */
const moduleOf = (url: string): string => url.replace(/^.*\/(?:out\/src|node_modules)\//, '')

/** The row of a frame; undefined if its module belongs to none, such as a helper that many parts call. */
function rowOf({ functionName, url }: Profiler.ProfileNode['callFrame']): string | undefined {
  if (functionName === '(garbage collector)') return 'collect garbage'
  return partOfModule(moduleOf(url))
}

/** Adds each sample to the row of its innermost frame that has one. */
function microsecondsOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Record<string, number> {
  const frames = new Map(nodes.map((node) => [node.id, node.callFrame]))
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)))
  const rows = new Map<number, string>()
  for (const { id, callFrame } of nodes) {
    let row = rowOf(callFrame)
    for (let at = callers.get(id); row === undefined && at !== undefined; at = callers.get(at)) {
      const frame = frames.get(at)
      row = frame === undefined ? undefined : rowOf(frame)
    }
    if (callFrame.functionName !== IDLE) rows.set(id, row ?? REST)
  }
  const sums: Record<string, number> = {}
  for (const [index, id] of samples.entries()) {
    const row = rows.get(id)
    if (row !== undefined) sums[row] = (sums[row] ?? 0) + (timeDeltas[index] ?? 0)
  }
  return sums
}

let session: Session | null = null

/** Begins a profile of this process, or ends it: then returns the microseconds between the samples of each row. */
export async function profile(begins: boolean): Promise<Record<string, number>> {
  if (begins) {
    session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US })
    await session.post('Profiler.start')
    return {}
  }
  const stopped = await session?.post('Profiler.stop')
  session?.disconnect()
  session = null
  return stopped === undefined ? {} : microsecondsOf(stopped.profile)
}
