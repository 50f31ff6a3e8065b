/**
 * Measures each stage of the slow path separately, on the output of the stage before it.
 *
 *     npm run bench:stages                      the wires of the page
 *     npm run bench:stages -- gemini-generate   one wire
 *
 * The clock is processor time. Each figure is the median time of tinybench's samples.
 */
import { Bench } from 'tinybench'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { writeFrames } from '../../src/dialects/write.ts'
import { FRAMINGS } from '../../src/framing/registry.ts'
import { feed } from '../../src/machine/run.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import { respond } from '../../src/responses/respond.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { openReport } from '../figure.ts'
import { processorMs } from '../measure.ts'
import { cut, longStream } from '../pipeline/inputs.ts'
import { STAGED_WIRES } from './wires.ts'

const SAMPLE_MS = 500
const READ = 16 * 1024
const HEAD = { id: 'resp_0123456789abcdef', created_at: 1_700_000_000, model: 'bench', echo: EMPTY_ECHO }

function openStages(name: WireName): { readonly bench: Bench; readonly messages: number } {
  const wire = WIRES[name]
  const pieces = cut(longStream(name, 'text'), READ)
  const read = () => {
    const reader = FRAMINGS[wire.framing].open(1 << 24)
    return pieces.flatMap((piece) => reader.push(piece))
  }
  const decode = wire.decodeStream({})
  const hub = respond(HEAD, DIALECTS.openai)
  const writer = writeFrames(DIALECTS.openai)
  const frames = read()
  const deltas = feed(decode, decode.initial, frames).events
  const events = feed(hub, hub.initial, deltas).events
  const bench = new Bench({ now: processorMs, time: SAMPLE_MS, warmupTime: SAMPLE_MS })
    .add('framing', () => void read())
    .add('decode', () => void feed(decode, decode.initial, frames))
    .add('respond', () => void feed(hub, hub.initial, deltas))
    .add('write', () => void feed(writer, writer.initial, events))
  return { bench, messages: frames.length }
}

const report = openReport('lower is better; median time of a stage for each message')
const named = process.argv.slice(2).filter((word): word is WireName => Object.hasOwn(WIRES, word))
for (const wire of named.length > 0 ? named : STAGED_WIRES) {
  const { bench, messages } = openStages(wire)
  const stages = (await bench.run()).map(({ name, result }) => {
    if (result.state !== 'completed') throw new Error(`${wire}, ${name}: ${result.state}`)
    return { name, ms: result.latency.p50 }
  })
  for (const { name, ms } of stages) {
    report({ case: `${wire}, ${name}`, value: (ms * 1000) / messages, unit: 'µs a message' })
  }
}
