import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { runSteps } from '../../../../src/text/steps.ts'
import { validateRequest } from '../../../../src/validation/request.ts'
import { decodeRequest } from '../../../../src/wires/gemini-generate/client/request.ts'
import { jsonOf } from '../../../arbitraries/json.ts'
import { check } from '../../../property.ts'
import { testClientRequests } from '../../request-cases.ts'
import { decoded, FOREIGN_ENVELOPE, HI, HOME, passedOn, user } from '../clients.ts'
import { REQUESTS } from './requests.ts'

testClientRequests(REQUESTS)

describe('response schemas of a Gemini request', () => {
  it('may have properties with the names of schema keywords', () => {
    const properties = { my_name: { type: 'STRING' }, any_of: { type: 'STRING' }, __proto__x: { type: 'STRING' } }
    const generationConfig = { responseMimeType: 'application/json', responseSchema: { type: 'OBJECT', properties } }
    const { schema } = decoded({ generationConfig }).body.text.format
    expect(Object.keys(schema.properties)).toEqual(Object.keys(properties))
  })
})

describe('parts of the user in a Gemini request', () => {
  it('return to Google with their type, which its own URLs do not contain', () => {
    const parts = [{ fileData: { mimeType: 'application/pdf', fileUri: 'https://x.example/v1beta/files/1' } }]
    expect(passedOn([user(...parts)])[0].parts).toEqual(parts)
  })
})

// biome-ignore format: one line, as they are read
const NAMES = [
  'contents', 'role', 'parts', 'text', 'thought', 'thoughtSignature', 'functionCall', 'functionResponse', 'name', 'args', 'id',
  'response', 'inlineData', 'fileData', 'mimeType', 'data', 'fileUri', 'executableCode', 'toolCall', 'tools', 'toolConfig',
  'functionDeclarations', 'parameters', 'parametersJsonSchema', 'googleSearch', 'functionCallingConfig', 'mode', 'type',
  'allowedFunctionNames', 'generationConfig', 'temperature', 'stopSequences', 'responseSchema', 'responseMimeType', 'items',
  'properties', 'nullable', 'thinkingConfig', 'thinkingBudget', 'labels', 'system_instruction', 'generation_config', 'anyOf',
] as const

describe('a random request of a Gemini client', () => {
  const anyJson = jsonOf(NAMES, ['user', 'model', 'STRING', 'OBJECT', 'ANY', 'mr1.x', 'application/json', 'image/png'])
  const fieldsOf = (names: readonly string[]) =>
    fc.dictionary(fc.constantFrom(...names), anyJson, { maxKeys: 4, noNullPrototype: true })
  const part = fieldsOf([
    'text',
    'thought',
    'thoughtSignature',
    'functionCall',
    'functionResponse',
    'inlineData',
    'toolCall',
  ])
  const content = fc.record({
    role: fc.constantFrom('user', 'model', 'function'),
    parts: fc.array(part, { maxLength: 4 }),
  })
  const request = fc.oneof(
    fieldsOf(NAMES),
    fc.record({ contents: fc.array(content, { minLength: 1, maxLength: 4 }), generationConfig: fieldsOf(NAMES) }),
    fc.record({
      contents: fc.constant([HI]),
      tools: fc.array(fieldsOf(NAMES), { maxLength: 3 }),
      toolConfig: fieldsOf(NAMES),
    }),
  )

  it('never throws and is decoded to a valid request or to an error of the client', () => {
    check(
      fc.property(request, fc.constantFrom(HOME, FOREIGN_ENVELOPE), (body, asking) => {
        const result = runSteps(decodeRequest(body as unknown as JsonObject, asking))
        if (result.ok) {
          const validated = validateRequest(result.body)
          expect(validated.ok ? '' : validated.error.message).toBe('')
        } else expect(result.error).toMatchObject({ party: 'client', param: expect.any(String) })
      }),
      2000,
    )
  })
})
