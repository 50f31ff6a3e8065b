import { describe, expect, it } from 'vitest'
import { createTranslator } from '../../src/index.ts'
import { toEcho } from '../../src/responses/echo.ts'
import { encodedFor, readRequest, routedTo } from './encoded-call.ts'

/** Words and limits of openai 7.57. */

const to = (body: object) => encodedFor('openai', 'gpt-5.5', body)

describe('a request in the words of the newest client', () => {
  it.each(['auto', 'default', 'flex', 'scale', 'priority', 'fast', 'ultrafast'])('may have service_tier %s', (tier) => {
    expect(readRequest({ service_tier: tier }).ok).toBe(true)
  })

  it('passes service_tier ultrafast on', () => {
    expect(to({ service_tier: 'ultrafast' }).body.service_tier).toBe('ultrafast')
  })

  it('may have a safety_identifier of 128 characters', () => {
    const safety_identifier = 'x'.repeat(128)
    expect(to({ safety_identifier }).body.safety_identifier).toBe(safety_identifier)
    expect(readRequest({ safety_identifier: `${safety_identifier}x` })).toMatchObject({
      value: { losses: [{ path: 'safety_identifier', action: 'dropped' }] },
    })
  })

  it.each(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])('may have the effort %s', (effort) => {
    expect(readRequest({ reasoning: { effort } }).ok).toBe(true)
  })

  it('has losses of a summary under the name that the client sent', () => {
    const lossesOf = (reasoning: object) => encodedFor('groq', 'm', { reasoning }).losses.join()
    expect(lossesOf({ generate_summary: 'concise' })).toContain('reasoning.generate_summary dropped')
    expect(lossesOf({ generate_summary: 'concise', summary: 'auto' })).toContain('reasoning.summary ')
  })

  it('may request a summary of the reasoning by its older name', () => {
    const summaryOf = (reasoning: object) => to({ reasoning }).body.reasoning.summary
    expect(summaryOf({ generate_summary: 'concise' })).toBe('concise')
    expect(summaryOf({ generate_summary: 'concise', summary: 'detailed' })).toBe('detailed')
    expect(readRequest({ reasoning: { generate_summary: 'all' } })).toMatchObject({
      value: { losses: [{ path: 'reasoning.generate_summary', action: 'dropped' }] },
    })
  })

  const INCLUDE = [
    'file_search_call.results',
    'web_search_call.results',
    'web_search_call.action.sources',
    'message.input_image.image_url',
    'computer_call_output.output.image_url',
    'code_interpreter_call.outputs',
    'reasoning.encrypted_content',
    'message.output_text.logprobs',
  ]

  it('includes all eight parts of an answer', () => {
    const { body, losses } = encodedFor('openai', 'gpt-4.1', {
      include: INCLUDE.filter((name) => !/encrypted/.test(name)),
    })
    expect([...body.include].sort()).toEqual(INCLUDE.filter((name) => !/encrypted/.test(name)).sort())
    expect(losses).toEqual([])
  })

  it.each([
    ['anthropic', []],
    ['google', []],
    ['bedrock', ['include[5]']],
    ['cohere', ['include[5]']],
    ['ollama', ['include[5]']],
    ['groq', ['include[5]']],
  ])('loses the parts that %s has no equivalent of', (vendor, outputsOfCode) => {
    const { losses } = encodedFor(vendor, 'm', { include: INCLUDE })
    const paths = losses.flatMap((loss) => (/^include\[\d\]/.exec(loss) === null ? [] : [loss.slice(0, 10)]))
    expect(paths.sort()).toEqual(['include[0]', 'include[3]', 'include[4]', ...outputsOfCode])
  })
})

describe('the choice of a tool of an MCP server', () => {
  const tools = ['docs', 'crm'].map((server_label) => ({ type: 'mcp', server_label, server_url: 'https://a.example' }))
  const choice = { type: 'mcp', server_label: 'docs', name: 'look' }

  it('reaches the upstream and the response with its label and its name', () => {
    const { body, losses } = to({ tools, tool_choice: choice })
    expect(body.tool_choice).toEqual(choice)
    expect(losses).toEqual([])
    expect(toEcho(routedTo('openai', 'gpt-5.5', { tools, tool_choice: choice }).client.request).tool_choice).toEqual(
      choice,
    )
  })

  it('narrows allowed_tools to the server of that label, or to all servers without a label', () => {
    const allowed = (entry: object) =>
      to({ tools, tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [entry] } })
    expect(allowed({ type: 'mcp', server_label: 'crm' }).body.tools).toEqual([tools[1]])
    expect(allowed({ type: 'mcp' }).body.tools).toEqual(tools)
    expect(() => allowed({ type: 'mcp', server_label: 'none' })).toThrow('tool_choice.tools[0]')
  })

  it('may be that of programs', () => {
    const program = { type: 'programmatic_tool_calling' }
    const { body } = to({ tools: [program], tool_choice: program })
    expect([body.tools, body.tool_choice]).toEqual([[program], program])
  })
})

it.each([true, false])(
  'the details of a refused answer are lost with its body, passed through: %s',
  async (passthrough) => {
    const error = { code: 'misalignment_policy_violation', message: 'No.', misalignment: { error_type: 'x' } }
    const losses: (readonly string[])[] = []
    const upstream = { vendor: 'openai', model: 'gpt-6', passthrough }
    const translator = createTranslator({ upstream, onOutcome: (outcome) => void losses.push(outcome.losses) })
    const call = translator.encodeRequest({ model: 'm', input: 'Hi' })
    if (!call.ok) return expect.unreachable(call.error.message)
    const body = { id: 'resp_1', object: 'response', status: 'failed', model: 'gpt-6', output: [], error }
    const answer = await translator.toResponse(Response.json(body), call)
    expect([answer.status, await answer.text()]).toEqual([400, expect.not.stringContaining('error_type')])
    expect(losses).toEqual([['error.misalignment']])
  },
)
