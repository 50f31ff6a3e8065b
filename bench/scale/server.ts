/** The measured server of `streams.ts`: the server of the command line, which reports its memory. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setFlagsFromString, writeHeapSnapshot } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { checkConfigValue } from '../../src/gateway/config/parse-config.ts'
import { start } from '../../src/host/start.ts'
import { setServerFlags } from '../../src/host/v8-flags.ts'

export interface ServerReport {
  /** Bytes of heap and external memory, after a collection. */
  readonly memory: number
  /** Bytes of all memory of the process. */
  readonly resident: number
  /** Milliseconds of processor time. */
  readonly cpu: number
  readonly descriptors: number
}

/** `snapshot`: the path of a file for a snapshot of the heap. */
export type ServerQuestion = { readonly collect: boolean; readonly snapshot?: string }

const [, , upstream = '', key = '', most = '0'] = process.argv

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function report(): ServerReport {
  const { heapUsed, external, rss: resident } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const descriptors = readdirSync('/proc/self/fd').length
  return { memory: heapUsed + external, resident, cpu: (user + system) / 1000, descriptors }
}

process.on('message', (question: ServerQuestion) => {
  // The memory of a buffer is released one collection after the collection that finds it unused.
  if (question.collect) for (let n = 0; n < 3; n += 1) collect()
  const answer = report()
  if (question.snapshot !== undefined) writeHeapSnapshot(question.snapshot)
  process.send?.(answer)
})
process.on('disconnect', () => process.exit())

const loaded = checkConfigValue({
  listen: { port: 0 },
  keys: [{ name: 'scale', sha256: createHash('sha256').update(key).digest('hex') }],
  vendors: { scale: { wire: 'openai-chat', base_url: `${upstream}/v1` } },
  connections: { most: Number(most) },
})
if (!loaded.ok) throw new Error(loaded.problems.join('\n'))
setServerFlags()
process.send?.((await start(loaded.config)).url)
