import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../../../src/dialects/registry.ts'
import { translateWholeBody } from '../../../src/engine/body-collector.ts'
import { encodeEventStream } from '../../../src/framing/encode-event-stream.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Json } from '../../../src/protocol/json.ts'
import { runSteps } from '../../../src/text/steps.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { WIRES } from '../../../src/wires/registry.ts'
import { collected, optionsOf, toBytes } from '../../engine/run-engine.ts'
import { sealed, targetOf } from '../../engine/target.ts'
import { requestOf } from '../../request-bodies.ts'
import type { Loose } from '../client-stream.ts'
import { VENDOR_ANSWERS, type VendorAnswer } from './answer-contents.ts'

/** Answers of vendors that differ from the document of their wire: each as a stream, cut anywhere, and as a body. */

function bytesOf(wire: WireName, frames: readonly unknown[]): Uint8Array {
  if (wire === 'bedrock-converse') {
    const encoded = (frames as readonly Loose[]).map(([event, payload]) =>
      encodeEventStream({ event, data: JSON.stringify(payload) }),
    )
    return Buffer.concat(encoded)
  }
  const lines = frames.map((it) => (typeof it === 'string' ? it : JSON.stringify(it)))
  if (wire === 'ollama-chat') return toBytes(lines.map((line) => `${line}\n`).join(''))
  return toBytes([...lines, ...(wire === 'openai-chat' ? ['[DONE]'] : [])].map((line) => `data: ${line}\n\n`).join(''))
}

const cut = (bytes: Uint8Array, size: number): readonly Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size))

const deltasOf = (wire: WireName, quirks: Quirks, bytes: Uint8Array): readonly Delta[] => {
  const reader = WIRES[wire].framing.open(1 << 26)
  return run(WIRES[wire].decodeStream(quirks), [...reader.push(bytes), ...reader.end()])
}

const joined = (response: Loose, type: string, member: string): string =>
  response.output
    .filter((item: Loose) => item.type === type)
    .map((item: Loose) => (item[member] ?? []).map((part: Loose) => part.text).join(''))
    .filter((text: string) => text !== '')
    .join('|')

function summaryOf(response: Loose, deltas: readonly Delta[]) {
  return {
    status: response.status,
    text: joined(response, 'message', 'content'),
    reasoning: joined(response, 'reasoning', 'summary') || joined(response, 'reasoning', 'content'),
    calls: response.output
      .filter(({ type }: Loose) => type === 'function_call')
      .map((it: Loose) => [it.name, it.arguments]),
    ids: response.output.filter(({ type }: Loose) => type === 'function_call').map((it: Loose) => it.call_id),
    usage: [response.usage?.input_tokens, response.usage?.output_tokens, response.usage?.total_tokens],
    losses: [...new Set(deltas.flatMap((delta) => (delta.kind === 'loss' ? [delta.feature] : [])))],
  }
}

/** Compares the members that the row has. Ids that the row has as null are made here: each must be unique. */
function check({ is }: VendorAnswer, found: ReturnType<typeof summaryOf>): void {
  const { ids, ...others } = is
  expect(found).toMatchObject(others)
  expect(new Set(found.ids).size).toBe(found.ids.length)
  expect(found.ids).not.toContain('null')
  for (const [i, id] of (ids ?? []).entries()) if (id !== null) expect(found.ids[i]).toBe(id)
}

/** Sends the output as history, with payloads sealed by the same vendor. */
function sentBack(row: VendorAnswer, response: Loose, deltas: readonly Delta[]): Json {
  const { wire, quirks = {} } = row
  const payloads = deltas.flatMap((delta) => (delta.kind === 'opaque' ? [delta.payload] : []))
  let next = 0
  const history = response.output.map((item: Loose) =>
    item.type === 'reasoning' && typeof item.encrypted_content === 'string'
      ? { ...item, encrypted_content: sealed(wire, payloads[next++] as Json) }
      : item,
  )
  const input = [{ role: 'user', content: 'Hi' }, ...history, { role: 'user', content: 'Go on.' }]
  const encoded = runSteps(WIRES[wire].encodeRequest(requestOf({ input }), targetOf(wire, quirks)))
  if (!encoded.ok) throw new Error(encoded.error.message)
  return encoded.body.messages ?? null
}

const ROWS = Object.entries(VENDOR_ANSWERS).map(([name, row]) => ({ name, ...row }))

describe('an answer of a vendor', () => {
  it.each(ROWS.filter(({ frames }) => frames !== undefined))('is decoded as a stream: $name', (row) => {
    const { wire, quirks = {}, frames = [], back } = row
    const bytes = bytesOf(wire, frames)
    const deltas = deltasOf(wire, quirks, bytes)
    const options = optionsOf(DIALECTS.openai, quirks, 'x', WIRES[wire])
    for (const size of [bytes.length, 7, 1]) check(row, summaryOf(collected(options, cut(bytes, size)), deltas))
    if (back !== undefined)
      expect(sentBack(row, collected(options, [bytes]), deltas)).toMatchObject(back as unknown as object)
  })

  it.each(ROWS.filter(({ body }) => body !== undefined))('is decoded as a body: $name', (row) => {
    const { wire, quirks = {}, body, back } = row
    const options = optionsOf(DIALECTS.openai, quirks, 'x', WIRES[wire])
    const response = translateWholeBody(options, JSON.stringify(body)).body as Loose
    const deltas = WIRES[wire].decodeBody(body, quirks)
    check(row, summaryOf(response, deltas))
    if (back !== undefined) expect(sentBack(row, response, deltas)).toMatchObject(back as unknown as object)
  })
})
