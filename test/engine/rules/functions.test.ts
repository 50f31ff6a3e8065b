import { describe, expect, it } from 'vitest'
import { sentBy } from '../sent-by.ts'

const named = (name: string, strict: boolean) => ({
  type: 'function',
  name,
  strict,
  parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
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
})
