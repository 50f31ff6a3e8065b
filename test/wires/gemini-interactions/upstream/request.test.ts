import { describe, expect, it } from 'vitest'
import { MISSING_SIGNATURE } from '../../../../src/wires/shared/upstream/answers/missing-signature.ts'
import { encode, type Fields, inputOf, refused, sealedHere } from '../requests.ts'

const fn = { type: 'function', name: 'f' }
const user = (text: string) => ({ type: 'user_input', content: [{ type: 'text', text }] })
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{"a":1}' }
const output = { type: 'function_call_output', call_id: 'c1', output: 'done' }
const SIGNED = { type: 'thought', signature: MISSING_SIGNATURE }
const CALLED = { type: 'function_call', id: 'c1', name: 'f', arguments: { a: 1 } }
const reasoning = (payload: unknown, summary: readonly string[] = []) => ({
  type: 'reasoning',
  summary: summary.map((text) => ({ type: 'summary_text', text })),
  encrypted_content: sealedHere(payload),
})
const configOf = (fields: Fields, model?: string) => encode({ input: 'Hi', ...fields }, model).body.generation_config

describe('a gemini-interactions request', () => {
  it('stores nothing, and names the model without a collection', () => {
    const { path, body } = encode({ input: 'Hi', stream: true }, 'models/gemini-3-pro')
    expect(path).toBe('/interactions')
    expect(body).toEqual({ model: 'gemini-3-pro', input: [user('Hi')], store: false, stream: true })
  })

  it('has all instructions as one text', () => {
    const input = [
      { role: 'system', content: 'B' },
      { role: 'user', content: 'Hi' },
      { role: 'developer', content: 'C' },
    ]
    const { body, losses } = encode({ input, instructions: 'A' })
    expect(body.system_instruction).toBe('A\n\nB\n\nC')
    expect(losses).toEqual(['input[2] mapped'])
    expect(encode({ input: [{ role: 'system', content: 'B' }] }).body.input).toEqual([user('B')])
  })
})

describe('the input of a gemini-interactions request', () => {
  it('has images, files and sounds by their data or address', () => {
    const content = [
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
      { type: 'input_image', image_url: 'https://a.example/a.jpg' },
      { type: 'input_file', file_data: 'data:application/pdf;base64,JVBE', filename: 'a.pdf' },
      { type: 'input_file', file_url: 'https://a.example/a.mp4' },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    ]
    const { body, losses } = encode({ input: [{ role: 'user', content }] })
    expect(body.input[0].content).toEqual([
      { type: 'image', data: 'AAAA', mime_type: 'image/png', resolution: 'low' },
      { type: 'image', uri: 'https://a.example/a.jpg', mime_type: 'image/jpeg' },
      { type: 'document', data: 'JVBE', mime_type: 'application/pdf' },
      { type: 'video', uri: 'https://a.example/a.mp4', mime_type: 'video/mp4' },
      { type: 'audio', data: 'AAAA', mime_type: 'audio/wav' },
    ])
    expect(losses).toEqual(['input[0].content[2].filename dropped'])
  })

  it('has calls and their results as steps, behind the accepted substitute of a signature', () => {
    const result = { type: 'function_result', call_id: 'c1', name: 'f', result: 'done' }
    expect(inputOf(['Hi', call, output].map((it) => (it === 'Hi' ? { role: 'user', content: it } : it)))).toEqual([
      user('Hi'),
      SIGNED,
      CALLED,
      result,
    ])
  })

  it('has results of all calls of a turn together, before what follows', () => {
    const second = { ...call, call_id: 'c2' }
    const types = inputOf([
      { role: 'user', content: 'Hi' },
      call,
      second,
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: 'x' },
          { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
        ],
      },
      { role: 'user', content: 'And?' },
      output,
    ]).map(({ type, id, call_id: callId }) => `${type} ${id ?? callId ?? ''}`.trim())
    expect(types).toEqual([
      'user_input',
      'thought',
      'function_call c1',
      'function_call c2',
      'function_result c1',
      'function_result c2',
      'user_input',
    ])
  })

  it('rejects an output without its call', () => {
    expect(refused({ input: [{ role: 'user', content: 'Hi' }, output] }).param).toBe('input[1].call_id')
  })

  it('sends signed thoughts, calls and steps back where they were', () => {
    const steps = [
      { type: 'google_search_call', id: 's', arguments: { queries: ['q'] }, signature: 'c2ln' },
      { type: 'google_search_result', call_id: 's', result: [], signature: 'ZA==' },
    ]
    const { body, losses } = encode({
      input: [
        { role: 'user', content: 'Hi' },
        reasoning({ on: 'thought', signature: 'dA==' }, ['Hm.']),
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] },
        { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } },
        reasoning({ on: 'steps', steps }),
        reasoning({ on: 'call', id: 'c1', signature: 'Yw==' }),
        call,
        output,
      ],
    })
    expect(body.input.slice(1, -1)).toEqual([
      { type: 'thought', signature: 'dA==', summary: [{ type: 'text', text: 'Hm.' }] },
      { type: 'model_output', content: [{ type: 'text', text: 'Well.' }] },
      ...steps,
      { ...CALLED, signature: 'Yw==' },
    ])
    expect(losses).toEqual([])
  })

  it('drops reasoning of others, damaged envelopes, and items of tools that it cannot send back', () => {
    const { body, losses } = encode({
      input: [
        { role: 'user', content: 'Hi' },
        { type: 'reasoning', summary: [], encrypted_content: 'gAAAAAB' },
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
        reasoning({ on: 'thought', signature: '' }),
        reasoning({ on: 'call', id: 'gone', signature: 'c2ln' }),
        { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'q' } },
        { role: 'user', content: 'And?' },
      ],
    })
    expect(body.input).toEqual([user('Hi'), user('And?')])
    expect(losses).toEqual([1, 2, 3, 4, 5].map((at) => `input[${at}] dropped`))
  })

  it('sends a generated image back', () => {
    const image = { type: 'image_generation_call', status: 'completed', result: '/9j/AAAA' }
    expect(inputOf([{ role: 'user', content: 'Draw' }, image]).at(-1)).toEqual({
      type: 'model_output',
      content: [{ type: 'image', data: '/9j/AAAA', mime_type: 'image/jpeg' }],
    })
  })
})

describe('the tools of a gemini-interactions request', () => {
  it.each([
    ['auto', 'auto'],
    ['required', 'any'],
    ['none', 'none'],
    [{ type: 'function', name: 'f' }, { allowed_tools: { mode: 'any', tools: ['f'] } }],
  ])('have the choice %j', (choice, expected) => {
    expect(configOf({ tools: [fn], tool_choice: choice })).toEqual({ tool_choice: expected })
  })

  it('have no choice without functions, and no tools of Google with none', () => {
    expect(configOf({ tools: [{ type: 'web_search' }], tool_choice: 'auto' })).toBeUndefined()
    const { body } = encode({ input: 'Hi', tools: [fn, { type: 'web_search' }], tool_choice: 'none' })
    expect(body.tools).toEqual([fn])
    expect(refused({ input: 'Hi', tools: [{ type: 'web_search' }], tool_choice: 'required' }).param).toBe('tool_choice')
  })

  it('of Google and of MCP servers are sent in its form', () => {
    const mcp = { type: 'mcp', server_label: 'my-sums', server_url: 'https://mcp.example/', require_approval: 'never' }
    const { body, losses } = encode({
      input: 'Hi',
      tools: [
        { type: 'web_search' },
        { type: 'code_interpreter', container: { type: 'auto' } },
        { ...mcp, authorization: 'k', allowed_tools: ['add'] },
        { ...mcp, require_approval: 'always' },
        { type: 'file_search', vector_store_ids: ['v'] },
      ],
    })
    expect(body.tools).toEqual([
      { type: 'google_search' },
      { type: 'code_execution' },
      {
        type: 'mcp_server',
        name: 'my_sums',
        url: 'https://mcp.example/',
        headers: { authorization: 'Bearer k' },
        allowed_tools: [{ mode: 'auto', tools: ['add'] }],
      },
    ])
    expect(losses).toEqual(['tools[2].server_label mapped', 'tools[3] dropped', 'tools[4] dropped'])
  })

  it('of Google are left out beside functions for models before Gemini 3', () => {
    const tools = [fn, { type: 'web_search' }]
    expect(encode({ input: 'Hi', tools }, 'gemini-2.5-flash').losses).toEqual(['tools[1] dropped'])
    expect(encode({ input: 'Hi', tools }).losses).toEqual([])
  })

  it('have schemas that Google’s parser accepts', () => {
    const parameters = {
      type: 'object',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
        required: { type: 'string' },
      },
      required: [],
      default: { required: [] },
    }
    const { body, losses } = encode({ input: 'Hi', tools: [{ ...fn, parameters }] })
    expect(body.tools[0].parameters).toEqual({
      type: 'object',
      properties: {
        pair: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
        required: { type: 'string' },
      },
      default: { required: [] },
    })
    expect(losses).toEqual(['tools[0].parameters mapped'])
  })
})

describe('the configuration of a gemini-interactions request', () => {
  it.each([
    ['low', undefined, { thinking_level: 'low', thinking_summaries: 'auto' }, []],
    ['none', undefined, { thinking_level: 'minimal' }, ['reasoning.effort mapped']],
    ['xhigh', undefined, { thinking_level: 'high', thinking_summaries: 'auto' }, ['reasoning.effort mapped']],
    ['medium', 'gemini-3-pro', { thinking_level: 'high', thinking_summaries: 'auto' }, ['reasoning.effort mapped']],
  ])('has the level of the effort %s', (effort, model, expected, losses) => {
    const encoded = encode({ input: 'Hi', reasoning: { effort } }, model)
    expect(encoded.body.generation_config).toEqual(expected)
    expect(encoded.losses).toEqual(losses)
  })

  it('has summaries and limits only if they are requested', () => {
    expect(configOf({ reasoning: { summary: 'auto' } })).toEqual({ thinking_summaries: 'auto' })
    expect(configOf({})).toBeUndefined()
    expect(configOf({ max_output_tokens: 5, temperature: 1, top_p: 0.5 })).toEqual({
      max_output_tokens: 5,
      temperature: 1,
      top_p: 0.5,
    })
  })

  it('has the format of the text and the tier beside it', () => {
    const schema = { type: 'object' }
    const format = { type: 'json_schema', name: 'n', schema }
    const base = { type: 'text', mime_type: 'application/json' }
    expect(encode({ input: 'Hi', text: { format } }).body.response_format).toEqual({ ...base, schema })
    expect(encode({ input: 'Hi', text: { format: { type: 'json_object' } } }).body.response_format).toEqual(base)
    expect(encode({ input: 'Hi', service_tier: 'flex' }).body.service_tier).toBe('flex')
    expect(encode({ input: 'Hi', service_tier: 'default' }).body.service_tier).toBeUndefined()
  })

  it('loses what the protocol does not have', () => {
    const fields = { presence_penalty: 1, top_logprobs: 2, metadata: { a: 'b' }, truncation: 'auto' }
    expect(encode({ input: 'Hi', ...fields }).losses.sort()).toEqual([
      'metadata dropped',
      'presence_penalty dropped',
      'top_logprobs dropped',
      'truncation dropped',
    ])
  })
})
