import { describe, expect, it } from 'vitest'
import { runSteps } from '../../src/text/steps.ts'
import { validateDecodedSteps, validateRequest, validateSteps } from '../../src/validation/request.ts'

const refusal = (body: unknown) => {
  const result = validateRequest(body)
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(result.request)}`)
  return result.error
}

const user = (...content: unknown[]) => ({ input: [{ role: 'user', content }] })
const call = { type: 'function', name: 'f' }

describe('refusals of a request', () => {
  const wrong: [string, unknown, string][] = [
    ['no object', null, 'body: expected an object, got null'],
    ['a list', [], 'body: expected an object, got a list'],
    ['no model', { input: 'a' }, 'model: expected a string, got nothing'],
    ['an empty model', { model: ' ', input: 'a' }, 'model: expected a string that is not empty, got ""'],
    ['no input', { model: 'm' }, 'input: expected a string or a list of input items, got nothing'],
    ['a number as input', { model: 'm', input: 4 }, 'input: expected a string or a list of input items, got 4'],
  ]
  it.each(wrong)('name the expected and the received value: %s', (_, body, message) => {
    expect(refusal(body).message).toBe(message)
  })

  const fields: [Record<string, unknown>, string, string][] = [
    [{ temperature: 2.1 }, 'temperature', 'expected at most 2, got 2.1'],
    [{ temperature: -1 }, 'temperature', 'expected at least 0, got -1'],
    [{ temperature: '1' }, 'temperature', 'expected a number, got "1"'],
    [{ top_p: 1.5 }, 'top_p', 'expected at most 1, got 1.5'],
    [{ max_output_tokens: 0 }, 'max_output_tokens', 'expected at least 1, got 0'],
    [{ max_output_tokens: 1.5 }, 'max_output_tokens', 'expected a whole number, got 1.5'],
    [{ top_logprobs: 21 }, 'top_logprobs', 'expected at most 20, got 21'],
    [{ stream: 'yes' }, 'stream', 'expected true or false, got "yes"'],
    [
      { reasoning: { effort: 'huge' } },
      'reasoning.effort',
      'expected one of none, minimal, low, medium, high, xhigh, max, got "huge"',
    ],
    [
      { service_tier: 'gold' },
      'service_tier',
      'expected one of auto, default, flex, priority, scale, fast, ultrafast, reserved, got "gold"',
    ],
    [
      { stream_options: { include_obfuscation: 1 } },
      'stream_options.include_obfuscation',
      'expected true or false, got 1',
    ],
    [{ include: 'reasoning.encrypted_content' }, 'include', 'expected a list, got "reasoning.encrypted_content"'],
    [{ parallel_tool_calls: 'no' }, 'parallel_tool_calls', 'expected true or false, got "no"'],
    [{ text: { verbosity: 'loud' } }, 'text.verbosity', 'expected one of low, medium, high, xhigh, max, got "loud"'],
    [{ truncation: 'some' }, 'truncation', 'expected one of auto, disabled, got "some"'],
    [{ metadata: { a: 1 } }, 'metadata.a', 'expected a string, got 1'],
    [
      { metadata: { ['k'.repeat(65)]: 'v' } },
      'metadata[a string of 65 characters]',
      'expected a key of at most 64 characters, got a string of 65 characters',
    ],
    [
      { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v'])) },
      'metadata',
      'expected at most 16 pairs, got 17',
    ],
    [{ plugins: {} }, 'plugins', 'expected a list, got an object'],
    [{ plugins: ['web'] }, 'plugins[0]', 'expected an object, got "web"'],
    [{ x_search_filter: [] }, 'x_search_filter', 'expected an object, got a list'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name', 'expected a string, got nothing'],
    [
      { tools: [{ name: 'f' }] },
      'tools[0].type',
      'expected one of function, custom, namespace, or the type of a server tool, got nothing',
    ],
    [{ tools: [{ ...call, parameters: [] }] }, 'tools[0].parameters', 'expected an object, got a list'],
    [{ tool_choice: 'any' }, 'tool_choice', 'expected auto, none, required or an object, got "any"'],
    [
      { tools: [call], tool_choice: { type: 'function', name: 'g' } },
      'tool_choice.name',
      'expected a tool that is in tools, got "g"',
    ],
    [{ text: { format: { type: 'json_schema', name: 'a' } } }, 'text.format.schema', 'expected an object, got nothing'],
    [
      { text: { format: { type: 'yaml' } } },
      'text.format.type',
      'expected one of text, json_object, json_schema, got "yaml"',
    ],
    [{ input: [4] }, 'input[0]', 'expected an object, got 4'],
    [
      { input: [{ content: 'a' }] },
      'input[0].type',
      'expected one of message, function_call, function_call_output, reasoning, or another type of item, got nothing',
    ],
    [
      { input: [{ role: 'tool', content: 'a' }] },
      'input[0].role',
      'expected one of user, assistant, system, developer, got "tool"',
    ],
    [
      { input: ['a', { role: 'user' }].map((content) => ({ role: 'user', content })) },
      'input[1].content',
      'expected a string or a list of content parts, got an object',
    ],
    [user({ type: 'input_text', text: 4 }), 'input[0].content[0].text', 'expected a string, got 4'],
    [
      user({ type: 'input_video' }),
      'input[0].content[0].type',
      'expected one of input_text, input_image, input_file, input_audio, got "input_video"',
    ],
    [
      user({ type: 'input_image', image_url: null }),
      'input[0].content[0].image_url',
      'expected the URL of an image, or a data: URL of it, got null',
    ],
    [
      user({ type: 'input_image', image_url: { url: 'https://a' } }),
      'input[0].content[0].image_url',
      'expected the URL of an image, or a data: URL of it, got an object',
    ],
    [user({ type: 'input_file' }), 'input[0].content[0]', 'expected one of file_data, file_url and file_id, got none'],
    [
      { input: [{ type: 'function_call', name: 'f', arguments: '' }] },
      'input[0].call_id',
      'expected a string, got nothing',
    ],
    [
      { input: [{ type: 'function_call_output', call_id: 'c' }] },
      'input[0].output',
      'expected a string or a list of content parts, got nothing',
    ],
  ]
  it.each(fields)('name path, expected and received value of %j', (more, place, what) => {
    const error = refusal({ model: 'm', input: 'a', ...more })
    expect(error).toMatchObject({ party: 'client', code: 'invalid_prompt', status: 400, param: place })
    expect(error.message).toBe(`${place}: ${what}`)
  })

  it.each([
    [{ store: true }, 'store'],
    [{ background: true }, 'background'],
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ conversation: 'conv_1' }, 'conversation'],
    [{ prompt: { id: 'pmpt_1' } }, 'prompt'],
    [{ input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0]'],
    [{ input: [{ id: 'msg_1' }] }, 'input[0]'],
  ])('state that this service stores nothing: %j', (more, place) => {
    const { code, param, status, message } = refusal({ model: 'm', input: 'a', ...more })
    expect({ param, status }).toEqual({ param: place, status: 400 })
    expect(code).toBe(place === 'previous_response_id' ? 'previous_response_not_found' : 'invalid_prompt')
    expect(message).toContain('this service stores n')
  })
})

it('the output of a tool without an id has the place of its item, in the body that a wire has decoded', () => {
  const unnamed = { stop: null, instruction_breakpoints: [], needs_sources: false, hides_reasoning: false }
  const input = [
    { role: 'user', content: 'Hi' },
    { type: 'function_call_output', output: 'ok' },
  ]
  const valid = runSteps(validateDecodedSteps({ model: 'm', input }, unnamed))
  expect(valid).toMatchObject({ ok: true, untranslatable: { param: 'input[1].call_id' } })
})

describe('a request that may reach its upstream as it was sent', () => {
  const read = (more: object) => runSteps(validateSteps({ model: 'm', input: 'a', ...more }, 'lenient', 'open'))

  it.each(['metadata', 'text', 'temperature'])('is no other request if %s is a list', (name) => {
    expect(read({ [name]: [] })).toMatchObject({ ok: true, untranslatable: { param: name } })
  })

  it('keeps the tools beside one that cannot be read', () => {
    const found = read({ tools: [{ type: 'function', name: 7 }, call] })
    expect(found).toMatchObject({
      ok: true,
      request: { tools: [{ type: 'hosted', name: 'unknown' }, call] },
      untranslatable: { param: 'tools[0].name' },
    })
  })
})
