import { expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { createBodyCollector } from '../../src/engine/body-collector.ts'
import { concatenated } from '../../src/text/bytes.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { encodeTurn, framesOf, optionsFor, PASSING, pass } from '../engine/passing.ts'
import { optionsOf } from '../engine/run-engine.ts'
import { endsOf } from '../engine/stream-ends.ts'
import { writeFrame } from '../framing/write-frame.ts'

/** A proxy may send events as a list, and a list with a failure is one: Google's gateways send failures so. */

const TEXTUAL: readonly KnownWire[] = Object.values(WIRES).filter(({ name }) => name !== 'bedrock-converse')

const bytesOf = ({ framing }: KnownWire, datas: readonly { readonly event: string; readonly data: string }[]) =>
  concatenated(datas.map((frame) => writeFrame(frame, framing.format)))

const listed = (wire: KnownWire) => {
  const frames = framesOf(wire, encodeTurn(wire, ['Hello', ' world']))
  return {
    frames,
    lists: frames.map((frame) => (isObject(parseJson(frame.data)) ? { ...frame, data: `[${frame.data}]` } : frame)),
  }
}

function collected(wire: KnownWire, bytes: Uint8Array) {
  const collector = createBodyCollector(optionsOf(openai, {}, 'x', wire))
  collector.push(bytes)
  collector.push('end')
  return { output: collector.body().output, outcome: collector.outcome() }
}

it.each(TEXTUAL)('events of $name in lists are those in the lists', (wire) => {
  const { frames, lists } = listed(wire)
  const found = collected(wire, bytesOf(wire, lists))
  expect(found).toMatchObject({ outcome: { status: 'completed', losses: [] } })
  expect(found.output).toEqual(collected(wire, bytesOf(wire, frames)).output)
})

it.each(TEXTUAL)('a failure of $name in a list ends the answer with its message and its code', (wire) => {
  const { frames } = listed(wire)
  const error = { code: 503, message: 'Too busy', status: 'UNAVAILABLE' }
  const failed = [...frames.slice(0, 2), { event: '', data: JSON.stringify([{ error }]) }]
  const { outcome } = collected(wire, bytesOf(wire, failed))
  expect(outcome).toMatchObject({ status: 'failed', error: { code: 'server_is_overloaded', message: 'Too busy' } })
})

it.each(PASSING)('a passed stream of $name has the events in its lists', (wire) => {
  const { frames, lists } = listed(wire)
  const settings = { usage: true }
  const run = (datas: typeof frames) => pass(optionsFor(wire, settings), wire, [bytesOf(wire, datas)], 'end')
  const shown = framesOf(wire, run(lists).output)
  expect(endsOf(wire.name, shown)).toEqual(['complete'])
  expect(shown.map(({ data }) => parseJson(data))).toEqual(
    framesOf(wire, run(frames).output).map(({ data }) => parseJson(data)),
  )
})
