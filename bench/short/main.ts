/**
 * How many times as fast as the slow path the fast path is for short answers, which most turns of agents are: one event
 * a read, in turns in one process. The answers before each are as short, so that no shape is recalled.
 *
 *     npm run bench:short                                  each wire, for each of its clients
 *     npm run bench:short -- openai-chat --chunks 20       one wire, with another number of chunks with text
 */
import { parseArgs } from 'node:util'
import { openai } from '../../src/dialects/openai.ts'
import { StreamAnswer } from '../../src/engine/answer-driver.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget, type Target } from '../../src/engine/target.ts'
import { type OpenFastPath, openFastPath } from '../../src/fast-path/open-fast-path.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { openReport } from '../figure.ts'
import { timesAsFast, timesInTurns } from '../measure.ts'
import { caseOf, longStream } from '../pipeline/inputs.ts'

/** Rounds of a millisecond: what else the machine does meets both sides. */
const ROUNDS = 300
const ROUND_MS = 1
const WARM_MS = 400
const NAMES = Object.keys(WIRES) as readonly WireName[]

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, chunks: { type: 'string', default: '6' } },
})
const chunks = Number(values.chunks)

const head = { id: 'resp_x', created_at: 1, model: 'm', echo: EMPTY_ECHO }

function targetOf(name: WireName): Target | null {
  const { client } = WIRES[name]
  if (name === 'openai-responses') return dialectTarget(openai)
  return client === undefined ? null : wireTarget({ name, client })
}

type Open = (path: OpenFastPath | null) => StreamAnswer

/** The answers of a wire for its clients, and as it is passed to those of its own protocol. */
function* answersOf(name: WireName): Generator<readonly [client: string, open: Open]> {
  const wire = WIRES[name]
  const { passthrough } = wire
  for (const client of NAMES) {
    const target = targetOf(client)
    if (target === null) continue
    const options = { wire, head, target, lend: true }
    yield [client, (path) => new StreamAnswer(options, path)]
    if (client === name && passthrough !== undefined)
      yield [`${client}, passed`, (path) => new PassedStream(options, passthrough.answer, path)]
  }
}

function run(answer: StreamAnswer, reads: readonly Uint8Array[]): number {
  let size = 0
  for (const read of reads) size += answer.push(read).length
  return size + answer.push('end').length
}

const print = openReport(`${chunks} chunks with text, one event a read; higher is faster than the slow path`)
for (const name of NAMES) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  for (const kind of ['text', 'arguments'] as const) {
    if (caseOf(name, kind) === null) continue
    const reads = longStream(name, kind, chunks)
    for (const [client, open] of answersOf(name)) {
      const runs = { fast: () => run(open(openFastPath), reads), slow: () => run(open(null), reads) }
      const value = timesAsFast(await timesInTurns(runs, ROUNDS, WARM_MS, ROUND_MS), 'fast', 'slow')
      print({ case: `${name} ${kind} → ${client}`, value, unit: '× as fast' })
    }
  }
}
