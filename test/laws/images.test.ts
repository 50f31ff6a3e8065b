import { describe, expect, it } from 'vitest'
import { encodeEventStream } from '../../src/framing/encode-event-stream.ts'
import { createStreamTranslator } from '../../src/index.ts'

/** An image of an answer is base64, or an address where the client has a place for it, and a loss where it has none. */

const encoder = new TextEncoder()
const sse = (...events: readonly object[]): Uint8Array =>
  encoder.encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''))

const chatWith = (delta: object): Uint8Array =>
  sse(
    { model: 'm', choices: [{ index: 0, delta }] },
    { model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  )
const chat = (url: string): Uint8Array => chatWith({ images: [{ type: 'image_url', image_url: { url } }] })
const responses = (result: string): Uint8Array => {
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result }
  return sse(
    { type: 'response.created', response: { id: 'r', model: 'm', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed', output: [item] } },
  )
}
const gemini = (part: object): Uint8Array =>
  sse({ modelVersion: 'g', candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP' }] })
const interactions = (content: object): Uint8Array =>
  sse(
    { event_type: 'interaction.created', interaction: { id: 'i', model: 'm' } },
    { event_type: 'step.start', index: 0, step: { type: 'model_output', content: [] } },
    { event_type: 'step.delta', index: 0, delta: { type: 'image', ...content } },
    { event_type: 'step.stop', index: 0 },
    { event_type: 'interaction.completed', interaction: { id: 'i', status: 'completed' } },
  )
const ollama = (image: string): Uint8Array =>
  encoder.encode(
    `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '', images: [image] }, done: true, done_reason: 'stop' })}\n`,
  )
const bedrock = (source: object): Uint8Array =>
  Buffer.concat(
    [
      ['contentBlockStart', { contentBlockIndex: 0, start: { image: { format: 'png' } } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { image: { source } } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 } }],
    ].map(([event, data]) => encodeEventStream({ event: event as string, data: JSON.stringify(data) })),
  )

const ADDRESS = 'https://a.example/p.webp'
const DATA = 'UklGRg=='
const URL_OF_DATA = `data:image/webp;base64,${DATA}`

const translate = (from: string, to: string, bytes: Uint8Array) => {
  const translator = createStreamTranslator({ from: from as 'openai-chat', to: to as 'openai' })
  const text = [translator.push(bytes), translator.end()].map((out) => new TextDecoder().decode(out)).join('')
  return { text, losses: translator.outcome.losses }
}

// biome-ignore format: a row a way
const BY_ADDRESS: readonly (readonly [wire: string, bytes: Uint8Array, address: string])[] = [
  ['openai-chat', chat(ADDRESS), ADDRESS],
  ['openai-chat', chatWith({ images: [ADDRESS] }), ADDRESS],
  ['openai-chat', chatWith({ images: [{ url: ADDRESS }] }), ADDRESS],
  ['openai-chat', chatWith({ content: [{ type: 'image_url', image_url: { url: ADDRESS } }] }), ADDRESS],
  ['openai-responses', responses(ADDRESS), ADDRESS],
  ['gemini-generate', gemini({ fileData: { mimeType: 'image/webp', fileUri: ADDRESS } }), ADDRESS],
  ['gemini-interactions', interactions({ uri: ADDRESS, mime_type: 'image/webp' }), ADDRESS],
  ['ollama-chat', ollama(ADDRESS), ADDRESS],
  ['bedrock-converse', bedrock({ s3Location: { uri: 's3://a/p.webp' } }), 's3://a/p.webp'],
]

describe.each(BY_ADDRESS)('an image by its address, of %s', (wire, bytes, address) => {
  it.each([
    ['openai-chat', { image_url: { url: address } }],
    ['gemini-generate', { fileData: { mimeType: 'image/webp', fileUri: address } }],
    ['gemini-interactions', { type: 'image', uri: address, mime_type: 'image/webp' }],
  ])('keeps the address for clients of %s', (to, expected) => {
    const { text, losses } = translate(wire, to, bytes)
    const [[name, value] = []] = Object.entries(expected).filter(
      ([, one]) => typeof one === 'object' || one === address,
    )
    expect(text).toContain(`"${name}":${JSON.stringify(value)}`)
    expect(losses).toEqual([])
  })

  it.each([
    ['openai', 'an image by its address'],
    ['beta', 'image_generation_call'],
    ['anthropic-messages', 'image_generation_call'],
    ['ollama-chat', 'image_generation_call.url'],
  ])('is a loss for clients of %s', (to, feature) => {
    const { text, losses } = translate(wire, to, bytes)
    expect(text).not.toContain(address)
    expect(losses).toEqual([feature])
  })
})

// biome-ignore format: a row a way
const AS_DATA: readonly (readonly [wire: string, bytes: Uint8Array])[] = [
  ['openai-chat', chat(URL_OF_DATA)],
  ['openai-chat', chatWith({ images: [URL_OF_DATA] })],
  ['openai-chat', chatWith({ content: [{ type: 'image_url', image_url: URL_OF_DATA }] })],
  ['openai-responses', responses(URL_OF_DATA)],
  ['gemini-generate', gemini({ inlineData: { mimeType: 'image/webp', data: DATA } })],
  ['gemini-interactions', interactions({ data: DATA, mime_type: 'image/webp' })],
  ['ollama-chat', ollama(URL_OF_DATA)],
]

describe.each(AS_DATA)('the data of an image of %s', (wire, bytes) => {
  it.each([
    ['openai', `"result":"${DATA}","output_format":"webp"`],
    ['openai-chat', `"url":"${URL_OF_DATA}"`],
    ['gemini-generate', `{"mimeType":"image/webp","data":"${DATA}"}`],
    ['gemini-interactions', `"data":"${DATA}","mime_type":"image/webp"`],
    ['ollama-chat', `"images":["${DATA}"]`],
  ])('reaches clients of %s with its type, and without the start of a data URL', (to, expected) => {
    expect(translate(wire, to, bytes).text).toContain(expected)
  })
})

it('an image that was announced ends as failed where its client has no place for the address', () => {
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'in_progress', result: null }
  const [created, ...rest] = new TextDecoder().decode(responses(ADDRESS)).split('\n\n')
  const added = `data: ${JSON.stringify({ type: 'response.output_item.added', output_index: 0, item })}`
  const { text, losses } = translate(
    'openai-responses',
    'openai',
    encoder.encode([created, added, ...rest].join('\n\n')),
  )
  expect(text).toContain('"status":"failed","result":null')
  expect(losses).toEqual(['an image by its address'])
})

it('an image of chat completions may be base64 alone', () => {
  const { text, losses } = translate('openai-chat', 'openai', chatWith({ images: [{ b64_json: DATA }] }))
  expect(text).toContain(`"result":"${DATA}"`)
  expect(losses).toEqual([])
})

it('an image without data is a loss', () => {
  expect(translate('openai-chat', 'openai', chatWith({ images: [{ type: 'image_url' }] })).losses).toEqual(['images'])
})
