import { DIALECTS } from '../../../src/dialects/registry.ts'
import type { Frame } from '../../../src/framing/frame.ts'
import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { openaiResponses } from '../../../src/wires/openai-responses/index.ts'
import { decodeStream } from '../../../src/wires/openai-responses/upstream/stream.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { collected, optionsOf, toBytes } from '../../engine/run-engine.ts'

export type LooseRecord = Readonly<Record<string, unknown>>

/** Returns an event; `type` is its name without the prefix `response.`. */
export const ev = (type: string, fields: LooseRecord = {}): LooseRecord => ({ type: `response.${type}`, ...fields })
export const added = (output_index: number | null, item: LooseRecord | null): LooseRecord =>
  ev('output_item.added', { output_index, item })
export const done = (output_index: number | null, item: LooseRecord | null): LooseRecord =>
  ev('output_item.done', { output_index, item })
export const textDelta = (delta: string, output_index: number | null = 0, more: LooseRecord = {}): LooseRecord =>
  ev('output_text.delta', { output_index, content_index: 0, delta, ...more })
export const completed = (output: readonly LooseRecord[] = [], more: LooseRecord = {}): LooseRecord =>
  ev('completed', { response: { status: 'completed', output, ...more } })

export const text = (content: string, more: LooseRecord = {}): LooseRecord => ({
  type: 'output_text',
  text: content,
  ...more,
})
export const message = (content: string, more: LooseRecord = {}): LooseRecord => ({
  type: 'message',
  content: [text(content)],
  ...more,
})
export const call = (name: string, args: string, call_id = 'call_1'): LooseRecord => ({
  type: 'function_call',
  call_id,
  name,
  arguments: args,
})

const toFrame = (event: LooseRecord): Frame => ({ event: '', data: JSON.stringify(event) })

export const deltasOf = (events: readonly LooseRecord[], quirks: Quirks = {}): readonly Delta[] =>
  run(decodeStream(quirks), events.map(toFrame))

/** Returns the response that a client receives without a stream. */
export const answerTo = (events: readonly LooseRecord[], quirks: Quirks = {}): JsonObject =>
  collected(optionsOf(DIALECTS.openai, quirks, 'x', openaiResponses), [
    toBytes(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
  ])

export const outputOf = (events: readonly LooseRecord[], quirks: Quirks = {}): readonly JsonObject[] =>
  answerTo(events, quirks).output as readonly JsonObject[]

export const lossesOf = (events: readonly LooseRecord[]): readonly string[] =>
  deltasOf(events).flatMap((delta) => (delta.kind === 'loss' ? [delta.feature] : []))
