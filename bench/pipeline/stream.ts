/**
 * Compares one stream for one target with the floor, in each of the ways in which it arrives:
 * `node bench/out/bench/pipeline/stream.js <wire> <kind> <target> <rounds> <way>…` prints a JSON object a line.
 */

import assert from 'node:assert/strict'
import { createTranslation } from '../../src/engine/translation.ts'
import { EMPTY_ECHO } from '../../src/responses/echo.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { Figure } from '../figure.ts'
import { timesAsFast, timesInTurns, WARM_MS_SHORT } from '../measure.ts'
import { caseName, WAYS, type Way } from './cases.ts'
import { runFloor } from './floor.ts'
import { CUTS, cut, type Kind, longStream } from './inputs.ts'
import { type BenchTargetName, benchTarget, textOfFloor } from './targets.ts'

/** Milliseconds. */
const WARM_MS = 1_000

const HEAD = { id: 'resp_0123456789abcdef', created_at: 1_700_000_000, model: 'bench', echo: EMPTY_ECHO }

const [wire, kind, name, rounds, ...ways] = process.argv.slice(2) as [
  WireName,
  Kind,
  BenchTargetName,
  string,
  ...(readonly Way[]),
]
const { target, verify } = benchTarget(name)
const events = longStream(wire, kind)

const open = (coalesce: boolean) => createTranslation({ wire: WIRES[wire], target, head: HEAD, coalesce })

const piecesOf = (way: Way): readonly Uint8Array[] => cut(events, CUTS[WAYS[way].cut])

function runsOf(way: Way): Readonly<Record<string, () => number>> {
  const { coalesce } = WAYS[way]
  const pieces = piecesOf(way)
  return {
    [`floor, ${way}`]() {
      let written = 0
      runFloor(wire, pieces, (bytes) => {
        written += bytes.length
      })
      return written
    },
    [way]() {
      const translation = open(coalesce)
      let written = 0
      for (const piece of pieces) written += translation.push(piece).length
      return written + translation.push('end').length
    },
  }
}

/**
 * A wrong output must not give a figure: the translated stream must be well-formed and complete, and contain the text of
 * the floor.
 */
function assertRight(way: Way): void {
  const pieces = piecesOf(way)
  const translation = open(WAYS[way].coalesce)
  const bytes = [...pieces.map((piece) => translation.push(piece)), translation.push('end')]
  assert.equal(translation.outcome().status, 'completed')
  const floor: Uint8Array[] = []
  runFloor(wire, pieces, (one) => void floor.push(one))
  const expected = textOfFloor(floor)
  const [least, from] = kind === 'reply' ? [12, 0] : [300, 100]
  assert.ok(expected.length > least, 'the floor wrote no text')
  // A dialect without an event for the deltas of a call has its arguments at the end.
  const whole = kind === 'arguments' && name === 'beta'
  assert.ok(verify(Buffer.concat(bytes), whole).includes(expected.slice(from, 4_000)), 'another text')
}

for (const way of ways) assertRight(way)
const runs = Object.assign({}, ...ways.map(runsOf)) as Readonly<Record<string, () => number>>
// The ways of a stream share most of their code.
const warmMs = kind === 'short' || kind === 'reply' ? WARM_MS_SHORT : ways.length === 1 ? WARM_MS : WARM_MS / 2
const times = await timesInTurns(runs, Number(rounds), warmMs)
for (const way of ways) {
  const value = timesAsFast(times, way, `floor, ${way}`)
  const figure: Figure = { case: caseName({ wire, kind, target: name }, way), value, unit: '× the floor' }
  process.stdout.write(`${JSON.stringify(figure)}\n`)
}
