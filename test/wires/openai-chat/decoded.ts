import { DIALECTS } from '../../../src/dialects/registry.ts'
import { openaiChat } from '../../../src/wires/openai-chat/index.ts'
import type { Quirks } from '../../../src/wires/quirks.ts'
import { eventsOf, optionsOf, toBytes, translated } from '../../engine/run-engine.ts'
import { clientStreamOf, type Loose } from '../client-stream.ts'

/** Streams of chat chunks, and the responses and events that a client receives for them. */

const client = clientStreamOf(openaiChat)

/** Writes an object as a chunk and a string unchanged. */
const toStream = (frames: readonly unknown[]): string =>
  frames.map((it) => (typeof it === 'string' ? it : `data: ${JSON.stringify(it)}\n\n`)).join('')

/** Returns the response, after checking its streams in both dialects. */
export const decodedDeltas = (frames: readonly unknown[], quirks?: Quirks): Loose =>
  client.responseOfStream(toStream(frames), quirks)
export const deltasOf = (frames: readonly unknown[], quirks?: Quirks) => client.deltasOf(toStream(frames), quirks)
export const { responseOfBody } = client

const OPTIONS = optionsOf(DIALECTS.openai, {}, 'x', openaiChat)

/** Returns the events in the dialect `openai`. */
export const decodedEvents = (frames: readonly unknown[]): readonly Loose[] =>
  eventsOf(translated(OPTIONS, [toBytes(toStream(frames))]))

export const lossesOf = (frames: readonly unknown[]): readonly string[] =>
  deltasOf(frames).flatMap((delta) => (delta.kind === 'loss' ? [delta.feature] : []))

export const DONE = 'data: [DONE]\n\n'

/** Returns a chunk with this delta in choice 0. */
export const chunk = (delta: unknown, finish_reason: unknown = null, more: object = {}) => ({
  id: 'c-1',
  object: 'chat.completion.chunk',
  model: 'm-1',
  choices: [{ index: 0, delta, finish_reason }],
  ...more,
})
export const contentChunk = (content: unknown, more: object = {}) => chunk({ content, ...more })
export const stop = (reason: unknown = 'stop') => chunk({}, reason)
/** Returns a chunk with a fragment of a call: `at` has its index, its id or other fields. */
export const piece = (at: object, fn?: object) =>
  chunk({ tool_calls: [fn === undefined ? at : { ...at, function: fn }] })
export const usage = (prompt_tokens: unknown, completion_tokens: unknown, more: object = {}) => ({
  prompt_tokens,
  completion_tokens,
  ...more,
})
