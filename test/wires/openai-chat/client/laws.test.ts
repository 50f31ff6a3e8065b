import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { run } from '../../../../src/machine/run.ts'
import type { Delta } from '../../../../src/protocol/delta.ts'
import type { Response } from '../../../../src/protocol/response.ts'
import { withCachedInput } from '../../../../src/protocol/usage.ts'
import { ALL_CAPABILITIES } from '../../../../src/responses/capabilities.ts'
import { joinCalls } from '../../../../src/responses/join-calls.ts'
import { respond } from '../../../../src/responses/respond.ts'
import { openaiChatClient as client } from '../../../../src/wires/openai-chat/client/index.ts'
import { openaiChatStream } from '../../../../src/wires/openai-chat/upstream/stream-wire.ts'
import { deltas } from '../../../arbitraries/deltas.ts'
import { headOf } from '../../../engine/run-engine.ts'
import { check } from '../../../property.ts'
import { encodeContext, framesOf, inOrder } from '../../deltas.ts'
import { endingFor, repeatsReasoning } from '../../usable.ts'

const terminal = (deltas: Iterable<Delta>): Response => {
  const last = run(respond(headOf('1'), ALL_CAPABILITIES, JSON.stringify), deltas).at(-1)
  if (last === undefined || !('response' in last)) throw new Error('no terminal event')
  return last.response
}

/**
 * Everything of a response that a chat answer can express. It has one message, which keeps neither parts nor the order
 * of kinds. A cache with more tokens than the input stands beside it.
 */
function expressible(response: Response) {
  const { output } = response
  const usage = response.usage === null ? null : withCachedInput(response.usage)
  const { status, incomplete_details } = endingFor(response)
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []))
  return {
    status,
    reason: incomplete_details?.reason ?? null,
    text: parts.map((part) => (part.type === 'output_text' ? part.text : '')).join(''),
    refusal: parts.map((part) => (part.type === 'refusal' ? part.refusal : '')).join(''),
    logprobs: parts.flatMap((part) => (part.type === 'output_text' ? part.logprobs : [])),
    // A chat answer has one item of reasoning, with a blank line between two parts.
    reasoning: output
      .flatMap((item) => (item.type === 'reasoning' ? [...item.summary, ...item.content] : []))
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join('\n\n'),
    calls: output.flatMap((item) => {
      if (item.type === 'function_call') return [[item.type, item.call_id, item.name, item.arguments]]
      return item.type === 'custom_tool_call' ? [[item.type, item.call_id, item.name, item.input]] : []
    }),
    images: output.flatMap((item) =>
      item.type === 'image_generation_call' && item.status !== 'incomplete' && item.fields.result
        ? [item.fields.result]
        : [],
    ),
    usage: usage === null ? null : [usage.input_tokens ?? 0, usage.output_tokens ?? 0, usage.cached_tokens],
  }
}

/** Merges raw reasoning and summaries: a chat answer has one field for both texts. */
const merged = <T extends { readonly reasoning: string }>({ reasoning, ...rest }: T) => ({
  ...rest,
  reasoning: [...reasoning].sort().join(''),
})

/** Selects usage that reads the same for every vendor: all but xAI count reasoning as a part of the output. */
const isCountable = (deltas: readonly Delta[]): boolean =>
  deltas.every(
    (delta) => delta.kind !== 'usage' || (delta.usage.total_tokens === null && delta.usage.reasoning_tokens === null),
  )

const answers = deltas.map((deltas) => inOrder(deltas))
const finished = deltas
  .filter(isCountable)
  .map((given) => ({ response: terminal(run(joinCalls, given)), deltas: inOrder(given) }))
  .filter(({ response }) => response.status !== 'failed' && !repeatsReasoning(merged(expressible(response))))
const answering = encodeContext({ usage: true })

describe('law 4: an answer for chat clients, decoded as the answer of a chat upstream', () => {
  it('gives the same response if it is streamed', () => {
    check(
      fc.property(finished, ({ response, deltas }) => {
        const back = terminal(run(openaiChatStream.decodeStream({}), framesOf(client, deltas, answering)))
        expect(merged(expressible(back))).toEqual(merged(expressible(response)))
      }),
    )
  })

  it('gives the same response streamed and whole', () => {
    check(
      fc.property(finished, ({ deltas }) => {
        const streamed = terminal(run(openaiChatStream.decodeStream({}), framesOf(client, deltas, answering)))
        const whole = terminal(openaiChatStream.decodeBody(client.encodeBody(deltas, answering), {}))
        expect(merged(expressible(whole))).toEqual(merged(expressible(streamed)))
      }),
    )
  })

  it('has one error and no [DONE] after a failure, and no [DONE] without an end', () => {
    check(
      fc.property(answers, fc.nat(), (deltas, cut) => {
        const failed = deltas.some(({ kind }) => kind === 'error')
        const written = framesOf(client, deltas, answering).map(({ data }) => data)
        expect(written.at(-1) === '[DONE]').toBe(!failed)
        expect(written.filter((data) => data.startsWith('{"error"'))).toHaveLength(failed ? 1 : 0)
        const before = deltas.slice(0, cut % deltas.length).filter(({ kind }) => kind !== 'finish')
        expect(framesOf(client, before, answering).map(({ data }) => data)).not.toContain('[DONE]')
      }),
    )
  })
})
