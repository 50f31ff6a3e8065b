import fc from 'fast-check'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { BROKEN, ERROR, EXCEPTION } from '../../src/framing/eventstream.ts'
import type { Frame } from '../../src/framing/frame.ts'
import { fieldsOr, jsonOf, textOf } from './json.ts'
import { hostile } from './strings.ts'
import type { Answers } from './wires.ts'

// biome-ignore format: fewer lines are easier to compare with the decoder
const FIELDS = [
  'contentBlockIndex', 'delta', 'start', 'text', 'toolUse', 'toolUseId', 'name', 'input', 'type', 'reasoningContent',
  'reasoningText', 'signature', 'redactedContent', 'citation', 'citationsContent', 'citations', 'content', 'title', 'source',
  'sourceContent', 'location', 'web', 'url', 'domain', 'documentChar', 'documentIndex', 'toolResult', 'status', 'json',
  'image', 'format', 'bytes', 'stopReason', 'usage', 'inputTokens', 'outputTokens', 'totalTokens', 'cacheReadInputTokens',
  'output', 'Output', 'message', 'Message', '__type', 'originalStatusCode', 'originalMessage', 'trace', 'p',
] as const

const anyJson = jsonOf(FIELDS, ['end_turn', 'server_tool_use', 'nova_grounding'])
const fields = fieldsOr(anyJson)

const index = fc.constantFrom(0, 0, 1, 1, 2, 3)
const inputPiece = fc.constantFrom('', '{}', '{"city":', '"Bern"}', '{"query":"mills"}', '{"snippet":"1"}', '"x"', '}')
const toolUse = {
  toolUseId: fc.constantFrom('t1', 't2', ''),
  name: fc.constantFrom('look', 'up', 'nova_grounding', 'nova_code_interpreter', 'nova_other', ''),
  type: fc.constantFrom('tool_use', 'server_tool_use', 'server_tool_use'),
}
const resultPart = fields({ text: hostile, json: fields({ stdOut: hostile, stdErr: hostile }) })
const toolResult = { toolUseId: fc.constantFrom('t1', 't2'), status: fc.constantFrom('success', 'error') }
const place = fields({ documentIndex: fc.nat({ max: 2 }), start: fc.nat(), end: fc.nat() })
const citation = fields({
  title: hostile,
  source: fc.constantFrom('https://a.example/1', 'shelf'),
  sourceContent: fc.array(fields({ text: hostile }), { maxLength: 2 }),
  location: fc.oneof(
    fields({ web: fields({ url: fc.constantFrom('https://a.example/1', ''), domain: hostile }) }),
    fields({ documentChar: place }),
    fields({ searchResultLocation: place }),
  ),
})
const image = { format: fc.constantFrom('png', 'jpeg'), source: fields({ bytes: fc.constant('AAAA') }) }
const reasoning = fields({ text: hostile, signature: hostile, redactedContent: fc.constantFrom('AAAA', '') })

const one = (models: readonly Record<string, fc.Arbitrary<unknown>>[]) =>
  fc.oneof(...models.map((model) => fields(model)))

const deltaContent = one([
  { text: hostile },
  { text: hostile },
  { reasoningContent: reasoning },
  { toolUse: fields({ input: inputPiece }) },
  { citation },
  { toolResult: fc.array(resultPart, { maxLength: 2 }) },
  { image: fields(image) },
])
const started = one([{ toolUse: fields(toolUse) }, { toolResult: fields(toolResult) }, { image: fields(image) }])
const stopReason = fc.constantFrom(
  'end_turn',
  'tool_use',
  'max_tokens',
  'guardrail_intervened',
  'malformed_tool_use',
  'x',
)
const count = fc.nat({ max: 999 })
const usage = fields({ inputTokens: count, outputTokens: count, totalTokens: count, cacheReadInputTokens: count })
const failure = fields({ message: hostile, originalStatusCode: fc.constantFrom(424, 429), originalMessage: hostile })

const named = (event: string, payload: fc.Arbitrary<unknown>): fc.Arbitrary<Frame> =>
  fc.record({ event: fc.constant(event), data: textOf(payload) })

const delta = named('contentBlockDelta', fields({ contentBlockIndex: index, delta: deltaContent, p: hostile }))
const frame: fc.Arbitrary<Frame> = fc.oneof(
  { weight: 8, arbitrary: delta },
  { weight: 3, arbitrary: named('contentBlockStart', fields({ contentBlockIndex: index, start: started })) },
  { weight: 3, arbitrary: named('contentBlockStop', fields({ contentBlockIndex: index })) },
  { weight: 1, arbitrary: named('messageStart', fields({ role: fc.constant('assistant') })) },
  { weight: 2, arbitrary: named('messageStop', fields({ stopReason })) },
  { weight: 1, arbitrary: named('metadata', fields({ usage, trace: anyJson })) },
  { weight: 1, arbitrary: named(`${EXCEPTION}throttlingException`, failure) },
  { weight: 1, arbitrary: fc.record({ event: hostile, data: textOf(anyJson) }) },
  { weight: 1, arbitrary: fc.constantFrom<Frame>({ event: BROKEN, data: '{}' }, { event: `${ERROR}x`, data: '' }) },
)

const bytesOf = (frames: readonly Frame[]): Uint8Array =>
  Uint8Array.from(frames.flatMap((it) => [...encodeEventStream(it)]))

/** A stream that is complete, cut anywhere, or has one changed byte. */
const stream = fc
  .tuple(fc.array(frame, { maxLength: 10 }), fc.nat(), fc.constantFrom('whole', 'whole', 'cut', 'spoilt'))
  .map(([frames, at, how]) => {
    const bytes = bytesOf(frames)
    if (how === 'cut') return bytes.subarray(0, at % (bytes.length + 1))
    return how === 'whole' ? bytes : bytes.map((byte, i) => (i === at % bytes.length ? byte ^ 0xff : byte))
  })

const block = one([
  { text: hostile, type: fc.constant('text') },
  { reasoningContent: fields({ reasoningText: fields({ text: hostile, signature: hostile }) }) },
  { reasoningContent: fields({ redactedContent: fc.constant('AAAA') }) },
  { citationsContent: fields({ citations: fc.array(citation), content: fc.array(fields({ text: hostile })) }) },
  { toolUse: fields({ ...toolUse, input: fc.oneof(anyJson, inputPiece) }) },
  { toolResult: fields({ ...toolResult, content: fc.array(resultPart, { maxLength: 2 }) }) },
  { image: fields(image) },
])

export const bedrockConverseAnswers: Answers = {
  frame,
  stream,
  body: textOf(
    fields({
      output: fields({
        message: fields({ role: fc.constant('assistant'), content: fc.array(block, { maxLength: 5 }) }),
      }),
      stopReason,
      usage,
      trace: anyJson,
    }),
  ),
  quirks: fc.constant({}),
}
