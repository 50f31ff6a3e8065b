import { describe, expect, it } from 'vitest'
import { openai } from '../../src/dialects/openai.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { translateWholeBody } from '../../src/engine/body-collector.ts'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { expectOneGoodEnd } from '../assert-terminates.ts'
import { optionsOf, toBytes } from '../engine/run-engine.ts'
import { someOf } from '../property.ts'

/**
 * Law 11: values as deep as JSON can be, and objects without a conversion, at every place that a decoder examines. A
 * short run has a part of the values for each place, and one dialect for each value, in turns.
 */

const ALL_DIALECTS = Object.values(DIALECTS)
const DEEP = '['.repeat(20_000) + ']'.repeat(20_000)
const TRAP = '{"toString":1,"valueOf":1,"length":1}'
const VALUES = [DEEP, JSON.stringify(DEEP), TRAP, '[{}]', '[[]]', 'null', 'true', '-1', '1e308', '""', '"x"']

/** A payload with `%` in the place of the value; over Bedrock, behind the name of its event. */
type Places = readonly string[]

const chat = (delta: string): string => `{"choices":[{"index":0,"delta":${delta}}]}`
const chatCall = (call: string): string => chat(`{"tool_calls":[{"id":"c",${call}}]}`)
const candidate = (fields: string): string => `{"candidates":[{${fields}}]}`
const part = (fields: string): string => candidate(`"content":{"parts":[{"text":"A"},{${fields}},{"text":"B"}]}`)
const grounded = (fields: string): string =>
  candidate(
    `"content":{"parts":[{"text":"A"}]},"groundingMetadata":{"groundingChunks":[{"web":{"uri":"u"}}],${fields}}`,
  )
const block = (delta: string): string => `contentBlockDelta {"contentBlockIndex":0,"delta":${delta}}`
const started = (start: string): string => `contentBlockStart {"contentBlockIndex":0,"start":${start}}`
const converse = (content: string): string => `{"output":{"message":{"content":[${content}]}},"stopReason":"tool_use"}`
const cohere = (type: string, message: string): string =>
  `{"type":"${type}","index":0,"delta":{"message":{${message}}}}`

// biome-ignore format: a place a row
const PAYLOADS = {
  'openai-chat': [
    '%', '{"error":%}', '{"choices":%}', '{"choices":[{"index":%,"delta":{"content":"x"}},{}]}', '{"citations":%}',
    '{"usage":{"prompt_tokens":%}}', chat('{"content":%}'), chat('{"content":[{"type":%}]}'),
    chatCall('"index":0,"function":{"name":"f","arguments":%}'), chatCall('"index":%,"function":{"name":"f","arguments":"{}"}'),
    chat('{"reasoning_details":[{"type":"reasoning.encrypted","data":"x","extra":%}]}'),
    chat('{"content":[{"type":"thinking","thinking":%}]}'), chat('{"annotations":[{"type":%}]}'),
    chat('{"images":[{"index":%,"image_url":{"url":"data:x,y"}}]}'),
    '{"choices":[{"delta":{"content":"x"},"logprobs":{"content":[{"bytes":%}]}}]}',
  ],
  'gemini-generate': [
    '%', '{"error":%}', '{"error":{"message":%,"code":%,"status":%}}', '{"candidates":%}', '{"modelVersion":%}',
    '{"usageMetadata":{"promptTokenCount":%}}', '{"promptFeedback":{"blockReason":%}}',
    ...['"index":%', '"finishReason":%,"finishMessage":%', '"content":%', '"content":{"parts":%}',
      '"groundingMetadata":{"groundingChunks":[%,{"web":{"uri":%}}],"groundingSupports":[{"groundingChunkIndices":[0,1]}]}',
      '"citationMetadata":{"citations":[%,{"uri":%}]}', '"urlContextMetadata":{"urlMetadata":[%,{"retrievedUrl":%}]}',
      '"content":{"parts":[{"text":"A"}]},"logprobsResult":{"chosenCandidates":[{"token":%}],"topCandidates":%}',
    ].map(candidate),
    ...['"text":%,"thought":%', '"text":"x","thoughtSignature":%', '"functionCall":%', '"functionCall":{"name":%,"id":%}',
      '"functionCall":{"name":"f","args":{"a":%}}', '"functionCall":{"name":"f","partialArgs":%}',
      '"functionCall":{"name":"f","partialArgs":[{"jsonPath":%,"stringValue":%}]}',
      '"executableCode":{"code":%,"id":%},"thoughtSignature":"s"',
      '"toolCall":{"toolType":%,"args":{"queries":%}},"thoughtSignature":"s"', '"inlineData":{"mimeType":%,"data":%}',
    ].map(part),
    ...['"groundingSupports":%', '"groundingSupports":[{"segment":%,"groundingChunkIndices":[0]}]',
      '"groundingSupports":[{"segment":{"startIndex":%,"text":%},"groundingChunkIndices":[0]}]',
      '"groundingSupports":[{"groundingChunkIndices":[%]}]'].map(grounded),
  ],
  'bedrock-converse': [
    'contentBlockDelta %', 'contentBlockDelta {"contentBlockIndex":%,"delta":{"text":"x"}}', 'contentBlockStop {"contentBlockIndex":%}',
    'messageStop {"stopReason":%}', 'metadata {"usage":{"inputTokens":%,"outputTokens":%},"trace":%}',
    ':exception throttlingException {"message":%,"originalStatusCode":%,"originalMessage":%}',
    ...['%', '{"text":%}', '{"reasoningContent":{"text":%,"signature":%,"redactedContent":%}}', '{"toolUse":{"input":%}}',
      '{"citation":{"title":%,"source":%,"location":{"web":{"url":%}}}}', '{"image":{"source":{"bytes":%}}}', '{"unknown":%}',
      '{"citation":{"title":"t","sourceContent":%,"location":{"documentChar":%}}}'].map(block),
    ...['%', '{"toolUse":{"toolUseId":%,"name":%,"type":%}}', '{"toolUse":{"toolUseId":%,"name":%,"type":"server_tool_use"}}',
      '{"toolResult":{"toolUseId":%,"status":%}}', '{"image":{"format":%}}'].map(started),
  ],
  'cohere-chat': [
    '%', '{"type":%}', '{"message":%}', '{"error":%}', '{"type":"content-start","index":%,"delta":%}', '{"type":"tool-call-end","index":%}',
    cohere('content-delta', '"content":%'), '{"type":"content-delta","index":%,"delta":{"message":{"content":{"text":"a"}}}}',
    cohere('content-delta', '"content":{"text":%,"thinking":%,"type":%}'), cohere('tool-plan-delta', '"tool_plan":%'),
    '{"type":"tool-call-start","index":%,"delta":{"message":{"tool_calls":%}}}',
    cohere('tool-call-start', '"tool_calls":{"id":%,"function":{"name":"f","arguments":%}}'), cohere('citation-start', '"citations":%'),
    cohere('citation-start', '"citations":{"start":%,"end":%,"text":%,"sources":%,"content_index":%}'),
    cohere('citation-start', '"citations":{"start":0,"end":1,"sources":[{"id":%,"document":{"url":%,"title":%}}]}'),
    '{"type":"message-end","delta":{"finish_reason":%,"usage":{"tokens":{"input_tokens":%}},"error":%,"error_type":%}}',
  ],
} satisfies Record<string, Places>

/** Places of whole bodies. Those of the other wires are the payloads themselves. */
// biome-ignore format: a place a row
const CONVERSE: Places = [
  '%', '{"output":%,"message":%,"__type":%,"Output":{"__type":%}}', '{"output":{"message":{"content":%}},"stopReason":%,"usage":%}',
  converse('{"toolUse":{"toolUseId":"t","name":"f","input":%}}'), converse('{"citationsContent":{"citations":%,"content":%}}'),
  converse('{"toolResult":{"toolUseId":"t","content":[{"json":%}]}}'),
]

/** The frames around a payload: what it belongs to, and what has to be read after it. */
const BEFORE = [
  'contentBlockStart {"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"s","name":"n","type":"server_tool_use"}}}',
]
const AFTER = [
  'contentBlockDelta {"contentBlockIndex":7,"delta":{"text":"y"}}',
  'messageStop {"stopReason":"end_turn"}',
]
const TEXT = [
  '{"type":"message-start","delta":{"message":{"role":"assistant"}}}',
  cohere('content-delta', '"content":{"text":"a"}'),
]
const END = ['{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}']

const toMessage = (line: string): Uint8Array => {
  const [, event = '', data = ''] = /^(\S+(?: \w+Exception)?) (.*)$/.exec(line) ?? []
  return encodeEventStream({ event, data })
}
const toSse = (...payloads: Places): Uint8Array => toBytes(payloads.map((payload) => `data: ${payload}\n\n`).join(''))
/** The streams that have a payload. */
const STREAMS: Record<keyof typeof PAYLOADS, (payload: string) => readonly Uint8Array[]> = {
  'openai-chat': (payload) => [toSse(payload)],
  'gemini-generate': (payload) => [toSse(payload), toBytes(`[${payload}]`)],
  'bedrock-converse': (payload) => [new Uint8Array(Buffer.concat([...BEFORE, payload, ...AFTER].map(toMessage)))],
  'cohere-chat': (payload) => [toSse(payload), toSse(...TEXT, payload, ...END)],
}

/** In a short run a place has a part of the values, by its length, so that all places together have all. */
const valuesFor = (place: string): readonly string[] => someOf(VALUES, 3, place.length)

describe.each(Object.keys(PAYLOADS) as (keyof typeof PAYLOADS)[])('law 11, hostile values over %s', (name) => {
  const wire = WIRES[name]

  it.each(PAYLOADS[name])('lead to a correct stream with one end: %s', (place) => {
    for (const [at, value] of valuesFor(place).entries())
      for (const bytes of STREAMS[name](place.replaceAll('%', value)))
        expectOneGoodEnd(wire, {}, bytes, someOf(ALL_DIALECTS, ALL_DIALECTS.length, at))
  })

  it.each(name === 'bedrock-converse' ? CONVERSE : PAYLOADS[name])(
    'lead to a final status and a message: %s',
    (place) => {
      for (const value of valuesFor(place)) {
        const body = place.replaceAll('%', value)
        expect(translateWholeBody(optionsOf(openai, {}, 'x', wire), body).outcome.status).not.toBe('in_progress')
        for (const headers of [{}, { 'x-amzn-errortype': value }])
          expect(wire.decodeError(500, headers, body).message).not.toBe('')
      }
    },
  )
})
