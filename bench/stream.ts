/**
 * Compares one stream, in one cut and for one target, with the floor:
 * `node bench/out/bench/stream.js <wire> <kind> <cut> <target> <rounds> [coalesced]` prints a JSON object.
 */

import assert from 'node:assert/strict'
import { createTranslation } from '../src/engine/translation.ts'
import { EMPTY_ECHO } from '../src/responses/echo.ts'
import type { WireName } from '../src/wires/contract.ts'
import { WIRES } from '../src/wires/registry.ts'
import { runFloor } from './floor.ts'
import { CUTS, type Cut, cut, type Kind, longStream } from './inputs.ts'
import { ratiosToFirst } from './measure.ts'
import { type BenchTargetName, benchTarget, textOfFloor } from './targets.ts'

/** Milliseconds. In a short stream, start and end are most of the work, and are compiled late. */
const WARM_MS_SHORT = 4_000

const HEAD = { id: 'resp_0123456789abcdef', created_at: 1_700_000_000, model: 'bench', echo: EMPTY_ECHO }

const [wire, kind, size, name, rounds, how] = process.argv.slice(2) as [
  WireName,
  Kind,
  Cut,
  BenchTargetName,
  string,
  string?,
]
const { target, verify } = benchTarget(name)
const coalesce = how === 'coalesced'
const pieces = cut(longStream(wire, kind), CUTS[size])

const open = () => createTranslation({ wire: WIRES[wire], target, head: HEAD, coalesce })

function runPipeline(): number {
  const translation = open()
  let written = 0
  for (const piece of pieces) written += translation.receive(piece).length
  return written + translation.end().length
}

function measuredFloor(): number {
  let written = 0
  runFloor(wire, pieces, (bytes) => {
    written += bytes.length
  })
  return written
}

/**
 * A wrong output must not give a figure: the translated stream must be well-formed and complete, and contain the text of
 * the floor.
 */
function assertRight(): void {
  const translation = open()
  const bytes = [...pieces.map((piece) => translation.receive(piece)), translation.end()]
  assert.equal(translation.outcome().status, 'completed')
  const floor: Uint8Array[] = []
  runFloor(wire, pieces, (one) => void floor.push(one))
  const expected = textOfFloor(floor)
  assert.ok(expected.length > 300, 'the floor wrote no text')
  // A dialect without an event for the deltas of a call has its arguments at the end.
  const whole = kind === 'arguments' && name === 'beta'
  assert.ok(verify(Buffer.concat(bytes), whole).includes(expected.slice(100, 4_000)), 'another text')
}

assertRight()
const warmMs = kind === 'short' ? WARM_MS_SHORT : undefined
const { pipeline } = await ratiosToFirst({ floor: measuredFloor, pipeline: runPipeline }, Number(rounds), warmMs)
const label = `${wire} ${kind}, ${size} → ${name}${coalesce ? ', coalesced' : ''}`
process.stdout.write(`${JSON.stringify({ case: label, ratio: pipeline })}\n`)
