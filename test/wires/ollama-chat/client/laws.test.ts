import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Frame } from '../../../../src/framing/frame.ts'
import { run } from '../../../../src/machine/run.ts'
import type { Delta } from '../../../../src/protocol/delta.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import type { Response } from '../../../../src/protocol/response.ts'
import { ALL_CAPABILITIES } from '../../../../src/responses/capabilities.ts'
import { respond } from '../../../../src/responses/respond.ts'
import { isObject } from '../../../../src/text/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { ollamaChatClient as client } from '../../../../src/wires/ollama-chat/client/index.ts'
import { decodeBody, decodeStream } from '../../../../src/wires/ollama-chat/upstream/stream.ts'
import { corruptedValues } from '../../../arbitraries/corrupt-values.ts'
import { deltas } from '../../../arbitraries/deltas.ts'
import { jsonOf } from '../../../arbitraries/json.ts'
import { headOf } from '../../../engine/run-engine.ts'
import { check, runsOf } from '../../../property.ts'
import { decodeContext, encodeContext, framesOf, inOrder } from '../../deltas.ts'
import { endingFor, repeatsReasoning, usableArguments } from '../../usable.ts'

const terminal = (deltas: Iterable<Delta>): Response => {
  const last = run(respond(headOf('1'), ALL_CAPABILITIES, JSON.stringify), deltas).at(-1)
  if (last === undefined || !('response' in last)) throw new Error('no terminal event')
  return last.response
}

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
      .flatMap((item) => (item.type === 'reasoning' ? [...item.summary, ...item.content].map(({ text }) => text) : []))
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
  .map((given) => ({ response: terminal(given), deltas: inOrder(given) }))
  .filter(({ response }) => response.status !== 'failed' && !repeatsReasoning(expressible(response)))

describe('law 4: an answer for Ollama clients, decoded as the answer of an upstream', () => {
  it('gives the same response if it is streamed', () => {
    check(
      fc.property(finished, ({ response, deltas }) => {
        const back = terminal(run(decodeStream({}), framesOf(client, deltas)))
        expect(unordered(expressible(back))).toEqual(unordered(expressible(response)))
      }),
    )
  })

  it('gives the same response streamed and whole', () => {
    check(
      fc.property(finished, ({ deltas }) => {
        const streamed = terminal(run(decodeStream({}), framesOf(client, deltas)))
        const whole = terminal(decodeBody(client.encodeBody(deltas, encodeContext()), {}))
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

  it('continues from a stored state after any delta', () => {
    check(
      fc.property(answers, fc.nat(), (deltas, cut) => {
        const machine = client.encodeStream(encodeContext())
        const at = cut % (deltas.length + 1)
        const written: Frame[] = []
        let state: unknown = machine.initial
        deltas.forEach((delta, i) => {
          if (i === at) state = JSON.parse(JSON.stringify(state))
          const step = machine.step(state, delta)
          state = step.state
          written.push(...step.events)
        })
        expect([...written, ...machine.end(state)]).toEqual(framesOf(client, deltas))
      }),
    )
  })
})

const anyJson = jsonOf(
  ['role', 'content', 'images', 'function', 'name', 'arguments', 'thinking', 'stop', 'toString'],
  ['tool', 'user', 'json'],
)
const call = fc.constantFrom(
  { function: { name: 'f', arguments: { a: 1 } } },
  { id: 'c1', function: { name: 'g', arguments: '{}' } },
)
const message = fc.oneof(
  fc.record({ role: fc.constantFrom('system', 'user'), content: fc.constant('Hi'), images: fc.constant(['/9j/']) }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(''),
    thinking: fc.constant('Hm'),
    tool_calls: fc.array(call, { maxLength: 2 }),
  }),
  fc.record({ role: fc.constant('tool'), content: fc.constant('7'), tool_name: fc.constantFrom('f', 'g') }),
)
const request = fc.record({
  model: fc.constant('acme/m-1'),
  messages: fc.array(message, { maxLength: 4 }),
  options: fc.constant({ temperature: 1, num_predict: 9, stop: ['a'], seed: 7 }),
  format: fc.constantFrom('json', { type: 'object' }),
  think: fc.constantFrom(true, 'high'),
  stream: fc.boolean(),
  tools: fc.constant([{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]),
})

/** Paths of the Responses API that an Ollama request names otherwise. */
const FOREIGN =
  /^(?:input|text|max_output_tokens|temperature|include|reasoning|tools\[\d+\]\.(?:name|parameters|description))/

it('decodes any Ollama request without throwing, to a valid request or an error with a path of the Ollama API', () => {
  const count = { taken: 0, right: 0 }
  check(
    fc.property(fc.oneof(corruptedValues(request, anyJson), anyJson.filter(isObject)), (given) => {
      const decoded = runSteps(client.decodeRequest(given as JsonObject, decodeContext()))
      if (decoded.ok) {
        count.taken += 1
        const validated = validateRequest(decoded.body)
        if (validated.ok) count.right += 1
        else expect(validated.error.param).not.toMatch(FOREIGN)
      } else expect(decoded.error.message).toContain(`${decoded.error.param}: `)
    }),
    3000,
  )
  expect(count.taken).toBeGreaterThan(runsOf(3000) / 6)
  expect(count.right).toBeGreaterThan(count.taken * 0.9)
})
