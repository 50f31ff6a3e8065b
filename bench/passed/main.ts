/**
 * The cost of a passed chunk beside a translated one on the slow path, one event a read, in turns in one process.
 *
 * Passing an answer on reads it as a translation does, and sends its own bytes. It must cost at most a fifth more than
 * the translation to the dialect `openai`, where no chunk takes the fast path.
 *
 *     npm run bench:passed                      four wires
 *     npm run bench:passed -- gemini-generate   one wire
 */
import { parseArgs } from 'node:util'
import { openai } from '../../src/dialects/openai.ts'
import { StreamAnswer } from '../../src/engine/answer-driver.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { PassedStream } from '../../src/engine/passthrough/passed-stream.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { openFastPath } from '../../src/fast-path/open-fast-path.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import type { Wire, WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { type Figure, openReport } from '../figure.ts'
import { median, timesAsLong, timesInTurns } from '../measure.ts'
import { cut, longStream } from '../pipeline/inputs.ts'

const ROUNDS = 15
const NAMES = ['openai-chat', 'anthropic-messages', 'gemini-generate', 'openai-responses'] as const

const head = { id: 'resp_x', created_at: 1, model: 'm', echo: EMPTY_ECHO }

function answers(wire: Wire, path: typeof openFastPath | null) {
  const { name, client, passthrough } = wire
  if (passthrough === undefined) throw new Error(`${name} passes no answers`)
  const own = client === undefined ? dialectTarget(openai) : wireTarget({ name, client })
  const options = { wire, head, lend: true }
  return {
    passed: () => new PassedStream({ ...options, target: own }, passthrough.answer, path),
    translated: () => new StreamAnswer({ ...options, target: dialectTarget(openai) }, path),
  }
}

function run(answer: StreamAnswer, reads: readonly Uint8Array[]): number {
  let size = 0
  for (const read of reads) size += answer.push(read).length
  return size + answer.push('end').length
}

async function report(name: WireName, print: (figure: Figure) => void): Promise<void> {
  const reads = cut(longStream(name, 'text'), 0)
  const [slow, fast] = [answers(WIRES[name], null), answers(WIRES[name], openFastPath)]
  const times = await timesInTurns(
    {
      translated: () => run(slow.translated(), reads),
      passed: () => run(slow.passed(), reads),
      fast: () => run(fast.passed(), reads),
    },
    ROUNDS,
  )
  const cost = (side: string): number => (1000 * median(times[side] ?? [])) / reads.length
  print({ case: `${name}, passed, slow path`, value: timesAsLong(times, 'passed', 'translated'), unit: '× translated' })
  print({ case: `${name}, passed, slow path`, value: cost('passed'), unit: 'µs a chunk' })
  print({ case: `${name}, passed, fast path`, value: cost('fast'), unit: 'µs a chunk' })
}

const { positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'boolean' } } })
const print = openReport('processor time, one event a read; × translated: a passed chunk beside a translated one')
for (const name of NAMES) if (positionals.length === 0 || positionals.includes(name)) await report(name, print)
