import { describe, expect, it } from 'vitest'
import { sentBy } from '../sent-by.ts'

const named = (name: string, strict: boolean) => ({
  type: 'function',
  name,
  strict,
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
})

/** The arguments of a call in the history, as a vendor receives them whose chat template parses them. */
function argumentsSent(given: string) {
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: given }
  const input = ['Hi', call, { type: 'function_call_output', call_id: 'c', output: 'a' }]
  const items = input.map((item) => (typeof item === 'string' ? { role: 'user', content: item } : item))
  const { body, losses } = sentBy('openai', 'deepseek', 'deepseek-chat', { input: items })
  const messages = body.messages as readonly { readonly tool_calls?: readonly { readonly function: object }[] }[]
  const own = losses.filter((loss) => loss.startsWith('input'))
  return { losses: own, call: messages.flatMap(({ tool_calls }) => tool_calls ?? [])[0]?.function }
}

describe('the arguments of a call in the history', () => {
  it.each([
    ['"ls"', 'ls'],
    ['""', ''],
    ['5', '5'],
    ['null', 'null'],
    ['["a"]', '["a"]'],
    ['ls {', 'ls {'],
    ['{"a":', '{"a":'],
  ])('that are no object are sent as the member input of one: %s', (given, input) => {
    const { call, losses } = argumentsSent(given)
    expect(call).toEqual({ name: 'f', arguments: JSON.stringify({ input }) })
    expect(losses).toEqual(['input[1].arguments mapped'])
  })

  it.each([
    ['', '{}'],
    [' ', '{}'],
    ['{ "a": 1 }', '{ "a": 1 }'],
  ])('that are an object or nothing are sent without a loss: %j', (given, sent) => {
    expect(argumentsSent(given)).toEqual({ call: { name: 'f', arguments: sent }, losses: [] })
  })
})

describe('the functions of a request', () => {
  it('of one name are sent once, and the repeated one is a loss', () => {
    const tools = [named('f', false), named('g', false), named('f', false)]
    const { body, losses } = sentBy('openai', 'cerebras', 'gpt-oss-120b', { input: 'Hi', tools })
    expect(body.tools).toMatchObject([{ function: { name: 'f' } }, { function: { name: 'g' } }])
    expect(losses).toContain('tools[2] dropped')
  })

  it.each([
    [
      [true, false],
      [false, false],
    ],
    [
      [true, true],
      [true, true],
    ],
    [
      [false, false],
      [false, false],
    ],
  ])('that are strict (%j) are sent as %j to a vendor that refuses strict ones beside others', (given, sent) => {
    const tools = given.map((strict, at) => named(`f${at}`, strict))
    const { body } = sentBy('openai', 'cerebras', 'gpt-oss-120b', { input: 'Hi', tools })
    const received = body.tools as readonly { readonly function: { readonly strict?: boolean } }[]
    expect(received.map((tool) => tool.function.strict === true)).toEqual(sent)
  })

  /** Two strict functions with so many properties together. */
  const bound = (count: number, property: object, isRequired: boolean) =>
    ['f', 'g'].map((name) => {
      const names = Array.from({ length: count / 2 }, (_, at) => `p${at}`)
      const properties = Object.fromEntries(names.map((one) => [one, property]))
      const parameters = { type: 'object', properties, required: isRequired ? names : [], additionalProperties: false }
      return { ...named(name, true), parameters }
    })

  it.each([
    ['24 optional properties', 24, { type: 'string' }, false],
    ['16 unions', 16, { anyOf: [{ type: 'string' }, { type: 'null' }] }, true],
  ])('bind Claude with %s together, and with no more', (_, most, property, isRequired) => {
    const strictSent = (count: number): readonly boolean[] => {
      const tools = bound(count, property, isRequired)
      const { body } = sentBy('openai', 'anthropic', 'claude-sonnet-4-5', { input: 'Hi', tools })
      return (body.tools as readonly { readonly strict?: boolean }[]).map(({ strict }) => strict === true)
    }
    expect(strictSent(most)).toEqual([true, true])
    expect(strictSent(most + 2)).toEqual([true, false])
  })
})
