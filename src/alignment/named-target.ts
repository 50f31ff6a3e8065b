import type { Dialect } from '../dialects/dialect.ts'
import { openai } from '../dialects/openai.ts'
import { DIALECTS, findDialect } from '../dialects/registry.ts'
import { type AnswerWire, formatOf, wireTarget } from '../engine/client-target.ts'
import { dialectTarget, type Target } from '../engine/target.ts'
import { FRONT_ENDS } from '../targets/names.ts'
import { findFrontEnd } from '../targets/registry.ts'
import { RESPONSES_WIRE } from '../wires/contract.ts'
import { findAnswerCodec, findStreamWire } from '../wires/find-stream-wire.ts'
import { STREAM_WIRES } from '../wires/stream-registry.ts'

/** The target of a recording: a dialect of the Responses API, a wire, or the stream of a user interface. */
export interface NamedTarget {
  /** The dialect of the events; null for other targets. */
  readonly dialect: Dialect | null
  readonly target: Target
  /** The extension of the files that hold its streams. */
  readonly extension: string
  readonly wholeSuffix: string
}

/** A recording is written with every optional field of the client wire, such as the usage of a stream. */
const EVERY_FIELD = { usage: true }

/** Returns undefined for an unknown name, and for a wire that has no clients. */
export function findTarget(name: string): NamedTarget | undefined {
  const frontEnd = findFrontEnd(name, EVERY_FIELD)
  if (frontEnd !== undefined) return { dialect: null, target: frontEnd, extension: 'sse', wholeSuffix: `${name}.json` }
  const dialect = findDialect(name)
  if (dialect !== undefined) return toDialect(dialect, 'response.json')
  const wire = findStreamWire(name)
  if (wire?.name === RESPONSES_WIRE) return toDialect(openai, `${name}.json`)
  const client = findAnswerCodec(name)
  return wire === undefined || client === undefined ? undefined : toWire({ name: wire.name, client })
}

const toDialect = (dialect: Dialect, wholeSuffix: string): NamedTarget => ({
  dialect,
  target: dialectTarget(dialect),
  extension: 'sse',
  wholeSuffix,
})

const toWire = (to: AnswerWire): NamedTarget => ({
  dialect: null,
  target: wireTarget(to, { settings: EVERY_FIELD }),
  extension: formatOf(to),
  wholeSuffix: `${to.name}.json`,
})

/** The targets whose clients send requests. */
export const CLIENT_NAMES: readonly string[] = [...Object.keys(DIALECTS), ...Object.keys(STREAM_WIRES)].filter(
  (name) => findTarget(name) !== undefined,
)

export const TARGET_NAMES: readonly string[] = [...CLIENT_NAMES, ...FRONT_ENDS]
