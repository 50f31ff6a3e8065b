/**
 * Compares one stream, in one cut and one dialect, with the floor:
 * `node bench/out/bench/stream.js <wire> <kind> <cut> <dialect> <rounds> [coalesced]` prints a JSON object.
 */

import assert from 'node:assert/strict'
import { checkStream } from '../src/dialects/check-stream.ts'
import type { DialectName } from '../src/dialects/dialect.ts'
import { DIALECTS } from '../src/dialects/registry.ts'
import { dialectTarget } from '../src/engine/target.ts'
import { createTranslation } from '../src/engine/translation.ts'
import { EMPTY_ECHO } from '../src/responses/echo.ts'
import type { WireName } from '../src/wires/contract.ts'
import { WIRES } from '../src/wires/registry.ts'
import { runFloor } from './floor.ts'
import { CUTS, type Cut, cut, type Kind, longStream } from './inputs.ts'
import { ratiosToFirst } from './measure.ts'

/** Milliseconds. In a short stream, start and end are most of the work, and are compiled late. */
const WARM_MS_SHORT = 4_000

const HEAD = { id: 'resp_0123456789abcdef', created_at: 1_700_000_000, model: 'bench', echo: EMPTY_ECHO }

const [wire, kind, size, name, rounds, how] = process.argv.slice(2) as [
  WireName,
  Kind,
  Cut,
  DialectName,
  string,
  string?,
]
const dialect = DIALECTS[name]
const coalesce = how === 'coalesced'
const pieces = cut(longStream(wire, kind), CUTS[size])

const open = () => createTranslation({ wire: WIRES[wire], target: dialectTarget(dialect), head: HEAD, coalesce })

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

/** The deltas of a stream in a dialect, joined, and the texts or arguments in its last event. */
function textsOf(bytes: readonly Uint8Array[]): { readonly deltas: string; readonly last: string } {
  const text = new TextDecoder().decode(Buffer.concat(bytes))
  const find = (field: RegExp, where: string) =>
    [...where.matchAll(field)].map(([, one]) => JSON.parse(one as string) as string).join('')
  return {
    deltas: find(/"delta":("(?:[^"\\]|\\.)*")/g, text),
    last: find(/"(?:text|arguments)":("(?:[^"\\]|\\.)*")/g, text.slice(text.lastIndexOf('"output":['))),
  }
}

/**
 * A wrong output must not give a figure: the translated stream must pass the conformance check, be complete, and
 * contain the text of the floor.
 */
function assertRight(): void {
  const translation = open()
  const bytes = [...pieces.map((piece) => translation.receive(piece)), translation.end()]
  assert.deepEqual(checkStream(new TextDecoder().decode(Buffer.concat(bytes)), dialect), [])
  assert.equal(translation.outcome().status, 'completed')
  const floor: Uint8Array[] = []
  runFloor(wire, pieces, (one) => void floor.push(one))
  const expected = textsOf(floor).deltas
  const actual = textsOf(bytes)
  assert.ok(expected.length > 300, 'the floor says nothing')
  // A dialect without an event for the deltas of a call has its arguments at the end.
  const silent = kind === 'arguments' && dialect.events['function_call_arguments.delta'].length === 0
  assert.ok((silent ? actual.last : actual.deltas).includes(expected.slice(100, 4_000)), 'other words')
}

assertRight()
const warmMs = kind === 'short' ? WARM_MS_SHORT : undefined
const { pipeline } = await ratiosToFirst({ floor: measuredFloor, pipeline: runPipeline }, Number(rounds), warmMs)
const label = `${wire} ${kind}, ${size} → ${name}${coalesce ? ', coalesced' : ''}`
process.stdout.write(`${JSON.stringify({ case: label, ratio: pipeline })}\n`)
