import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { type Sent, sentBy } from '../sent-by.ts'

const HI = { role: 'user', content: 'Hi' }
const BUDGET = { type: 'enabled', budget_tokens: 2000 }

const messages = (model: string, settings: object, more: readonly object[] = []): Sent =>
  sentBy('anthropic-messages', 'anthropic', model, { max_tokens: 8000, messages: [HI, ...more], ...settings })

describe('an effort of a passed Messages request', () => {
  const effort = (level: string) => ({ output_config: { effort: level } })

  it.each<[model: string, asked: object, sent: object, losses: readonly string[]]>([
    ['claude-opus-4-5', effort('high'), effort('high'), []],
    ['claude-opus-4-5', effort('max'), effort('high'), ['output_config.effort mapped']],
    ['claude-opus-4-5', { ...effort('low'), thinking: BUDGET }, { ...effort('low'), thinking: BUDGET }, []],
    [
      'claude-opus-4-5',
      { ...effort('max'), thinking: BUDGET },
      { ...effort('high'), thinking: BUDGET },
      ['output_config.effort mapped'],
    ],
    ['claude-sonnet-4-5', effort('high'), {}, ['output_config.effort dropped']],
    ['claude-haiku-4-5', effort('low'), {}, ['output_config.effort dropped']],
    ['claude-3-5-haiku-latest', effort('low'), {}, ['output_config.effort dropped']],
    [
      'claude-sonnet-4-5',
      { ...effort('high'), thinking: BUDGET },
      { thinking: BUDGET },
      ['output_config.effort dropped'],
    ],
    [
      'claude-sonnet-4-5',
      { ...effort('low'), thinking: { type: 'disabled' } },
      { thinking: { type: 'disabled' } },
      ['output_config.effort dropped'],
    ],
    [
      'claude-opus-4-6',
      { ...effort('xhigh'), temperature: 0.2 },
      { ...effort('high'), temperature: 0.2 },
      ['output_config.effort mapped'],
    ],
    [
      'claude-sonnet-4-6',
      { ...effort('xhigh'), thinking: { type: 'adaptive' } },
      { ...effort('high'), thinking: { type: 'adaptive' } },
      ['output_config.effort mapped'],
    ],
    [
      'claude-opus-4-6',
      { ...effort('xhigh'), thinking: BUDGET },
      { ...effort('high'), thinking: BUDGET },
      ['output_config.effort mapped'],
    ],
    [
      'claude-opus-4-6',
      { ...effort('xhigh'), thinking: { type: 'disabled' } },
      { ...effort('high'), thinking: { type: 'disabled' } },
      ['output_config.effort mapped'],
    ],
    ['claude-opus-4-8', effort('xhigh'), effort('xhigh'), []],
    [
      'claude-opus-5',
      { ...effort('max'), thinking: { type: 'disabled' } },
      { ...effort('high'), thinking: { type: 'disabled' } },
      ['output_config.effort mapped'],
    ],
    [
      'claude-haiku-5-5',
      { ...effort('xhigh'), thinking: { type: 'disabled' } },
      { ...effort('high'), thinking: { type: 'disabled' } },
      ['output_config.effort mapped'],
    ],
    [
      'claude-opus-5',
      { ...effort('max'), thinking: { type: 'adaptive' } },
      { ...effort('max'), thinking: { type: 'adaptive' } },
      [],
    ],
  ])('has only another level, and turns nothing on: %s %j', (model, asked, sent, losses) => {
    const { body, losses: found, edits } = messages(model, asked)
    expect(edits).not.toBeNull()
    expect(body).toEqual({ model, max_tokens: 8000, messages: [HI], ...sent })
    expect(found).toEqual(losses)
  })

  const TOOL = { name: 'files.read', input_schema: { type: 'object', properties: {} } }

  it('turns nothing on where the request is carried, or where Bedrock has the model', () => {
    const carried = messages('claude-opus-4-6', { ...effort('high'), temperature: 0.2, tools: [TOOL] })
    expect(carried.edits).toBeNull()
    expect(carried.body).toMatchObject({ ...effort('high'), temperature: 0.2 })
    expect(carried.body).not.toHaveProperty('thinking')
    const old = messages('claude-haiku-4-5', { ...effort('high'), temperature: 0.2, tools: [TOOL] })
    expect(old.body).toMatchObject({ temperature: 0.2 })
    expect(old.losses).toContain('output_config.effort dropped')
    const asked = { max_tokens: 8000, messages: [HI], ...effort('high'), temperature: 0.2 }
    const at = (model: string) => sentBy('anthropic-messages', 'bedrock', model, asked)
    expect(at('anthropic.claude-opus-4-6-v1').body.additionalModelRequestFields).toEqual(effort('high'))
    expect(at('anthropic.claude-opus-4-5-v1').body).not.toHaveProperty('additionalModelRequestFields')
    expect(at('anthropic.claude-opus-4-5-v1').losses).toEqual(['output_config.effort dropped'])
  })

  it('turns reasoning on where the model always or usually reasons', () => {
    expect(
      sentBy('anthropic-messages', 'openai', 'gpt-5.2', { max_tokens: 8000, messages: [HI], ...effort('high') }).body,
    ).toMatchObject({ reasoning: { effort: 'high' } })
  })
})

describe('a form of reasoning that a passed Messages request has', () => {
  const form = (type: string) => ({ thinking: { type } })

  it.each([
    ['claude-sonnet-5-5', form('between_tools'), form('between_tools'), 0],
    ['claude-opus-5-5', form('between_tools'), { thinking: { type: 'adaptive', display: 'summarized' } }, 1],
    ['claude-opus-4-8', { thinking: BUDGET }, { thinking: { type: 'adaptive', display: 'summarized' } }, 1],
    ['claude-opus-4-6', { thinking: BUDGET }, { thinking: BUDGET }, 0],
  ])('is one that %s accepts, and another one is a loss', (model, asked, sent, losses) => {
    const got = messages(model, asked)
    expect(got.body).toMatchObject(sent)
    expect(got.losses).toHaveLength(losses)
  })
})

describe('a turn that the model goes on with', () => {
  const PREFILL = { role: 'assistant', content: 'The answer is' }
  const THOUGHT = { type: 'thinking', thinking: 'Hm', signature: 'c2ln' }
  const SIGNED = { role: 'assistant', content: [THOUGHT, { type: 'text', text: 'The answer is' }] }

  it('has no budget where Claude would refuse it, and keeps the other settings', () => {
    const { body, losses } = messages('claude-sonnet-4-5', { thinking: BUDGET, temperature: 0.2 }, [PREFILL])
    expect(body).toEqual({ model: 'claude-sonnet-4-5', max_tokens: 8000, messages: [HI, PREFILL], temperature: 0.2 })
    expect(losses).toEqual(['thinking.budget_tokens dropped'])
  })

  it('keeps its budget behind signed reasoning, which goes where reasoning is off', () => {
    expect(messages('claude-sonnet-4-5', { thinking: BUDGET }, [SIGNED]).body).toMatchObject({ thinking: BUDGET })
    const off = messages('claude-sonnet-4-5', {}, [SIGNED])
    expect(JSON.stringify(off.body.messages)).not.toContain('thinking')
    expect(off.losses).toHaveLength(1)
  })

  it.each([
    ['anthropic', 'claude-sonnet-4-5'],
    ['bedrock', 'us.anthropic.claude-sonnet-4-5-v1:0'],
  ])('has no budget of a chat client at %s, and keeps its temperature', (vendor, model) => {
    const asked = { messages: [HI, PREFILL], reasoning_effort: 'high', temperature: 0.2 }
    const { body, losses } = sentBy('openai-chat', vendor, model, asked)
    expect(JSON.stringify(body)).not.toContain('budget_tokens')
    expect(JSON.stringify(body)).toContain('"temperature":0.2')
    expect(losses).toEqual(['reasoning_effort dropped'])
  })
})

describe('an effort that a model has in the Responses API alone', () => {
  it.each([
    ['openai', 'max', []],
    ['openai-chat', 'xhigh', ['reasoning_effort mapped']],
  ])('is sent to %s as %s', (vendor, sent, losses) => {
    const asked = { messages: [HI], reasoning_effort: 'max' }
    const { body, losses: found } = sentBy('openai-chat', vendor, 'gpt-5.6', asked)
    expect(vendor === 'openai' ? (body.reasoning as JsonObject).effort : body.reasoning_effort).toBe(sent)
    expect(found).toEqual(losses)
  })
})

describe('a limit below the smallest budget', () => {
  it.each([
    ['anthropic', 'claude-sonnet-4-5'],
    ['bedrock', 'us.anthropic.claude-sonnet-4-5-v1:0'],
  ])('is raised by it at %s', (vendor, model) => {
    const asked = { messages: [HI], max_completion_tokens: 900, reasoning_effort: 'high', temperature: 0.3 }
    const { body, losses } = sentBy('openai-chat', vendor, model, asked)
    expect(JSON.stringify(body)).toContain('"budget_tokens":1024')
    expect(JSON.stringify(body)).toMatch(/"max_?[tT]okens":1924/)
    expect(losses).toEqual(['temperature dropped', 'max_completion_tokens mapped'])
  })
})

it('a passed request obeys a rule that depends on its conversation', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }
  const history = [
    HI,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: 'ok' },
  ]
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }]
  const { body, edits } = sentBy('openai-chat', 'deepseek', 'deepseek-v4-pro', { messages: history, tools })
  expect(edits).toContain('refused settings')
  expect(body.thinking).toEqual({ type: 'disabled' })
})

describe('a level beside a budget of a passed Gemini request', () => {
  const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]
  const sent = (model: string, generationConfig: object) =>
    sentBy('gemini-generate', 'google', model, { contents, generationConfig })

  it.each([
    ['gemini-3.8-flash', { thinkingLevel: 'LOW' }, 'thinkingBudget'],
    ['gemini-2.5-flash', { thinkingBudget: 2000 }, 'thinkingLevel'],
  ])('leaves the form of %s', (model, kept, gone) => {
    const { body, losses } = sent(model, { thinkingConfig: { thinkingLevel: 'LOW', thinkingBudget: 2000 } })
    expect(body.generationConfig).toEqual({ thinkingConfig: kept })
    expect(losses).toEqual([`generationConfig.thinkingConfig.${gone} dropped`])
  })

  it('is left out under the names that the client has', () => {
    const config = { generation_config: { thinking_config: { thinking_level: 'low', thinking_budget: 2000 } } }
    const { body } = sentBy('gemini-generate', 'google', 'gemini-3.8-flash', { contents, ...config })
    expect(body.generation_config).toEqual({ thinking_config: { thinking_level: 'low' } })
  })
})
