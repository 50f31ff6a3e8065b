import { describe, expect, it } from 'vitest'
import type { KnownWire } from '../../../src/wires/contract.ts'
import { WIRES } from '../../../src/wires/registry.ts'

const tooLong = (param: string, code = 'string_above_max_length'): object => ({
  error: { message: `Invalid '${param}': string too long.`, type: 'invalid_request_error', param, code },
})
const pydantic = (...loc: readonly (string | number)[]): object => ({
  detail: [{ type: 'string_too_long', loc: ['body', ...loc], msg: 'String should have at most 64 characters' }],
})

/** The chat wire and the one of Responses have the codes of OpenAI; all wires read the same formats. */
const CODED: readonly KnownWire[] = [WIRES['openai-chat'], WIRES['openai-responses']]

describe.each(CODED)('a text that is too long over $name', (wire) => {
  const errorOf = (body: object, status = 400) => wire.decodeError(status, {}, JSON.stringify(body))

  it.each([
    ['tools[25].function.name', tooLong('tools[25].function.name')],
    ['input[149].call_id', tooLong('input[149].call_id')],
    ['input[3].id', tooLong('input[3].id', 'string_too_long')],
    ['user', tooLong('user')],
    ['prompt_cache_key', tooLong('prompt_cache_key')],
    ['metadata.session', tooLong('metadata.session')],
    ['tools[0].function.name', pydantic('tools', 0, 'function', 'name')],
    ['messages[2].tool_calls[0].id', pydantic('messages', 2, 'tool_calls', 0, 'id')],
  ])('is a fault of the field %s, and no long conversation', (param, body) => {
    expect(errorOf(body)).toMatchObject({ status: 400, code: 'invalid_prompt', param })
  })

  it.each(['input', 'messages', 'input[3].content[0].text', 'messages[1].content', 'instructions', 'input[2].output'])(
    'is a long conversation if the field is %s',
    (param) => {
      expect(errorOf(tooLong(param))).toMatchObject({ code: 'context_length_exceeded', param: null })
    },
  )

  it('is a long conversation if no field is named', () => {
    expect(errorOf({ error: { message: 'string too long', code: 'string_above_max_length' } })).toMatchObject({
      code: 'context_length_exceeded',
    })
  })
})

/** Bedrock names faults in a header, and no fields. */
const NAMING = Object.values<KnownWire>(WIRES).filter(({ name }) => name !== 'bedrock-converse')

describe.each(NAMING)('a refused request over $name', (wire) => {
  it('has the path that the vendor names, unless it is a text', () => {
    const refused = (param: string) =>
      wire.decodeError(400, {}, JSON.stringify({ error: { message: 'Unknown parameter.', param } })).param
    expect(refused('tools[0].strict')).toBe('tools[0].strict')
    expect(refused('the whole prompt, with its words')).toBeNull()
  })

  it('has the texts of details inside the message', () => {
    const body = {
      object: 'error',
      message: { detail: [{ type: 'missing', loc: ['body', 'user'], msg: 'Field required' }] },
    }
    expect(wire.decodeError(422, {}, JSON.stringify(body))).toMatchObject({ message: 'Field required', param: 'user' })
  })
})

it.each([
  ['1302', 429, 'rate_limit_exceeded'],
  ['DataInspectionFailed', 400, 'content_filter'],
  ['data_inspection_failed', 400, 'content_filter'],
])('the code %s of a chat vendor is %i, %s', (code, status, expected) => {
  const error = WIRES['openai-chat'].decodeError(400, {}, JSON.stringify({ error: { code, message: 'No.' } }))
  expect([error.status, error.code]).toEqual([status, expected])
})
