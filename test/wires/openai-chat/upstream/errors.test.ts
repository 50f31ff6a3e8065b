import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeError, upstreamErrorOf } from '../../../../src/wires/openai-chat/errors.ts'
import { hideKeys } from '../../../../src/wires/redact.ts'
import { check } from '../../../property.ts'

describe('an HTTP error of an upstream', () => {
  it.each([
    [401, 502, 'upstream_authentication'],
    [402, 402, 'insufficient_quota'],
    [403, 502, 'upstream_authentication'],
    [404, 502, 'upstream_not_found'],
    [408, 504, 'upstream_timeout'],
    [409, 503, 'server_is_overloaded'],
    [418, 400, 'invalid_prompt'],
    [413, 413, 'request_too_large'],
    [429, 429, 'rate_limit_exceeded'],
    [500, 502, 'server_error'],
    [502, 502, 'server_error'],
    [503, 503, 'server_is_overloaded'],
    [504, 504, 'upstream_timeout'],
    [529, 503, 'server_is_overloaded'],
  ])('is decoded from HTTP %i without a body to the status %i and the code %s', (status, expected, code) => {
    expect(decodeError(status, {}, '')).toMatchObject({
      status: expected,
      code,
      message: `The upstream returned HTTP ${status} without a message.`,
    })
  })

  it.each([
    ['<html><head><title>502 Bad Gateway</title></head><body>…</body></html>', ' with a web page: 502 Bad Gateway'],
    ['<!DOCTYPE html><p>secret', ' with a web page'],
    ['  ', ' without a message'],
    ['{}', ' without a message'],
    ['{"error":null}', ' without a message'],
    ['[]', ' without a message'],
    ['["\ufeff "]', ' without a message'],
    ['{"error":{"message":" \\n"}}', ' without a message'],
    ['" "', ' without a message'],
  ])('has a message with only the readable text of the body %j', (body, rest) => {
    expect(decodeError(502, {}, body).message).toBe(`The upstream returned HTTP 502${rest}.`)
  })

  it.each([
    [
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      'context_length_exceeded',
    ],
    ['The model `x` does not exist', 'model_not_found'],
    ['bad thing', 'server_error'],
  ])('is decoded by its words where a gateway sends a refusal as its own failure: %s', (message, code) => {
    const body = JSON.stringify({ error: { type: 'invalid_request_error', message } })
    for (const status of [500, 502]) expect(decodeError(status, {}, body).code).toBe(code)
  })

  it('has plain text of the body as its message, cut at a whole character', () => {
    expect(decodeError(500, {}, 'upstream connect error\n').message).toBe('upstream connect error')
    expect(decodeError(500, {}, `${'a'.repeat(1999)}🙂🙂`).message).toBe(`${'a'.repeat(1999)}…`)
  })

  it.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '0.2' }, 1],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 2],
    [{ 'retry-after': 'Sun, 06 Nov 2026 08:49:37 GMT', date: 'Sun, 06 Nov 2026 08:49:07 GMT' }, 30],
    [{ 'retry-after': 'Sun, 06 Nov 2026 08:49:07 GMT', date: 'Sun, 06 Nov 2026 08:49:37 GMT' }, 0],
    [{ 'retry-after': 'Sun, 06 Nov 2026 08:49:37 GMT' }, null],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-1' }, null],
  ])('has with the headers %j a retry delay of %j seconds', (headers, seconds) => {
    expect(decodeError(429, headers, '{}').retryAfter).toBe(seconds)
  })

  it('has the retry delay that Google sends in the body', () => {
    const body = JSON.stringify({ error: { message: 'slow', details: [{ '@type': 'x' }, { retryDelay: '36s' }] } })
    expect(decodeError(429, {}, body).retryAfter).toBe(36)
  })

  it('never repeats a rejected key in its message', () => {
    const body = '{"error":{"message":"Incorrect API key provided: sk-proj-abc***wxyz.","code":"invalid_api_key"}}'
    expect(hideKeys(decodeError(401, {}, body)).message).not.toContain('abc')
  })

  it('is decoded from any body to a status from 400 to 599 and a message of bounded length', () => {
    const anything = fc.oneof(fc.json(), fc.string(), fc.constant(`${'['.repeat(50_000)}${']'.repeat(50_000)}`))
    check(
      fc.property(fc.integer({ min: 300, max: 700 }), anything, (status, body) => {
        const error = decodeError(status, {}, body)
        expect(error.status).toBeGreaterThanOrEqual(400)
        expect(error.status).toBeLessThan(600)
        expect(error.message).not.toBe('')
        expect(error.message.length).toBeLessThanOrEqual(2001)
      }),
    )
  })
})

describe('an error object in the answer of an upstream', () => {
  it.each([
    [{ code: 400, message: 'Token limit reached' }, 400, 'invalid_prompt', 'Token limit reached'],
    [
      { code: 429, message: 'Rate limit exceeded', metadata: { error_type: 'rate_limit_exceeded' } },
      429,
      'rate_limit_exceeded',
      'Rate limit exceeded',
    ],
    [{ object: 'error', message: 'Engine core died', code: 500 }, 502, 'server_error', 'Engine core died'],
    [
      { message: 'Tool choice is required', type: 'invalid_request_error', code: 'tool_use_failed', status_code: 400 },
      502,
      'server_error',
      'Tool choice is required',
    ],
    [{ detail: 'failed', error: { message: 'failed to decode' } }, 502, 'server_error', 'failed to decode'],
    [{ code: '503', message: 'busy' }, 503, 'server_is_overloaded', 'busy'],
    ['out of memory', 502, 'server_error', 'out of memory'],
    [{ type: 'overloaded_error' }, 503, 'server_is_overloaded', 'The upstream failed: overloaded_error.'],
    [null, 502, 'server_error', 'The upstream failed without a message.'],
    [{ message: '\u00a0 ', detail: 'busy' }, 502, 'server_error', 'busy'],
    [{ type: 'overloaded_error', message: ' ' }, 503, 'server_is_overloaded', 'The upstream failed: overloaded_error.'],
    [{ code: 'constructor', message: 'm' }, 502, 'server_error', 'm'],
  ])('is decoded to a status, a code and a message: %j', (error, status, code, message) => {
    expect(upstreamErrorOf(error)).toMatchObject({ party: 'upstream', status, code, message })
  })

  it('keeps the message of the upstream unchanged', () => {
    check(
      fc.property(
        fc.string().filter((text) => text.trim() !== ''),
        (message) => {
          expect(upstreamErrorOf({ message }).message).toBe(message)
          expect(upstreamErrorOf({ error: { message } }).message).toBe(message)
          expect(upstreamErrorOf(message).message).toBe(message)
        },
      ),
    )
  })
})
