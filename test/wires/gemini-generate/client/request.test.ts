import { describe, expect, it } from 'vitest'
import { testClientRequests } from '../../request-cases.ts'
import { decoded, passedOn, user } from '../clients.ts'
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
