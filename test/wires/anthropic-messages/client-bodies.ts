import { run } from '../../../src/machine/run.ts'
import type { Delta } from '../../../src/protocol/delta.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Response } from '../../../src/protocol/response.ts'
import { messagesClient } from '../../../src/wires/anthropic-messages/client/index.ts'
import type { MessagesEvent } from '../../../src/wires/anthropic-messages/json.ts'
import { clientAnswersOf } from '../client-answer-cases.ts'
import { clientSideOf, FOREIGN } from '../client-side.ts'
import * as hub from '../deltas.ts'
import { FINISH, START } from '../deltas.ts'

/** Clients of this wire: their requests, and the answers that they receive. */

export const USER_TURN = [{ role: 'user', content: 'Hi' }]
export const FUNCTION = { name: 'f', description: 'D', input_schema: { type: 'object', properties: {} } }

const side = clientSideOf({
  name: 'anthropic-messages',
  model: 'claude-x',
  base: { model: 'acme/claude-x', max_tokens: 1000, messages: USER_TURN },
})
export const { sealOwn, decode, decoded, context: ENCODE_CONTEXT, elsewhere: FOREIGN_ENVELOPE, home: HOME } = side
export const sealForeign = hub.sealOf(FOREIGN)

/** Passes the deltas of an upstream through the hub and returns them as deltas again. */
export const throughHub = (deltas: readonly Delta[], seal = sealForeign): readonly Delta[] => hub.inOrder(deltas, seal)

export const responseOf = (deltas: readonly Delta[]): Response => hub.responseFrom(deltas, sealForeign)

export const framesOf = (deltas: readonly Delta[]) => run(messagesClient.encodeStream(ENCODE_CONTEXT), deltas)

export const bodyOf = (deltas: readonly Delta[]): JsonObject => messagesClient.encodeBody(deltas, ENCODE_CONTEXT)

/** Deltas as `eventsToDeltas` emits them, written by hand: the item `key` is of one kind. */
export const text = (words: string, key = 'm', part = '0'): Delta => hub.text(words, key, part)
export const reasoning = (words: string, key = 'r', part = '0', kind: 'reasoning' | 'summary' = 'reasoning'): Delta =>
  (kind === 'summary' ? hub.summary : hub.reasoning)(words, key, part)
export const seal = (payload: Parameters<typeof hub.encrypted>[0], key = 'r'): Delta => hub.encrypted(payload, key)
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
export const stop = hub.stopped

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
