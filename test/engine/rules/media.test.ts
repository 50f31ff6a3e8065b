import { describe, expect, it } from 'vitest'
import { sentBy } from '../sent-by.ts'

const PNG = 'iVBORw0KGgo-_w'
const PDF = 'JVBERi0-_w'
const parts = [
  { text: 'Hi' },
  { inlineData: { mimeType: 'image/png', data: PNG } },
  { inlineData: { mimeType: 'application/pdf', data: PDF } },
]
const gemini = { contents: [{ role: 'user', parts }] }

describe('base64 with the letters of URLs', () => {
  it.each(['openai', 'openai-chat', 'anthropic', 'bedrock', 'mistral', 'cohere', 'ollama', 'vllm'])(
    'is plain base64 at %s',
    (vendor) => {
      const text = JSON.stringify(sentBy('gemini-generate', vendor, 'zephyr', gemini).body)
      expect(text).toContain('iVBORw0KGgo+/w==')
      expect(text).not.toMatch(/iVBORw0KGgo-|JVBERi0-/)
    },
  )

  it('stays at Google, which reads it: passed, carried and translated', () => {
    const passed = sentBy('gemini-generate', 'google', 'gemini-2.5-pro', gemini)
    expect(passed.edits).toEqual([])
    expect(passed.body).toEqual(gemini)
    const both = JSON.stringify(sentBy('gemini-generate', 'google-interactions', 'gemini-2.5-pro', gemini).body)
    expect(both).toContain(PNG)
  })
})

describe('an image that the upstream does not accept', () => {
  const MODELS = [
    ['openai', 'gpt-5'],
    ['openai-chat', 'gpt-5'],
    ['anthropic', 'claude-sonnet-4-5'],
    ['bedrock', 'anthropic.claude-sonnet-4-5'],
    ['google', 'gemini-2.5-flash'],
    ['google-interactions', 'gemini-2.5-flash'],
  ] as const
  const NOTE = '[image: it could not be passed on]'
  const ask = (client: 'openai' | 'openai-chat', url: string) =>
    client === 'openai'
      ? { input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }] }
      : { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }] }

  it.each(MODELS)('is a note in the prompt at %s, for other types and without data', (vendor, model) => {
    for (const client of ['openai', 'openai-chat'] as const)
      for (const url of [
        'data:image/svg+xml;base64,PHN2Zz4=',
        'data:image/bmp;base64,Qk0=',
        'data:image/png;base64,',
      ]) {
        const { body, losses } = sentBy(client, vendor, model, ask(client, url))
        expect(JSON.stringify(body)).toContain(NOTE)
        expect(JSON.stringify(body)).not.toContain('data:image')
        expect(losses).toHaveLength(1)
      }
  })

  it('is a GIF at Google, and HEIC elsewhere', () => {
    const gif = ask('openai', 'data:image/gif;base64,R0lGODlhAQ==')
    const heic = ask('openai', 'data:image/heic;base64,AAAA')
    const google = MODELS[4]
    expect(JSON.stringify(sentBy('openai', google[0], google[1], gif).body)).toContain(NOTE)
    expect(sentBy('openai', google[0], google[1], heic).losses).toEqual([])
    for (const upstream of [MODELS[0], MODELS[2], MODELS[3]] as const) {
      expect(sentBy('openai', upstream[0], upstream[1], gif).losses).toEqual([])
      expect(JSON.stringify(sentBy('openai', upstream[0], upstream[1], heic).body)).toContain(NOTE)
    }
  })
})

describe('a file without data', () => {
  it.each(['openai', 'anthropic', 'google', 'openrouter', 'vllm'])('is a note in the prompt at %s', (vendor) => {
    const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,' }
    const input = [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }, file] }]
    const { body, losses } = sentBy('openai', vendor, 'm-x', { input })
    expect(losses).toEqual(['input[0].content[1] dropped'])
    expect(JSON.stringify(body)).toContain('[file: it could not be passed on]')
  })
})

describe('the data of a file', () => {
  const bare = 'JVBERi0xLjQK'
  const url = `data:application/pdf;base64,${bare}`
  const chat = (file: object) => ({ messages: [{ role: 'user', content: [{ type: 'file', file }] }] })
  const responses = (file: object) => ({ input: [{ role: 'user', content: [{ type: 'input_file', ...file }] }] })

  it.each(['openai', 'azure', 'openai-chat', 'azure-chat', 'xai', 'openrouter', 'mistral', 'vllm'])(
    'is a data URL at %s, of chat and Responses clients',
    (vendor) => {
      const named = { filename: 'a.pdf', file_data: bare }
      for (const sent of [
        sentBy('openai-chat', vendor, 'm-x', chat(named)),
        sentBy('openai', vendor, 'm-x', responses(named)),
      ])
        if (!JSON.stringify(sent.losses).includes('dropped')) expect(JSON.stringify(sent.body)).toContain(url)
    },
  )

  it('has the type of its name, and stays without a known type', () => {
    const sent = (file: object) => JSON.stringify(sentBy('openai', 'openai', 'gpt-5.2', responses(file)).body)
    expect(sent({ filename: 'a.csv', file_data: 'YSxi' })).toContain('data:text/csv;base64,YSxi')
    expect(sent({ filename: 'a.odd', file_data: 'YSxi' })).toContain('"file_data":"YSxi"')
    expect(sent({ filename: 'a.pdf', file_data: url })).toContain(url)
  })

  it.each(['google', 'vertex', 'google-interactions'])('loses its name at %s, as a loss', (vendor) => {
    const { losses } = sentBy('openai-chat', vendor, 'gemini-2.5-pro', chat({ filename: 'a.pdf', file_data: url }))
    expect(losses).toEqual(['messages[0].content[0] dropped'])
  })

  it('keeps the name of a Gemini client at Google, also where the request is carried', () => {
    const named = { inlineData: { mimeType: 'application/pdf', data: PDF, displayName: 'a.pdf' } }
    const call = { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] }
    const result = { role: 'user', parts: [{ functionResponse: { name: 'f', response: {} } }] }
    const { body, losses } = sentBy('gemini-generate', 'google', 'gemini-2.5-pro', {
      contents: [{ role: 'user', parts: [named] }, call, result],
    })
    expect(JSON.stringify(body)).toContain('"displayName":"a.pdf"')
    expect(losses).toEqual([])
  })
})

describe('a cache breakpoint on an image', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const sent = (vendor: string, model: string) =>
    sentBy('openai-chat', vendor, model, {
      messages: [{ role: 'user', content: [{ ...image, prompt_cache_breakpoint: { mode: 'explicit' } }] }],
    })

  it('reaches upstreams with breakpoints', () => {
    expect(JSON.stringify(sent('openai', 'gpt-6-sol').body)).toContain('"prompt_cache_breakpoint":{"mode":"explicit"}')
    expect(JSON.stringify(sent('anthropic', 'claude-sonnet-4-5').body)).toContain(
      '"cache_control":{"type":"ephemeral"}',
    )
    expect(JSON.stringify(sent('bedrock', 'anthropic.claude-sonnet-4-5').body)).toContain('cachePoint')
  })

  it.each(['google', 'ollama', 'cohere'])('is a loss at %s', (vendor) => {
    expect(sent(vendor, 'm-x').losses).toEqual(['messages[0].content[0].prompt_cache_breakpoint dropped'])
  })
})

describe('the address of an image', () => {
  const URL = 'https://a.example/b.png'
  const CHAT = { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: URL } }] }] }
  const NOTE = '[image: it could not be passed on]'

  it.each<[client: 'openai-chat' | 'openai' | 'anthropic-messages' | 'gemini-generate', vendor: string, body: object]>([
    ['openai-chat', 'moonshot', CHAT],
    ['openai-chat', 'lmstudio', CHAT],
    ['openai', 'moonshot', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: URL }] }] }],
    ['openai', 'lmstudio-responses', { input: [{ role: 'user', content: [{ type: 'input_image', image_url: URL }] }] }],
    [
      'anthropic-messages',
      'moonshot',
      { max_tokens: 9, messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url: URL } }] }] },
    ],
    [
      'gemini-generate',
      'lmstudio',
      { contents: [{ role: 'user', parts: [{ fileData: { mimeType: 'image/png', fileUri: URL } }] }] },
    ],
  ])('becomes a note where the upstream fetches none, for a client of %s at %s', (client, vendor, body) => {
    const sent = sentBy(client, vendor, 'kimi-k3', body)
    expect(JSON.stringify(sent.body)).not.toContain(URL)
    expect(JSON.stringify(sent.body)).toContain(NOTE)
    expect(sent.losses).toEqual([expect.stringMatching(/ dropped$/)])
  })

  it('stays elsewhere, and so do data and stored images', () => {
    expect(JSON.stringify(sentBy('openai-chat', 'zai', 'glm-5.3v', CHAT).body)).toContain(URL)
    for (const url of ['data:image/png;base64,iVBORw0KGgo=', 'ms://image-1']) {
      const { body, losses } = sentBy('openai-chat', 'moonshot', 'kimi-k3', {
        messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
      })
      expect(JSON.stringify(body)).toContain(url)
      expect(losses).toEqual([])
    }
  })
})

describe('the breakpoint of an image that does not leave', () => {
  it('is that of its note', () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image', source, cache_control: { type: 'ephemeral' } },
    ]
    const { body } = sentBy('anthropic-messages', 'zai', 'glm-4.6', {
      max_tokens: 9,
      messages: [{ role: 'user', content }],
    })
    expect(JSON.stringify(body)).not.toContain('iVBORw0KGgo=')
    expect(JSON.stringify(body)).toContain('"cache_control":{"type":"ephemeral"}')
  })
})
