import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { createBodyCollector, translateWholeBody } from '../../src/engine/body-collector.ts'
import { wireTarget } from '../../src/engine/client-target.ts'
import { dialectTarget } from '../../src/engine/target.ts'
import { createTranslation, streamWholeBody } from '../../src/engine/translation.ts'
import { ROUNDED } from '../../src/protocol/loss.ts'
import { runSteps } from '../../src/text/steps.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { CLIENT_WIRES } from '../cross-translate.ts'
import { encodeFor } from '../engine/encode-request.ts'
import { endOf, headOf, toBytes } from '../engine/run-engine.ts'
import { targetOf } from '../engine/target.ts'
import { check, expectEqual, expectNone } from '../property.ts'
import { requestOf } from '../request-bodies.ts'
import { encodeTwin } from '../wires/bedrock-converse/twins.ts'
import { KITS } from '../wires/kits.ts'
import { withKits } from '../wires/with-kits.ts'

/** The digits of a number in the arguments of a call arrive, or their change is a recorded loss. */

const LOSS = 'a number beyond 2^53 in arguments'

const sse = (...data: readonly string[]): Uint8Array => toBytes(data.map((it) => `data: ${it}\n\n`).join(''))
const quote = (text: string): string => JSON.stringify(text)

/** Streams with one call. `args`: its arguments as JSON text. */
const STREAMS: Readonly<Record<WireName, (args: string) => Uint8Array>> = withKits(
  {
    'openai-chat': (args) =>
      sse(
        `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":${quote(args)}}}]}}]}`,
        '{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}',
        '[DONE]',
      ),
    'openai-responses': (args) =>
      sse(
        '{"type":"response.created","response":{"id":"r","status":"in_progress"}}',
        '{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"f","arguments":""}}',
        `{"type":"response.function_call_arguments.delta","item_id":"i","output_index":0,"delta":${quote(args)}}`,
        `{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","id":"i","call_id":"c","name":"f","status":"completed","arguments":${quote(args)}}}`,
        '{"type":"response.completed","response":{"id":"r","status":"completed"}}',
      ),
    'anthropic-messages': (args) =>
      sse(
        '{"type":"message_start","message":{"id":"m","model":"m"}}',
        '{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}}',
        `{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":${quote(args)}}}`,
        '{"type":"content_block_stop","index":0}',
        '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
        '{"type":"message_stop"}',
      ),
    'gemini-generate': (args) =>
      sse(
        `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]},"finishReason":"STOP"}]}`,
      ),
    'bedrock-converse': (args) =>
      encodeTwin(
        [
          '{"event":"messageStart","data":{"role":"assistant"}}',
          '{"event":"contentBlockStart","data":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"c","name":"f"}}}}',
          `{"event":"contentBlockDelta","data":{"contentBlockIndex":0,"delta":{"toolUse":{"input":${quote(args)}}}}}`,
          '{"event":"contentBlockStop","data":{"contentBlockIndex":0}}',
          '{"event":"messageStop","data":{"stopReason":"tool_use"}}',
        ].join('\n'),
      ),
    'cohere-chat': (args) =>
      sse(
        '{"id":"m","type":"message-start","delta":{"message":{"role":"assistant"}}}',
        '{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"c","type":"function","function":{"name":"f","arguments":""}}}}}',
        `{"type":"tool-call-delta","index":0,"delta":{"message":{"tool_calls":{"function":{"arguments":${quote(args)}}}}}}`,
        '{"type":"tool-call-end","index":0}',
        '{"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}',
      ),
    'ollama-chat': (args) =>
      toBytes(
        `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":${args}}}]},"done":false}\n{"message":{"content":""},"done":true,"done_reason":"stop"}\n`,
      ),
  },
  ({ callStream }) => callStream,
)

const BODIES: Readonly<Record<WireName, (args: string) => string>> = withKits(
  {
    'openai-chat': (args) =>
      `{"choices":[{"index":0,"message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${quote(args)}}}]},"finish_reason":"tool_calls"}]}`,
    'openai-responses': (args) =>
      `{"id":"r","object":"response","status":"completed","output":[{"type":"function_call","id":"i","call_id":"c","name":"f","status":"completed","arguments":${quote(args)}}]}`,
    'anthropic-messages': (args) =>
      `{"type":"message","id":"m","model":"m","content":[{"type":"tool_use","id":"c","name":"f","input":${args}}],"stop_reason":"tool_use"}`,
    'gemini-generate': (args) =>
      `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":${args}}}]},"finishReason":"STOP"}]}`,
    'bedrock-converse': (args) =>
      `{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"f","input":${args}}}]}},"stopReason":"tool_use"}`,
    'cohere-chat': (args) =>
      `{"id":"m","message":{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${quote(args)}}}]},"finish_reason":"TOOL_CALL"}`,
    'ollama-chat': (args) =>
      `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":${args}}}]},"done":true,"done_reason":"stop"}`,
  },
  ({ callBody }) => callBody,
)

const TARGETS = [dialectTarget(openai), ...CLIENT_WIRES.map((wire) => wireTarget(wire))]

/** Wires whose arguments are text, so that their digits are known. */
const TEXTS: readonly WireName[] = [
  'openai-chat',
  'openai-responses',
  'cohere-chat',
  ...Object.entries(KITS).flatMap(([name, { argumentsAre }]) => (argumentsAre === 'text' ? [name as WireName] : [])),
]

interface Translated {
  readonly text: string
  readonly losses: readonly string[]
}

/** All four ways of an answer: stream or body of the upstream, to a stream or a body. */
function translations(
  name: WireName,
  target: (typeof TARGETS)[number],
  args: string,
): Readonly<Record<string, Translated>> {
  const options = { wire: WIRES[name], target, head: headOf('x') }
  const stream = createTranslation(options)
  const decoder = new TextDecoder()
  const first = decoder.decode(stream.push(STREAMS[name](args)))
  const text = first + decoder.decode(stream.push('end'))
  const collection = createBodyCollector(options)
  collection.push(STREAMS[name](args))
  const collected = JSON.stringify(endOf(collection))
  const whole = translateWholeBody(options, BODIES[name](args))
  const streamed = streamWholeBody(options, BODIES[name](args))
  return {
    'stream to stream': { text, losses: stream.outcome().losses },
    'stream to body': { text: collected, losses: collection.outcome().losses },
    'body to body': { text: JSON.stringify(whole.body), losses: whole.outcome.losses },
    'body to stream': { text: decoder.decode(streamed.bytes), losses: streamed.outcome.losses },
  }
}

/** Without zeros at the end, which may be written as an exponent. */
const digits = fc
  .bigInt({ min: 2n ** 53n + 1n, max: 10n ** 30n })
  .filter((value) => value % 10n !== 0n)
  .map(String)
const small = fc.integer({ min: 10, max: Number.MAX_SAFE_INTEGER }).map(String)
const argumentsWith = (number: string): string => `{"a":[{"id":${number}},"x"]}`

describe.each(Object.values(WIRES).map(({ name }) => name))('a number in arguments of %s', (name) => {
  it.each(TARGETS)('arrives at $name, or is a recorded loss', (target) => {
    check(
      fc.property(digits, (number) => {
        for (const { text, losses } of Object.values(translations(name, target, argumentsWith(number)))) {
          if (!text.includes(number)) expectEqual(losses, [LOSS])
        }
      }),
      100,
    )
  })

  it.each(TARGETS)('arrives at $name without a loss if it is small', (target) => {
    check(
      fc.property(small, (number) => {
        for (const { text, losses } of Object.values(translations(name, target, argumentsWith(number)))) {
          expect(text).toContain(number)
          expectNone(losses)
        }
      }),
      100,
    )
  })

  it.runIf(TEXTS.includes(name))('arrives exactly where the client receives arguments as text', () => {
    const number = '1234567890123456789'
    for (const target of TARGETS) {
      const ways = Object.entries(translations(name, target, argumentsWith(number)))
      const exact = ways.filter(([, { text, losses }]) => text.includes(number) && losses.length === 0)
      const expected: Readonly<Record<string, number>> = {
        'anthropic-messages': 2,
        'gemini-generate': 0,
        'gemini-interactions': 2,
        'ollama-chat': 0,
      }
      expect([target.name, exact.length]).toEqual([target.name, expected[target.name] ?? 4])
    }
  })
})

describe('a number in a request', () => {
  const historyOf = (number: string, output = 'ok') =>
    requestOf({
      input: [
        { type: 'message', role: 'user', content: 'Hi' },
        { type: 'function_call', call_id: 'c', name: 'f', arguments: argumentsWith(number) },
        { type: 'function_call_output', call_id: 'c', output },
      ],
      tools: [{ type: 'function', name: 'f' }],
    })

  it.each(Object.values(WIRES))('of the history arrives at $name, or is a recorded loss', (wire) => {
    check(
      fc.property(digits, (number) => {
        const encoded = encodeFor(wire, historyOf(number), targetOf(wire.name))
        if (!encoded.ok) throw new Error(encoded.error.message)
        if (JSON.stringify(encoded.body).includes(number)) expectNone(encoded.losses)
        else expectEqual(encoded.losses, [{ path: 'input[1].arguments', action: 'mapped', why: ROUNDED }])
      }),
      100,
    )
  })

  it.each(Object.values(WIRES))('of the output of a tool arrives at $name', (wire) => {
    const encoded = encodeFor(wire, historyOf('1', '{"id":1234567890123456789}'), targetOf(wire.name))
    expect(encoded.ok && JSON.stringify(encoded.body)).toContain('1234567890123456789')
    expect(encoded.ok && encoded.losses).toEqual([])
  })

  it.each(Object.values(WIRES))('of a schema is a recorded loss at $name', (wire) => {
    const parameters = { type: 'object', properties: { id: { type: 'integer', maximum: 2 ** 63 } } }
    const request = requestOf({ tools: [{ type: 'function', name: 'f', parameters }] })
    const encoded = encodeFor(wire, request, targetOf(wire.name))
    expect(encoded.ok && encoded.losses).toEqual([{ path: 'tools[0].parameters', action: 'mapped', why: ROUNDED }])
  })

  const LARGE = { id: 2 ** 60 }
  const CLIENTS: Readonly<Record<string, readonly [body: object, path: string]>> = {
    'openai-chat': [
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: LARGE } }] },
        ],
      },
      'messages[1].tool_calls[0].function.arguments',
    ],
    'anthropic-messages': [
      {
        max_tokens: 9,
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: LARGE }] },
        ],
      },
      'messages[1].content[0].input',
    ],
    'gemini-generate': [
      {
        contents: [
          { role: 'user', parts: [{ text: 'Hi' }] },
          { role: 'model', parts: [{ functionCall: { name: 'f', args: LARGE } }] },
        ],
      },
      'contents[1].parts[0].functionCall.args',
    ],
    'gemini-interactions': [
      {
        input: [
          { type: 'user_input', content: [{ type: 'text', text: 'Hi' }] },
          { type: 'function_call', id: 'c', name: 'f', arguments: LARGE },
        ],
      },
      'input[1].arguments',
    ],
    'ollama-chat': [
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: LARGE } }] },
        ],
      },
      'messages[1].tool_calls[0].function.arguments',
    ],
  }

  it.each(CLIENT_WIRES)('of a client of $name is a recorded loss if it came in an object', ({ name, client }) => {
    const [body, path] = CLIENTS[name] ?? expect.unreachable(name)
    const decoded = runSteps(client.decodeRequest({ model: 'm', ...body }, { model: 'm', stream: false, seal: null }))
    expect(decoded.ok && decoded.losses).toEqual([{ path, action: 'mapped', why: ROUNDED }])
  })
})
