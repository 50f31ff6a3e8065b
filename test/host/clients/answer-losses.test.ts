import { expect, it } from 'vitest'
import { type Behaviour, bodyOf, withBody } from '../../mock-upstreams/server.ts'
import { answerJson, startMockEngine } from '../search/mock-engine.ts'
import { json, type Loose, lineOf, post, startTestServer } from '../test-server.ts'

/**
 * Losses of an answer are always in the log, and also in the header `x-responses-losses` if the answer is not streamed.
 */

const HI = [{ role: 'user', content: 'Hi' }]

const FAMILIES: readonly (readonly [family: string, path: string, body: object])[] = [
  ['beta', '/api/v1/responses', { input: 'Hi' }],
  ['openai', '/openai/v1/responses', { input: 'Hi' }],
  ['anthropic-messages', '/api/v1/messages', { messages: HI, max_tokens: 50 }],
  ['gemini-generate', '/api/v1/models/acme/mock-1:generateContent', { contents: [{ parts: [{ text: 'Hi' }] }] }],
  ['openai-chat', '/api/v1/chat/completions', { messages: HI }],
  ['ollama-chat', '/api/v1/api/chat', { messages: HI }],
]

const message = { role: 'assistant', content: 'Grüezi.', audio: { data: 'AAAA' } }
const BODY = JSON.stringify({ model: 'm-1', choices: [{ index: 0, message, finish_reason: 'stop' }] })
const STREAM = [
  JSON.stringify({ model: 'm-1', choices: [{ index: 0, delta: message, finish_reason: 'stop' }] }),
  '[DONE]',
]
  .map((data) => `data: ${data}\n\n`)
  .join('')

const streaming = withBody(STREAM, 200, { 'content-type': 'text/event-stream' })

async function asked(path: string, body: object, stream: boolean, behave: Behaviour, config: object = {}) {
  const { url, lines } = await startTestServer(behave, config)
  const address = stream ? path.replace(':generateContent', ':streamGenerateContent') : path
  const asked = 'contents' in body ? body : { model: 'acme/mock-1', ...body, stream }
  const answer = await post(url, asked, { path: address })
  const text = await answer.text()
  const { losses } = await lineOf(lines)
  return { status: answer.status, header: answer.headers.get('x-responses-losses'), losses, text }
}

/** An answer of the client's own protocol, and of the form that was requested, is passed through. */
const isPassed = (family: string, form: string, streamed: boolean): boolean =>
  family === 'openai-chat' && (form === 'a stream') === streamed

const UPSTREAMS: readonly (readonly [what: string, upstream: Behaviour])[] = [
  ['a whole answer', withBody(BODY)],
  ['a stream', streaming],
]

for (const [family, path, body] of FAMILIES) {
  it.each(UPSTREAMS)(
    `${family}: an unstreamed answer lists its losses in the header: from %s`,
    async (form, upstream) => {
      const { status, header, losses, text } = await asked(path, body, false, upstream)
      if (isPassed(family, form, false)) {
        expect([header, losses, text]).toEqual([null, undefined, BODY])
        return
      }
      expect([status, header, losses]).toEqual([200, 'answer: audio dropped', ['audio']])
      expect(text).toContain('Grüezi.')
    },
  )

  it.each(UPSTREAMS)(`${family}: a streamed answer has its losses in the log: from %s`, async (form, upstream) => {
    const { header, losses, text } = await asked(path, body, true, upstream)
    if (isPassed(family, form, true)) {
      expect([header, losses, text]).toEqual([null, undefined, STREAM])
      return
    }
    expect([header, losses]).toEqual([null, ['audio']])
  })
}

it('an answer lists losses of the request beside those that only its client API causes', async () => {
  const cited = { ...message, annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }] }
  const upstream = withBody(JSON.stringify({ choices: [{ index: 0, message: cited, finish_reason: 'stop' }] }))
  const { header, losses } = await asked('/api/v1/api/chat', { messages: HI, options: { seed: 1 } }, false, upstream)
  expect(header).toBe('options.seed dropped, answer: audio dropped, answer: url_citation dropped')
  expect(losses).toEqual([expect.stringMatching(/^options\.seed dropped: /), 'audio', 'url_citation'])
})

it('a comma or line break in an upstream field adds no entry to the losses header', async () => {
  const content = [{ type: 'a\r\nb: c, model dropped 🙂' }, { type: 'text', text: 'Hi' }]
  const upstream = withBody(JSON.stringify({ choices: [{ index: 0, message: { content }, finish_reason: 'stop' }] }))
  const { header } = await asked('/api/v1/responses', { input: 'Hi' }, false, upstream)
  expect(header).toBe('answer: content part a??b: c  model dropped ?? dropped')
})

it('a retried failure leaves none of its losses in the answer that follows', async () => {
  let count = 0
  const upstream: Behaviour = (response, request) => {
    count += 1
    const failed = withBody(
      JSON.stringify({
        choices: [{ index: 0, message: { audio: { data: 'AAAA' } } }],
        error: { code: 503, message: 'busy' },
      }),
    )
    return (count === 1 ? failed : withBody(bodyOf('Hi')))(response, request)
  }
  const config = { retry: { attempts: 2, first_delay_ms: 1 } }
  const { status, header } = await asked('/api/v1/responses', { input: 'Hi' }, false, upstream, config)
  expect([count, status, header]).toEqual([2, 200, null])
})

it('an answer lists a web search that was called beside a function of the client as dropped', async () => {
  const engine = await startMockEngine((response) => answerJson(response, { results: [] }))
  const call = (name: string, args: object): Loose => ({
    id: name,
    function: { name, arguments: JSON.stringify(args) },
  })
  const tool_calls = [call('web_search', { query: 'Eiger' }), call('f', {})]
  const upstream = withBody(
    JSON.stringify({ choices: [{ index: 0, message: { tool_calls }, finish_reason: 'tool_calls' }] }),
  )
  const { url } = await startTestServer(upstream, { search: { engine: 'exa', base_url: engine.url, key: 'nobody' } })
  const tools = [{ type: 'service:web_search' }, { type: 'function', name: 'f', parameters: { type: 'object' } }]
  const answer = await post(url, { model: 'acme/mock-1', input: 'Hi', tools })
  const { output } = await json(answer)
  expect(output.map(({ type, name }: Loose) => [type, name])).toEqual([['function_call', 'f']])
  expect(answer.headers.get('x-responses-losses')).toBe('answer: a web search that could not be made dropped')
})
