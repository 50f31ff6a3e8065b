import { describe, expect, it } from 'vitest'
import { decodeError } from '../../../../src/wires/gemini-interactions/errors.ts'

const body = (code: unknown, message = 'The words.') => JSON.stringify({ error: { code, message } })

describe('an HTTP error of a gemini-interactions upstream', () => {
  it.each([
    [401, 'authentication', 502, 'upstream_authentication'],
    [403, 'permission_denied', 502, 'upstream_authentication'],
    [402, 'payment_required', 402, 'insufficient_quota'],
    [429, 'quota_exceeded', 429, 'insufficient_quota'],
    [429, 'rate_limit_exceeded', 429, 'rate_limit_exceeded'],
    [429, 'too_many_requests', 429, 'rate_limit_exceeded'],
    [404, 'model_not_found', 404, 'model_not_found'],
    [400, 'invalid_request', 400, 'invalid_prompt'],
    [400, 'parameter_unknown', 400, 'invalid_prompt'],
    [400, 'prohibited_content', 400, 'content_filter'],
    [400, 'image_safety', 400, 'content_filter'],
    [400, 'missing_thought_signature', 400, 'invalid_encrypted_content'],
    [503, 'service_unavailable', 503, 'server_is_overloaded'],
    [504, 'deadline_exceeded', 504, 'upstream_timeout'],
    [500, 'api_error', 502, 'server_error'],
    [501, 'unimplemented', 502, 'server_error'],
    [400, 400, 400, 'invalid_prompt'],
    [503, 503, 503, 'server_is_overloaded'],
  ])('is decoded from HTTP %i %s to %i %s', (status, code, expected, word) => {
    const framed = `event: error\ndata: ${body(code)}\n\n`
    for (const text of [body(code), `[${body(code)}]`, framed])
      expect(decodeError(status, {}, text)).toMatchObject({ status: expected, code: word, message: 'The words.' })
  })

  it('names a damaged signature and a prompt that is too long by their messages', () => {
    const damaged = decodeError(400, {}, body('invalid_request', 'Corrupted thought signature.'))
    expect(damaged).toMatchObject({ status: 400, code: 'invalid_encrypted_content' })
    const long = 'The input token count is 1200001 but model only supports up to 1048576.'
    expect(decodeError(400, {}, body('invalid_request', long)).code).toBe('context_length_exceeded')
    expect(decodeError(400, {}, body('invalid_request', 'API key not valid.')).code).toBe('upstream_authentication')
  })
})
