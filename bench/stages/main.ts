/**
 * Measures each stage of the slow path separately, on the output of the stage before it.
 *
 *     npm run bench:stages                      the wires of the page
 *     npm run bench:stages -- gemini-generate   one wire
 *
 * Each wire is a suite of benny. Each figure is the median of its samples, in processor time.
 */
import { DIALECTS } from '../../src/dialects/registry.ts'
import { writeFrames } from '../../src/dialects/write.ts'
import { feed } from '../../src/machine/run.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import { respond } from '../../src/responses/respond.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { openReport } from '../figure.ts'
import { processorMs } from '../measure.ts'
import { cut, longStream } from '../pipeline/inputs.ts'
import { STAGED_WIRES } from './wires.ts'

/** Seconds of each stage. */
const CASES = { minTime: 0.01, maxTime: 1, minSamples: 20 }
const READ = 16 * 1024
const HEAD = { id: 'resp_0123456789abcdef', created_at: 1_700_000_000, model: 'bench', echo: EMPTY_ECHO }

/** The form of `process.hrtime`, in processor time: seconds and nanoseconds, since the argument if there is one. */
function processorTime([seconds, nanoseconds]: readonly [number, number] = [0, 0]): [number, number] {
  const since = processorMs() * 1e6 - (seconds * 1e9 + nanoseconds)
  return [Math.floor(since / 1e9), since % 1e9]
}

// benchmark.js, on which benny runs, takes its clock from the process when it is loaded. Other programs of the machine
// would count in its own clock.
process.hrtime = Object.assign(processorTime, { bigint: process.hrtime.bigint })
const { add, configure, suite } = await import('benny')

// benny announces each suite on the standard output, which has the figures.
console.log = console.error

interface Stages {
  readonly messages: number
  /** The work of each stage on one whole stream. */
  readonly runs: Readonly<Record<string, () => unknown>>
}

function openStages(name: WireName): Stages {
  const wire = WIRES[name]
  const pieces = cut(longStream(name, 'text'), READ)
  const read = () => {
    const reader = wire.framing.open(1 << 24)
    return pieces.flatMap((piece) => reader.push(piece))
  }
  const decode = wire.decodeStream({})
  const hub = respond(HEAD, DIALECTS.openai)
  const writer = writeFrames(DIALECTS.openai)
  const frames = read()
  const deltas = feed(decode, decode.initial, frames).events
  const events = feed(hub, hub.initial, deltas).events
  const runs = {
    framing: () => void read(),
    decode: () => void feed(decode, decode.initial, frames),
    respond: () => void feed(hub, hub.initial, deltas),
    write: () => void feed(writer, writer.initial, events),
  }
  return { messages: frames.length, runs }
}

const report = openReport('lower is better; median time of a stage for each message')
const named = process.argv.slice(2).filter((word): word is WireName => Object.hasOwn(WIRES, word))
for (const wire of named.length > 0 ? named : STAGED_WIRES) {
  const { messages, runs } = openStages(wire)
  // A function that a case returns is its work; the case itself is the preparation.
  const cases = Object.entries(runs).map(([name, run]) => add(name, () => run))
  const { results } = await suite(wire, ...cases, configure({ cases: CASES }))
  for (const { name, completed, details } of results) {
    if (!completed) throw new Error(`${wire}, ${name}: no sample`)
    report({ case: `${wire}, ${name}`, value: (details.median * 1_000_000) / messages, unit: 'µs a message' })
  }
}
