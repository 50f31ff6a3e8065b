/**
 * Measures each stage of the slow path separately, on the output of the stage before it: `node
 * bench/out/bench/stages.js`.
 */
import { add, complete, cycle, suite } from 'benny'
import { DIALECTS } from '../src/dialects/registry.ts'
import { writeFrames } from '../src/dialects/write.ts'
import { FRAMINGS } from '../src/framing/registry.ts'
import { feed } from '../src/machine/run.ts'
import { EMPTY_ECHO } from '../src/responses/echo.ts'
import { respond } from '../src/responses/respond.ts'
import type { WireName } from '../src/wires/contract.ts'
import { WIRES } from '../src/wires/registry.ts'
import { cut, longStream } from './inputs.ts'

const head = { id: 'resp_0123456789abcdef', created_at: 1_700_000_000, model: 'bench', echo: EMPTY_ECHO }
const name = (process.argv[2] ?? 'openai-chat') as WireName
const wire = WIRES[name]
const pieces = cut(longStream(name, 'text'), 16 * 1024)

const read = () => {
  const reader = FRAMINGS[wire.framing].open(1 << 24)
  return pieces.flatMap((piece) => reader.push(piece))
}
const decode = wire.decodeStream({})
const hub = respond(head, DIALECTS.openai)
const writer = writeFrames(DIALECTS.openai)
const frames = read()
const deltas = feed(decode, decode.initial, frames).events
const events = feed(hub, hub.initial, deltas).events

void suite(
  `${name}, a stream of ${frames.length} messages`,
  add('framing', () => void read()),
  add('decode', () => void feed(decode, decode.initial, frames)),
  add('respond', () => void feed(hub, hub.initial, deltas)),
  add('write', () => void feed(writer, writer.initial, events)),
  cycle(),
  complete(),
)
