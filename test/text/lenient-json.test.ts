import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createStreamTranslator, streamFromBody, translateBody } from '../../src/index.ts'
import { parseJson } from '../../src/text/json.ts'
import { parseLenientJson, toStrictJson } from '../../src/text/lenient-json.ts'
import { runSteps } from '../../src/text/steps.ts'

describe('JSON of servers that do not escape', () => {
  it('is the value with raw control characters, at any place of a string', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 3 }),
        fc.string({ unit: fc.constantFrom('\t', '\n', '\u0001', '"', '\\', 'NaN') }),
        (value, text) => {
          const whole = { value, text }
          const raw = JSON.stringify(whole).replaceAll('\\t', '\t').replaceAll('\\n', '\n')
          const isSame = parseJson(raw) !== undefined
          fc.pre(!JSON.stringify(whole).includes('\\\\'))
          expect(parseLenientJson(raw)).toEqual(isSame ? parseJson(raw) : JSON.parse(JSON.stringify(whole)))
        },
      ),
    )
  })

  it.each([
    ['{"a":-Infinity,"b":NaN,"c":"NaN Infinity","d":[Infinity]}', { a: null, b: null, c: 'NaN Infinity', d: [null] }],
    ['{"a":"x\ty\\"z\t"}', { a: 'x\ty"z\t' }],
    ['{"a":"x\t', undefined],
    ['{"a":NaN}{"b":1}', undefined],
    ['{"a":None,"b":[True,False,undefined],"c":"None True"}', { a: null, b: [true, false, null], c: 'None True' }],
    ['{"a":[1,2, ],"b":{"c":"x,]"},\n}', { a: [1, 2], b: { c: 'x,]' } }],
    ['{"a":"C:\\Users\\é\\\\n","b":"it\\\'s","c":"\\u00e9\\u12"}', { a: 'C:\\Users\\é\\n', b: "it's", c: 'é\\u12' }],
    ['{"a":1,,"b":2}', undefined],
    ['[DONE]', undefined],
  ])('%j', (text, value) => {
    expect(parseLenientJson(text)).toEqual(value)
  })

  it('is written as strict JSON in slices, wherever these end', () => {
    const unit = fc.array(
      fc.constantFrom('x', ' ', '\n', '\\n', '\\"', '\\\\', '\\\n', '\\q', '\\u00e9', '\\u12,', 'NaN'),
      {
        minLength: 1,
        maxLength: 8,
      },
    )
    fc.assert(
      fc.property(unit, (parts) => {
        const text = parts.join('')
        const [value] = parseLenientJson(`["${text}",]`) as [string]
        const times = Math.ceil((300 * 1024) / text.length)
        const slices = toStrictJson(`["${text.repeat(times)}",NaN]`)
        expect(JSON.parse(runSteps(slices))).toEqual([value.repeat(times), null])
      }),
      { numRuns: 40 },
    )
  })

  it.each(['"a",', '\n', ' ', '\\q', '\\u12,'])('is written with pauses: %j', (part) => {
    const text = part.repeat((512 * 1024) / part.length)
    const json = part.startsWith('"') ? `[${text}NaN]` : `["${text}",NaN]`
    expect([...toStrictJson(json)].length).toBeGreaterThan(5)
  })
})

const TEXT = 'a\tb\u0001c'
const inFrame = (json: string): string => `data: ${json}\n\n`
const BODIES = [
  [
    'openai-chat',
    `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"${TEXT}"},"finish_reason":"stop"}]}`,
  ],
  [
    'openai-chat',
    `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"${TEXT}"},"finish_reason":"stop","logprobs":{"content":[{"token":"b","logprob":-Infinity,"top_logprobs":[]}]}}]}`,
  ],
  [
    'anthropic-messages',
    `{"type":"message","role":"assistant","content":[{"type":"text","text":"${TEXT}"}],"stop_reason":"end_turn"}`,
  ],
  [
    'gemini-generate',
    `{"candidates":[{"content":{"role":"model","parts":[{"text":"${TEXT}"}]},"finishReason":"STOP","avgLogprobs":NaN}]}`,
  ],
  [
    'cohere-chat',
    `{"message":{"role":"assistant","content":[{"type":"text","text":"${TEXT}"}]},"finish_reason":"COMPLETE"}`,
  ],
  [
    'bedrock-converse',
    `{"output":{"message":{"role":"assistant","content":[{"text":"${TEXT}"}]}},"stopReason":"end_turn"}`,
  ],
  ['ollama-chat', `{"message":{"role":"assistant","content":"${TEXT}"},"done":true,"done_reason":"stop"}`],
] as const

const STREAMS = [
  [
    'openai-chat',
    inFrame(
      `{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${TEXT}"},"logprobs":{"content":[{"token":"b","logprob":-Infinity,"top_logprobs":[]}]},"finish_reason":"stop"}]}`,
    ) + inFrame('[DONE]'),
  ],
  [
    'gemini-generate',
    inFrame(`{"candidates":[{"content":{"role":"model","parts":[{"text":"${TEXT}"}]},"finishReason":"STOP"}]}`),
  ],
  [
    'gemini-generate',
    `[{"candidates":[{"content":{"role":"model","parts":[{"text":"${TEXT}"}]},"finishReason":"STOP"}]}]`,
  ],
  ['ollama-chat', `{"message":{"role":"assistant","content":"${TEXT}"},"done":true,"done_reason":"stop"}\n`],
] as const

describe('an answer in such JSON', () => {
  it.each(BODIES)('is whole, and streamed, of %s', (from, body) => {
    const settings = { from, to: 'openai' } as const
    const whole = translateBody(body, settings)
    expect(whole.outcome).toMatchObject({ status: 'completed', error: null })
    expect(JSON.stringify(whole.body)).toContain('a\\tb\\u0001c')
    const streamed = streamFromBody(body, settings)
    expect(streamed.outcome.status).toBe('completed')
    expect(new TextDecoder().decode(streamed.bytes)).toContain('a\\tb\\u0001c')
  })

  it.each(STREAMS)('has no hole in a stream of %s', (from, text) => {
    const translator = createStreamTranslator({ from, to: 'openai' })
    const decoder = new TextDecoder()
    const bytes = new TextEncoder().encode(text)
    const out = decoder.decode(translator.push(bytes)) + decoder.decode(translator.end())
    expect(translator.outcome).toMatchObject({ status: 'completed', losses: [] })
    expect(out).toContain('a\\tb\\u0001c')
  })
})
