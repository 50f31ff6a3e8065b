import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { run } from '../../../../src/machine/run.ts'
import type { Response } from '../../../../src/protocol/response.ts'
import { ollamaChatClient as client } from '../../../../src/wires/ollama-chat/client/index.ts'
import { decodeBody, decodeStream } from '../../../../src/wires/ollama-chat/upstream/stream.ts'
import { deltas } from '../../../arbitraries/deltas.ts'
import { check } from '../../../property.ts'
import { encodeContext, framesOf, inOrder, responseFrom } from '../../deltas.ts'
import { endingFor, repeatsReasoning, usableArguments } from '../../usable.ts'

/** Everything of a response that an Ollama answer can express. */
function expressible(response: Response) {
  const { output, usage } = response
  const { status, incomplete_details } = endingFor(response)
  const calls = output.flatMap((item) => {
    if (item.type === 'function_call') return [[item.call_id, item.name, usableArguments(item)]]
    return item.type === 'custom_tool_call' ? [[item.call_id, item.name, { input: item.input }]] : []
  })
  return {
    status,
    reason: incomplete_details?.reason ?? null,
    text: output
      .flatMap((item) =>
        item.type === 'message'
          ? item.content.map((part) => (part.type === 'output_text' ? part.text : part.refusal))
          : [],
      )
      .join(''),
    reasoning: output
      // A blank line is between two parts of one item.
      .map((item) => (item.type === 'reasoning' ? [...item.summary, ...item.content].map(({ text }) => text) : []))
      .map((texts) => texts.join('\n\n'))
      .sort()
      .join(''),
    calls: calls.filter(([, , args]) => args !== null),
    images: output.flatMap((item) =>
      item.type === 'image_generation_call' && item.status !== 'incomplete' && item.fields.result
        ? [item.fields.result]
        : [],
    ),
    usage:
      usage === null || (usage.input_tokens ?? usage.output_tokens) === null
        ? null
        : [usage.input_tokens, usage.output_tokens],
  }
}

/** Calls of one answer may overlap, and each is written when it ends, so their order may differ. */
const unordered = ({ calls, reasoning, ...rest }: ReturnType<typeof expressible>) => ({
  ...rest,
  reasoning: [...reasoning].sort().join(''),
  calls: calls.map((call) => JSON.stringify(call)).sort(),
})

const answers = deltas.map((deltas) => inOrder(deltas))
const finished = deltas
  .map((given) => ({ response: responseFrom(given), deltas: inOrder(given) }))
  .filter(({ response }) => response.status !== 'failed' && !repeatsReasoning(expressible(response)))

describe('law 4: an answer for Ollama clients, decoded as the answer of an upstream', () => {
  it('gives the same response if it is streamed', () => {
    check(
      fc.property(finished, ({ response, deltas }) => {
        const back = responseFrom(run(decodeStream({}), framesOf(client, deltas)))
        expect(unordered(expressible(back))).toEqual(unordered(expressible(response)))
      }),
    )
  })

  it('gives the same response streamed and whole', () => {
    check(
      fc.property(finished, ({ deltas }) => {
        const streamed = responseFrom(run(decodeStream({}), framesOf(client, deltas)))
        const whole = responseFrom(decodeBody(client.encodeBody(deltas, encodeContext()), {}))
        expect(unordered(expressible(whole))).toEqual(unordered(expressible(streamed)))
      }),
    )
  })

  it('ends with a line that is done, or with an error if it failed', () => {
    check(
      fc.property(answers, (deltas) => {
        const failed = deltas.some(({ kind }) => kind === 'error')
        const last = framesOf(client, deltas).at(-1)?.data ?? ''
        expect(last).toMatch(failed ? /^\{"error":/ : /"done":true/)
      }),
    )
  })
})
