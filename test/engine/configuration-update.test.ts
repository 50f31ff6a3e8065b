import { describe, expect, it } from 'vitest'
import { createTranslator } from '../../src/index.ts'
import { callOf, encodedFor, type Loose, readRequest } from './encoded-call.ts'

const HELLO = { role: 'user', content: 'Hi' }
const SCHEMA = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
const json = { type: 'json_schema', name: 'answer', schema: SCHEMA }
const update = (fields: object) => ({ type: 'configuration_update', ...fields })
const effort = (word: string | null) => update({ reasoning: { effort: word } })
const format = (given: object) => update({ text: { format: given } })

describe('updates of the configuration', () => {
  it('apply to the whole request: the last one takes the place of the settings of the request', () => {
    const input = [effort('low'), HELLO, format({ type: 'text' }), effort('high'), format(json), HELLO]
    const own = { reasoning: { effort: 'minimal', summary: 'auto' }, text: { verbosity: 'low' } }
    const { body, losses } = encodedFor('openai-chat', 'gpt-5.5', { ...own, input })
    expect(body).toMatchObject({
      reasoning_effort: 'high',
      verbosity: 'low',
      response_format: { type: 'json_schema', json_schema: { schema: SCHEMA } },
    })
    expect(body.messages).toHaveLength(2)
    expect(losses.filter((loss) => loss.startsWith('input'))).toEqual([
      'input[0] mapped: a later one takes its place',
      'input[2] mapped: a later one takes its place',
      'input[3] mapped: it applies to the whole request',
      'input[4] mapped: it applies to the whole request',
    ])
  })

  it('without a value change nothing', () => {
    const input = [update({}), effort(null), HELLO]
    const { body, losses } = encodedFor('openai-chat', 'gpt-5.5', { reasoning: { effort: 'high' }, input })
    expect([body.reasoning_effort, losses]).toEqual(['high', []])
  })

  it.each(['anthropic', 'google', 'bedrock', 'cohere', 'ollama', 'groq', 'xai', 'azure'])(
    'give %s the same request as settings of the request do',
    (vendor) => {
      const model = vendor === 'bedrock' ? 'anthropic.claude-opus-4-5-20251101-v1:0' : 'claude-opus-4-5'
      const set = encodedFor(vendor, model, { reasoning: { effort: 'high' }, text: { format: json }, input: [HELLO] })
      const updated = encodedFor(vendor, model, { input: [HELLO, effort('high'), format(json)] })
      expect(updated.body).toEqual(set.body)
      const own = (loss: string): string =>
        loss.replace(/^reasoning\./, 'input[1].reasoning.').replace(/^text\./, 'input[2].text.')
      expect(updated.losses).toEqual(expect.arrayContaining(set.losses.map(own)))
    },
  )

  it('have losses with their own paths', () => {
    const { losses } = encodedFor('deepseek', 'm', { input: [HELLO, effort('xhigh'), format(json)] })
    const paths = losses.map((loss) => loss.split(':')[0])
    expect(paths).toContain('input[1].reasoning.effort mapped')
    expect(paths).toContain('input[2].text.format.schema mapped')
  })

  it('stay in their places for OpenAI, beside the settings of the request', () => {
    const input = [HELLO, effort('high'), format(json)]
    const body = { reasoning: { effort: 'low' }, input }
    const passed = callOf('openai', 'gpt-6-sol', body, { passthrough: true })
    expect([passed.body.input, passed.body.reasoning, passed.losses]).toEqual([input, body.reasoning, []])
    const encoded = encodedFor('openai', 'gpt-6-sol', body)
    expect(encoded.body).toMatchObject({ reasoning: { effort: 'low' }, input: [{ role: 'user' }, ...input.slice(1)] })
    expect(encoded.losses).toEqual([])
  })

  it('make the text of an answer JSON, as a format of the request does', async () => {
    const partsOf = async (body: object): Promise<Loose> => {
      const upstream = { vendor: 'acme', wire: 'openai-chat', model: 'm' } as const
      const translator = createTranslator({ upstream: { ...upstream, baseUrl: 'https://upstream.invalid/v1' } })
      const call = translator.encodeRequest({ model: 'm', ...body })
      if (!call.ok) return expect.unreachable(call.error.message)
      const choices = [{ index: 0, message: { role: 'assistant', content: { a: 'b' } }, finish_reason: 'stop' }]
      return (await (await translator.toResponse(Response.json({ choices }), call)).json()) as Loose
    }
    const updated = await partsOf({ input: [HELLO, format(json)] })
    const set = await partsOf({ input: [HELLO], text: { format: json } })
    const plain = await partsOf({ input: [HELLO] })
    const textsOf = ({ output }: Loose) => output.map(({ content }: Loose) => content?.[0]?.text)
    expect(textsOf(updated)).toEqual(['{"a":"b"}'])
    expect(textsOf(set)).toEqual(textsOf(updated))
    expect(textsOf(plain)).not.toEqual(textsOf(updated))
  })

  it('are refused with the path of an unknown format', () => {
    const read = readRequest({ input: [format({ type: 'xml' }), HELLO] })
    expect(read.ok ? null : read.error.param).toBe('input[0].text.format.type')
  })

  it('lose an unknown effort', () => {
    const path = 'input[0].reasoning.effort'
    expect(readRequest({ input: [effort('huge'), HELLO] })).toMatchObject({ value: { losses: [{ path }] } })
  })
})
