import { describe, expect, it } from 'vitest'
import { decodeError, upstreamErrorOf } from '../../../../src/wires/gemini-generate/errors.ts'

const body = (code: number, status: string, message = 'The words.', details?: unknown) =>
  JSON.stringify({ error: { code, message, status, ...(details === undefined ? {} : { details }) } })

describe('an HTTP error of a gemini-generate upstream', () => {
  it.each([
    [400, 'INVALID_ARGUMENT', 400, 'invalid_prompt'],
    [400, 'FAILED_PRECONDITION', 400, 'invalid_prompt'],
    [401, 'UNAUTHENTICATED', 502, 'upstream_authentication'],
    [403, 'PERMISSION_DENIED', 502, 'upstream_authentication'],
    [404, 'NOT_FOUND', 404, 'model_not_found'],
    [429, 'RESOURCE_EXHAUSTED', 429, 'rate_limit_exceeded'],
    [499, 'CANCELLED', 502, 'server_error'],
    [500, 'INTERNAL', 502, 'server_error'],
    [503, 'UNAVAILABLE', 503, 'server_is_overloaded'],
    [504, 'DEADLINE_EXCEEDED', 504, 'upstream_timeout'],
  ])('is decoded from HTTP %i %s to %i %s', (code, status, expected, word) => {
    for (const text of [body(code, status), `[${body(code, status)}]`, `[${body(code, status)}\n]\n`]) {
      expect(decodeError(code, {}, text)).toMatchObject({ status: expected, code: word, message: 'The words.' })
    }
  })

  it("blames the operator's key if the key is wrong", () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }]
    const expected = { status: 502, code: 'upstream_authentication' }
    expect(decodeError(400, {}, body(400, 'INVALID_ARGUMENT', 'API key not valid.', details))).toMatchObject(expected)
    expect(decodeError(400, {}, `[${body(400, 'INVALID_ARGUMENT', 'API key not valid.', details)}]`)).toMatchObject(
      expected,
    )
  })

  it('is context_length_exceeded for a prompt that is too long', () => {
    const message = 'The input token count (1200001) exceeds the maximum number of tokens allowed (1048576).'
    expect(decodeError(400, {}, body(400, 'INVALID_ARGUMENT', message)).code).toBe('context_length_exceeded')
  })

  it('has the retry delay of its details', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '36.4s' }]
    const text = body(429, 'RESOURCE_EXHAUSTED', 'Quota.', details)
    expect(decodeError(429, {}, text).retryAfter).toBe(37)
    expect(decodeError(429, {}, `[${text}]`).retryAfter).toBe(37)
  })
})

describe('an error object in a gemini-generate answer', () => {
  it.each([
    [{ code: 503, message: 'm', status: 'UNAVAILABLE' }, 'server_is_overloaded'],
    [{ code: 499, message: 'm', status: 'CANCELLED' }, 'server_error'],
    [{ code: 429, message: 'm' }, 'rate_limit_exceeded'],
    [{ message: 'm', status: 'constructor' }, 'server_error'],
    ['m', 'server_error'],
  ])('is decoded to a code and a message from %j', (error, code) => {
    expect(upstreamErrorOf(error)).toMatchObject({ party: 'upstream', code, message: 'm' })
  })
})
