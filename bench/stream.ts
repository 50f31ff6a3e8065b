import assert from 'node:assert/strict'
import { add, complete, suite } from 'benny'
import { checkStream } from '../src/dialects/check.ts'
import type { Dialect } from '../src/dialects/dialect.ts'
import { DIALECTS } from '../src/dialects/registry.ts'
import { write } from '../src/dialects/write.ts'
import { translate } from '../src/engine.ts'
import { openSse } from '../src/framing/sse.ts'
import { feed } from '../src/machine/run.ts'
import { EMPTY_ECHO } from '../src/responses/echo.ts'
import { respond } from '../src/responses/respond.ts'
import { WIRES } from '../src/wires/registry.ts'
import { runFloor } from './floor.ts'
import { CUTS, type Cut, cut, longStream } from './inputs.ts'

const ROUNDS = 3
const wire = WIRES['openai-chat']
const head = { id: 'resp_0123456789abcdef', created_at: 1_700_000_000, model: 'bench', echo: EMPTY_ECHO }

function runPipeline(pieces: readonly Uint8Array[], dialect: Dialect): number {
  const translation = translate({ wire, dialect, head })
  const written = pieces.reduce((sum, piece) => sum + translation.receive(piece).length, 0)
  return written + translation.end().length
}

/** No figure for a wrong output: the translated stream has a clean grammar and says what the input says. */
function assertRight(stream: string, pieces: readonly Uint8Array[], dialect: Dialect): void {
  const translation = translate({ wire, dialect, head })
  const bytes = [...pieces.map((piece) => translation.receive(piece)), translation.end()]
  const text = new TextDecoder().decode(Buffer.concat(bytes))
  assert.deepEqual(checkStream(text, dialect), [])
  assert.equal(translation.outcome().status, 'completed')
  const said = [...stream.matchAll(/"(?:content|reasoning_content)":("(?:[^"\\]|\\.)+")/g)].map(([, one]) =>
    JSON.parse(one as string),
  )
  const told = [...text.matchAll(/"delta":("(?:[^"\\]|\\.)*")/g)].map(([, one]) => JSON.parse(one as string))
  assert.equal(told.join(''), said.join(''))
}

/** The stages of the pipeline by themselves, each on what the one before it gives. */
function stages(pieces: readonly Uint8Array[]): Readonly<Record<string, () => unknown>> {
  const decode = wire.decodeStream({})
  const hub = respond(head, DIALECTS.openai)
  const writer = write(DIALECTS.openai)
  const read = () => {
    const reader = openSse(1 << 24)
    return pieces.flatMap((piece) => reader.push(piece))
  }
  const frames = read()
  const deltas = feed(decode, decode.initial, frames).events
  const events = feed(hub, hub.initial, deltas).events
  return {
    framing: read,
    decode: () => feed(decode, decode.initial, frames),
    respond: () => feed(hub, hub.initial, deltas),
    write: () => feed(writer, writer.initial, events),
  }
}

/** One suite → operations a second by case. */
const measure = (name: string, cases: Readonly<Record<string, () => unknown>>): Promise<Record<string, number>> =>
  new Promise((resolve) => {
    void suite(
      name,
      ...Object.entries(cases).map(([label, run]) => add(label, () => void run(), { minSamples: 20, maxTime: 1 })),
      complete(({ results }) => resolve(Object.fromEntries(results.map((one) => [one.name, one.ops])))),
    )
  })

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] as number

/** Ratios to the floor of the same suite; the suite runs several times, because benny runs cases one after another. */
async function ratios(name: string, pieces: readonly Uint8Array[], cases: Readonly<Record<string, () => unknown>>) {
  const rounds: Record<string, number>[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.push(await measure(name, { floor: () => runFloor(pieces), ...cases }))
  }
  return Object.keys(cases).map((label) => {
    const ratio = median(rounds.map((ops) => (ops[label] as number) / (ops.floor as number)))
    return `| ${name} | ${label} | ${ratio.toFixed(2)} |`
  })
}

const [fixture = 'hello', size = 'event'] = process.argv.slice(2) as [string?, Cut?]
const stream = longStream(fixture)
const pieces = cut(stream, CUTS[size])
for (const dialect of Object.values(DIALECTS)) assertRight(stream, pieces, dialect)
const pipelines = {
  'pipeline → openai': () => runPipeline(pieces, DIALECTS.openai),
  'pipeline → beta': () => runPipeline(pieces, DIALECTS.beta),
}
const parts = size === '16 KiB' ? stages(pieces) : {}
const rows = await ratios(`${fixture}, ${size}`, pieces, { ...pipelines, ...parts })
process.stdout.write(`${rows.join('\n')}\n`)
