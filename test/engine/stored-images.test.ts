import { describe, expect, it } from 'vitest'
import { encodedFor, type Loose, readRequest } from './encoded-call.ts'

const prompt = (...content: readonly object[]) => ({ input: [{ role: 'user', content }] })
const IMAGE = { type: 'input_image', file_id: 'file-1', detail: 'low' }

/** The parts that an upstream receives, wherever its wire has them. */
const sentParts = ({ input, messages, contents }: Loose): Loose => {
  const [turn] = input ?? messages ?? contents
  return turn.content ?? turn.parts
}

describe('an image by the id of its file', () => {
  it('reaches an upstream of the Responses API', () => {
    const { body, losses } = encodedFor('openai', 'gpt-5.5', prompt(IMAGE))
    expect(sentParts(body)).toEqual([IMAGE])
    expect(losses).toEqual([])
  })

  it('is a stored file for Anthropic, with the header that this needs', () => {
    const { body } = encodedFor('anthropic', 'claude-sonnet-4-5', prompt({ ...IMAGE, detail: 'auto' }))
    expect(sentParts(body)).toEqual([{ type: 'image', source: { type: 'file', file_id: 'file-1' } }])
  })

  it('is a URI for Google if its id is the name or the URL of a file', () => {
    const { body } = encodedFor('google', 'gemini-3-pro', prompt({ type: 'input_image', file_id: 'files/abc' }))
    const fileUri = 'https://generativelanguage.googleapis.com/v1beta/files/abc'
    expect(sentParts(body)).toEqual([{ fileData: { fileUri } }])
  })

  it.each([
    ['groq', 'this upstream accepts only the data or the URL of an image, not its id'],
    ['cohere', 'this upstream accepts only the data or the URL of an image, not its id'],
    ['bedrock', 'this upstream accepts only the data of an image, not its id'],
    ['ollama', 'this upstream accepts only the data of an image, not its URL or its id'],
    ['google', 'this upstream accepts only URLs (https, gs) and names such as files/…'],
  ])('is a loss for %s, with a note in its place', (vendor, why) => {
    const { body, losses } = encodedFor(vendor, 'm', prompt({ type: 'input_text', text: 'Look' }, IMAGE))
    expect(losses).toContain(`input[0].content[1] dropped: ${why}`)
    expect(JSON.stringify(body)).toContain('[image: it could not be passed on]')
  })

  it('with a URL beside it is sent by its URL to an upstream of another protocol, as a loss', () => {
    const both = { ...IMAGE, detail: 'auto', image_url: 'https://pics.example/a.png' }
    expect(sentParts(encodedFor('openai', 'gpt-5.5', prompt(both)).body)).toEqual([both])
    expect(encodedFor('anthropic', 'claude-sonnet-4-5', prompt(both)).losses).toEqual([
      'input[0].content[0].file_id dropped: the image is sent by its URL',
    ])
  })

  it('must not be empty or missing', () => {
    for (const image of [{ file_id: '' }, {}]) {
      const read = readRequest(prompt({ type: 'input_image', ...image }))
      expect(read).toMatchObject({ ok: false, error: { status: 400 } })
    }
  })
})

describe('the detail of a file', () => {
  const data = 'data:application/pdf;base64,JVBERi0='
  const file = { type: 'input_file', filename: 'a.pdf', file_data: data, detail: 'low' }

  it('reaches an upstream of the Responses API', () => {
    expect(sentParts(encodedFor('openai', 'gpt-5.5', prompt(file)).body)).toEqual([file])
  })

  it('is a loss elsewhere unless it is auto', () => {
    const losses = (detail: string) => encodedFor('anthropic', 'claude-sonnet-4-5', prompt({ ...file, detail })).losses
    expect(losses('low')).toEqual(['input[0].content[0].detail dropped: this upstream has no detail of files'])
    expect(losses('auto')).toEqual([])
  })
})
