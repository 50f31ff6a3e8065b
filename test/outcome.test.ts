import { describe, expect, it } from 'vitest'
import { DIALECTS } from '../src/dialects/registry.ts'
import { translate, translateBody } from '../src/engine.ts'
import { EMPTY_ECHO } from '../src/responses/echo.ts'
import { WIRES } from '../src/wires/registry.ts'

const head = { id: 'resp_x', created_at: 0, model: 'm', echo: EMPTY_ECHO }
const options = { wire: WIRES['openai-chat'], dialect: DIALECTS.openai, head }

const outcomeOf = (...payloads: readonly string[]) => {
  const translation = translate(options)
  for (const payload of payloads) translation.receive(new TextEncoder().encode(`data: ${payload}\n\n`))
  translation.end()
  return translation.outcome()
}

const chunk = (choice: object): string => JSON.stringify({ choices: [{ index: 0, ...choice }] })

describe('the outcome', () => {
  it('names a call that never got a name', () => {
    const call = { index: 0, id: 'a', function: { arguments: '{"a":1}' } }
    const said = outcomeOf(chunk({ delta: { tool_calls: [call] } }), chunk({ delta: {}, finish_reason: 'tool_calls' }))
    expect(said.losses).toEqual(['a call without a name'])
  })

  it('names a payload that is not JSON, between good ones', () => {
    const said = outcomeOf(chunk({ delta: { content: 'pay 1' } }), '{"choices":[', chunk({ finish_reason: 'stop' }))
    expect(said).toMatchObject({ status: 'completed', losses: ['a payload that is not a JSON object'] })
  })
})

describe('two calls in a body under one id', () => {
  it('stay two calls', () => {
    const calls = ['f', 'g'].map((name) => ({ id: 'a', function: { name, arguments: '{}' } }))
    const body = { choices: [{ message: { tool_calls: calls }, finish_reason: 'tool_calls' }] }
    const { response } = translateBody(options, JSON.stringify(body))
    expect(response.output).toMatchObject([
      { name: 'f', call_id: 'a', status: 'completed' },
      { name: 'g', call_id: 'call_x_1', status: 'completed' },
    ])
  })
})
