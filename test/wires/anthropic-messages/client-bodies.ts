import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { Json, JsonObject } from '../../../src/protocol/json.ts'
import type { Response } from '../../../src/protocol/response.ts'
import { ALL_CAPABILITIES } from '../../../src/responses/capabilities.ts'
import { collect } from '../../../src/responses/collect.ts'
import { type Seal, sealReasoning } from '../../../src/responses/encrypted-content.ts'
import { respond } from '../../../src/responses/respond.ts'
import { eventsToDeltas } from '../../../src/responses/to-deltas.ts'
import { messagesClient } from '../../../src/wires/anthropic-messages/client/index.ts'
import type { MessagesEvent } from '../../../src/wires/anthropic-messages/json.ts'
import type { DecodeContext, EncodeContext } from '../../../src/wires/client-contract.ts'
import { headOf } from '../../engine/run-engine.ts'
import { openReasoning } from '../../responses/open-reasoning.ts'
import { clientAnswersOf } from '../client-answer-cases.ts'
import { FINISH, START } from '../deltas.ts'

/** The client side of this wire, and the hub between it and an upstream. */

const OWN = { wire: 'anthropic-messages', vendor: 'acme', model: 'claude-x' }
const FOREIGN = { wire: 'openai-responses', vendor: 'acme', model: 'gpt-x' }

export const sealOwn: Seal = (payload) => sealReasoning(OWN, payload)
export const sealForeign: Seal = (payload) => sealReasoning(FOREIGN, payload)

/** The context of a request to a vendor of this wire. */
export const HOME: DecodeContext = { model: null, stream: null, seal: sealOwn }
/** The context of a request to any other vendor. */
export const FOREIGN_ENVELOPE: DecodeContext = { model: null, stream: null, seal: null }

export const ENCODE_CONTEXT: EncodeContext = {
  id: 'r1',
  created_at: 1_700_000_000,
  model: 'acme/claude-x',
  settings: {},
  open: (sealed) => openReasoning(OWN, sealed),
  seal: (encrypted) => encrypted,
}

/** Passes the deltas of an upstream through the hub and returns them as deltas again. */
export const throughHub = (deltas: readonly Delta[], seal: Seal = sealForeign): readonly Delta[] =>
  run(eventsToDeltas, run(respond(headOf('r1'), ALL_CAPABILITIES, seal), deltas))

export const responseOf = (deltas: readonly Delta[], seal: Seal = sealForeign): Response =>
  run(collect, run(respond(headOf('r1'), ALL_CAPABILITIES, seal), deltas))[0] as Response

export const framesOf = (deltas: readonly Delta[]) => run(messagesClient.encodeStream(ENCODE_CONTEXT), deltas)

export const bodyOf = (deltas: readonly Delta[]): JsonObject => messagesClient.encodeBody(deltas, ENCODE_CONTEXT)

/** Deltas as `eventsToDeltas` emits them, written by hand: the item `key` is of one kind. */
export const text = (words: string, key = 'm', part = '0'): Delta => ({
  kind: 'text',
  key,
  part,
  text: words,
  logprobs: null,
})
export const reasoning = (
  words: string,
  key = 'r',
  part = '0',
  kind: 'reasoning' | 'summary' = 'reasoning',
): Delta => ({
  kind,
  key,
  part,
  text: words,
  logprobs: null,
})
export const seal = (payload: Json, key = 'r'): Delta => ({ kind: 'opaque', key, payload })
export const call = (
  key: string,
  callId: string,
  name = 'f',
  type: 'function_call' | 'custom_tool_call' = 'function_call',
) => ({ kind: 'call', key, type, callId, name, arguments: '' }) as const
export const args = (
  key: string,
  json: string,
  type: 'function_call' | 'custom_tool_call' = 'function_call',
): Delta => ({
  kind: 'call',
  key,
  type,
  callId: null,
  name: null,
  arguments: json,
})
export const cite = (start: number, end: number, more: object = {}, key = 'm'): Delta => ({
  kind: 'citation',
  key,
  part: '0',
  citation: {
    url: 'https://a.example/1',
    title: 'A',
    content: null,
    marker: null,
    span: { start, end, unit: 'utf16' },
    ...more,
  },
})
export const stop = (key: string): Delta => ({ kind: 'stop', key })

/** Returns the blocks of a stream, each as its start and its deltas; throws if official clients could not read them. */
export function blocksOf(events: readonly MessagesEvent[]): readonly JsonObject[] {
  const blocks: JsonObject[][] = []
  let open = false
  events.forEach((event, at) => {
    if ((event.type === 'message_start') !== (at === 0)) {
      if (!(at === 0 && event.type === 'error')) throw new Error(`${event.type} at ${at}`)
    }
    if ('index' in event && event.index !== blocks.length - (event.type === 'content_block_start' ? 0 : 1)) {
      throw new Error(`${event.type} of ${event.index} while ${blocks.length} have begun`)
    }
    if (event.type === 'content_block_start') {
      if (open) throw new Error('a block in a block')
      open = true
      blocks.push([event.content_block])
    } else if (event.type.startsWith('content_block') && !open) throw new Error(`${event.type} of no block`)
    if (event.type === 'content_block_delta') blocks.at(-1)?.push(event.delta as JsonObject)
    if (event.type === 'content_block_stop') open = false
  })
  const last = events.at(-1)?.type
  if (last === 'message_stop' ? open || events.at(-2)?.type !== 'message_delta' : last !== 'error') {
    throw new Error(`it ends with ${last}`)
  }
  return blocks.map(([block, ...deltas]) => checkBlock(block as JsonObject, deltas))
}

function checkBlock(block: JsonObject, deltas: readonly JsonObject[]): JsonObject {
  const types = deltas.map(({ type }) => type)
  if (block.type === 'thinking') {
    const signed = types.lastIndexOf('signature_delta')
    if (types.indexOf('signature_delta') !== signed || signed !== types.length - 1) throw new Error('signature')
    if (deltas.at(-1)?.signature === '') throw new Error('an empty signature')
  }
  if (block.type === 'text' && !types.includes('text_delta')) throw new Error('an empty text')
  return { block, deltas }
}

/** Tests answers for the clients of this wire. */
export const clientAnswers = clientAnswersOf({
  client: messagesClient,
  context: ENCODE_CONTEXT,
  eventOf: ({ type }) => type,
  views: {
    frames: ({ frames }) => frames,
    types: ({ frames }) => frames.map(({ type }) => type),
    model: ({ frames, body }) => [frames[0].message.model, body.model],
    blocks: ({ frames }) => blocksOf(frames),
    /** The content of the body. The stream has as many blocks. */
    content: ({ frames, body }) => (blocksOf(frames).length === body.content.length ? body.content : blocksOf(frames)),
    whole: ({ body }) => body.content,
    end: ({ frames }) => frames.at(-2).delta,
    stop: ({ frames, body }) => [frames.at(-2).delta.stop_reason, body.stop_reason],
    usage: ({ frames }) => frames.at(-2).usage,
    body: ({ body }) => body,
    counts: ({ body }) => body.usage,
    last: ({ frames }) => frames.at(-1),
  },
})

/** An answer whose deltas the encoder receives as they are. */
export const of = (...deltas: readonly Delta[]) => ({ answer: [START, ...deltas, FINISH], raw: true })
