import { describe, expect, it } from 'vitest'
import { authorize } from '../../../../src/wires/openai-chat/upstream/request.ts'
import { user } from '../../hub-requests.ts'
import { quirksOf, testUpstreamRequests } from '../../request-cases.ts'
import { messagesOf } from '../chats.ts'
import { REQUESTS } from './requests.ts'

testUpstreamRequests(REQUESTS)

describe('the key of a chat request', () => {
  it.each([
    ['openai-chat', { authorization: 'Bearer k' }],
    ['azure-chat', { 'api-key': 'k' }],
  ])('is sent in the header that %s expects', (vendor, headers) => {
    expect(authorize('k', quirksOf(vendor))).toEqual(headers)
  })
})

it('a request to Mistral has documents by URL and bare audio', () => {
  const file = { type: 'input_file', filename: 'a.pdf', file_url: 'https://a/a.pdf' }
  const sound = { type: 'input_audio', input_audio: { data: 'AA==', format: 'mp3' } }
  expect(messagesOf([user([file, sound])], quirksOf('mistral'))).toEqual([
    user([
      { type: 'document_url', document_url: 'https://a/a.pdf', document_name: 'a.pdf' },
      { type: 'input_audio', input_audio: 'AA==' },
    ]),
  ])
})
