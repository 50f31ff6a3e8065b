import { describe, expect, it } from 'vitest'
import { checkStream } from '../../../../src/dialects/check-stream.ts'
import { DIALECTS } from '../../../../src/dialects/registry.ts'
import { translateWholeBody } from '../../../../src/engine/body-collector.ts'
import { encodeEventStream } from '../../../../src/framing/encode-event-stream.ts'
import { bedrockConverse } from '../../../../src/wires/bedrock-converse/index.ts'
import { optionsOf, translated } from '../../../engine/run-engine.ts'

const DEEP = '['.repeat(20_000) + ']'.repeat(20_000)
/** An object that can be converted neither to text nor to a number. */
const TRAP = '{"toString":1,"valueOf":1}'
const VALUES = [DEEP, TRAP, 'null', '-1', '""', '[{}]', JSON.stringify(DEEP)]

const delta = (json: string) => `{"contentBlockIndex":0,"delta":${json}}`
const start = (json: string) => `{"contentBlockIndex":0,"start":${json}}`

const PLACES: [event: string, payload: (value: string) => string][] = [
  ['contentBlockDelta', (it) => it],
  ['contentBlockDelta', (it) => `{"contentBlockIndex":${it},"delta":{"text":"x"}}`],
  ['contentBlockDelta', (it) => delta(it)],
  ['contentBlockDelta', (it) => delta(`{"text":${it}}`)],
  ['contentBlockDelta', (it) => delta(`{"reasoningContent":{"text":${it},"signature":${it},"redactedContent":${it}}}`)],
  ['contentBlockDelta', (it) => delta(`{"toolUse":{"input":${it}}}`)],
  ['contentBlockDelta', (it) => delta(`{"citation":{"title":${it},"source":${it},"location":{"web":{"url":${it}}}}}`)],
  [
    'contentBlockDelta',
    (it) => delta(`{"citation":{"title":"t","sourceContent":${it},"location":{"documentChar":${it}}}}`),
  ],
  ['contentBlockDelta', (it) => delta(`{"image":{"source":{"bytes":${it}}}}`)],
  ['contentBlockDelta', (it) => delta(`{"unknown":${it}}`)],
  ['contentBlockStart', (it) => start(it)],
  ['contentBlockStart', (it) => start(`{"toolUse":{"toolUseId":${it},"name":${it},"type":${it}}}`)],
  ['contentBlockStart', (it) => start(`{"toolUse":{"toolUseId":${it},"name":${it},"type":"server_tool_use"}}`)],
  ['contentBlockStart', (it) => start(`{"toolResult":{"toolUseId":${it},"status":${it}}}`)],
  ['contentBlockStart', (it) => start(`{"image":{"format":${it}}}`)],
  ['contentBlockStop', (it) => `{"contentBlockIndex":${it}}`],
  ['messageStop', (it) => `{"stopReason":${it}}`],
  ['metadata', (it) => `{"usage":{"inputTokens":${it},"outputTokens":${it}},"trace":${it}}`],
  [':exception throttlingException', (it) => `{"message":${it},"originalStatusCode":${it},"originalMessage":${it}}`],
]

const BODIES: ((value: string) => string)[] = [
  (it) => it,
  (it) => `{"output":${it},"message":${it},"__type":${it},"Output":{"__type":${it}}}`,
  (it) => `{"output":{"message":{"content":${it}}},"stopReason":${it},"usage":${it}}`,
  (it) =>
    `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"t","name":"f","input":${it}}}]}},"stopReason":"tool_use"}`,
  (it) => `{"output":{"message":{"content":[{"citationsContent":{"citations":${it},"content":${it}}}]}}}`,
  (it) => `{"output":{"message":{"content":[{"toolResult":{"toolUseId":"t","content":[{"json":${it}}]}}]}}}`,
]

describe('a hostile value over bedrock-converse', () => {
  it.each(PLACES)('leaves a valid stream with one ending in %s %s', (event, payload) => {
    for (const value of VALUES) {
      const frames = [
        {
          event: 'contentBlockStart',
          data: start('{"toolUse":{"toolUseId":"s","name":"n","type":"server_tool_use"}}'),
        },
        { event, data: payload(value) },
        { event: 'contentBlockDelta', data: '{"contentBlockIndex":7,"delta":{"text":"y"}}' },
        { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
      ]
      for (const dialect of Object.values(DIALECTS)) {
        const options = optionsOf(dialect, {}, 'x', bedrockConverse)
        expect(checkStream(translated(options, frames.map(encodeEventStream)), dialect)).toEqual([])
      }
    }
  })

  it.each(BODIES)('leads to a terminal status in a body', (body) => {
    for (const value of VALUES) {
      const { outcome } = translateWholeBody(optionsOf(DIALECTS.openai, {}, 'x', bedrockConverse), body(value))
      expect(outcome.status).not.toBe('in_progress')
      expect(bedrockConverse.decodeError(400, { 'x-amzn-errortype': value }, body(value)).message).not.toBe('')
    }
  })
})
