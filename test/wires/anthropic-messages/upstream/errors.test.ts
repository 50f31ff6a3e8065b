import { describe, expect, it } from 'vitest'
import { anthropicMessages } from '../../../../src/wires/anthropic-messages/index.ts'
import { hideKeys } from '../../../../src/wires/redact.ts'
import { answerOf, answerOfBody, deltasOf, start, stop, textBlock } from '../events.ts'

const { decodeError } = anthropicMessages
const failure = (type: string, message = 'Something went wrong') => ({ type: 'error', error: { type, message } })

// biome-ignore format: a row a case
const WORDS: [number, string, string, string, number][] = [
  [400, 'invalid_request_error', 'max_tokens: Field required', 'invalid_prompt', 400],
  [400, 'invalid_request_error', 'prompt is too long: 250000 tokens > 200000 maximum', 'context_length_exceeded', 400],
  [400, 'invalid_request_error', 'input length and `max_tokens` exceed context limit: 9 + 9 > 9', 'context_length_exceeded',
    400],
  [400, 'invalid_request_error', 'messages.1.content.0: Invalid `signature` in `thinking` block', 'invalid_encrypted_content',
    400],
  [400, 'invalid_request_error', 'messages.1.content.0: Invalid `data` in `redacted_thinking` block',
    'invalid_encrypted_content', 400],
  [400, 'invalid_request_error', '`thinking` blocks in the latest assistant message cannot be modified',
    'invalid_encrypted_content', 400],
  [400, 'invalid_request_error', 'Your credit balance is too low', 'insufficient_quota', 429],
  [400, 'invalid_request_error', 'Output blocked by content filtering policy', 'content_filter', 400],
  [401, 'authentication_error', 'invalid x-api-key', 'upstream_authentication', 502],
  [403, 'permission_error', 'no', 'upstream_authentication', 502],
  [404, 'not_found_error', 'model: nobody', 'model_not_found', 404],
  [413, 'request_too_large', 'too large', 'request_too_large', 413],
  [429, 'rate_limit_error', 'slowly', 'rate_limit_exceeded', 429],
  [500, 'api_error', 'Internal server error', 'server_error', 502],
  [504, 'timeout_error', 'late', 'upstream_timeout', 504],
  [529, 'overloaded_error', 'Overloaded', 'server_is_overloaded', 503],
]

describe('failures of an anthropic-messages upstream', () => {
  it.each(WORDS)('are decoded from HTTP %i %s: %s', (status, type, message, code, expectedStatus) => {
    const expected = { party: 'upstream', code, status: expectedStatus, message }
    expect(decodeError(status, {}, JSON.stringify(failure(type, message)))).toMatchObject(expected)
    // The same error inside an answer of status 200, where no status shows its meaning.
    const [error] = deltasOf([failure(type, message)])
    expect(error).toMatchObject({ kind: 'error', error: expected })
  })

  it.each([500, 502])('a refusal that a gateway sends with the status %i is decoded as one', (status) => {
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block'
    expect(decodeError(status, {}, JSON.stringify(failure('invalid_request_error', message)))).toMatchObject({
      code: 'invalid_encrypted_content',
      status: 400,
    })
  })

  it('have the delay of the header retry-after', () => {
    expect(decodeError(429, { 'retry-after': '7' }, JSON.stringify(failure('rate_limit_error'))).retryAfter).toBe(7)
  })

  it('never contain the rejected key', () => {
    const error = decodeError(
      401,
      {},
      JSON.stringify(failure('authentication_error', 'invalid key sk-ant-api03-abcdefgh')),
    )
    expect(hideKeys(error).message).not.toContain('api03')
  })

  it('keep the text that arrived before them', () => {
    const response = answerOf([start(), ...textBlock(0, 'A'), failure('overloaded_error', 'Overloaded')])
    expect(response).toMatchObject({ status: 'failed', error: { code: 'server_is_overloaded', message: 'Overloaded' } })
    expect(response.output).toMatchObject([{ content: [{ text: 'A' }] }])
  })

  it('are not undone by later events', () => {
    expect(answerOf([start(), failure('api_error'), ...textBlock(0, 'A'), ...stop('end_turn')]).status).toBe('failed')
  })

  it('fail the response as its first event', () => {
    expect(answerOf([failure('overloaded_error')])).toMatchObject({ status: 'failed', output: [] })
  })

  it('fail the response as a whole body', () => {
    expect(answerOfBody(failure('overloaded_error'))).toMatchObject({
      status: 'failed',
      error: { code: 'server_is_overloaded' },
    })
  })

  it('are decoded from an error event that is not JSON', () => {
    const machine = anthropicMessages.decodeStream({})
    const { events } = machine.step(machine.initial, { event: 'error', data: 'upstream connect error' })
    expect(events).toMatchObject([{ kind: 'error', error: { message: 'upstream connect error' } }])
  })

  it('are decoded from a web page and from an error without a type', () => {
    expect(decodeError(500, {}, '<html><title>Bad day</title></html>').message).toContain('Bad day')
    expect(deltasOf([{ error: { message: 'no type at all' } }])).toMatchObject([
      { error: { message: 'no type at all' } },
    ])
  })
})
