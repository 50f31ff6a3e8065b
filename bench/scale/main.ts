/**
 * Measures how far one server grows: ten thousand open streams in one process, and the throughput of two workers against
 * one. Upstream, server and clients are separate processes on loopback.
 *
 *     npm run bench:scale                               both parts; four minutes
 *     npm run bench:scale -- streams --streams 2000     only this part, with fewer streams
 *     npm run bench:scale -- workers
 *
 * Exits with 1 if an answer was not complete.
 */
import { parseArgs } from 'node:util'
import { killAll } from '../children.ts'
import { type Figure, openReport } from '../figure.ts'
import { measureStreams, STREAMS_DEFAULTS } from './streams.ts'
import { measureWorkers } from './workers.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    streams: { type: 'string', default: String(STREAMS_DEFAULTS.streams) },
    'window-seconds': { type: 'string', default: String(STREAMS_DEFAULTS.windowSeconds) },
    /** A file for a snapshot of the server's heap with all streams open. */
    snapshot: { type: 'string' },
    json: { type: 'boolean' },
  },
})

const note = (line: string): void => void process.stderr.write(`${line}\n`)

const PARTS: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  streams: () =>
    measureStreams({
      streams: Number(values.streams),
      windowSeconds: Number(values['window-seconds']),
      ...(values.snapshot === undefined ? {} : { snapshot: values.snapshot }),
      note,
    }),
  workers: measureWorkers,
}

try {
  const report = openReport('one server, upstream and clients on the same machine')
  for (const [part, measure] of Object.entries(PARTS)) {
    if (positionals.length > 0 && !positionals.includes(part)) continue
    for (const figure of await measure()) {
      report(figure)
      if (figure.unit === 'lost' && figure.value > 0) process.exitCode = 1
    }
  }
} finally {
  killAll()
}
