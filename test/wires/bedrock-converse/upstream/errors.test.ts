import { describe, expect, it } from 'vitest'
import { decodeError, streamFailureOf } from '../../../../src/wires/bedrock-converse/errors.ts'
import { decodeBody } from '../../../../src/wires/bedrock-converse/upstream/stream.ts'
import { hideKeys } from '../../../../src/wires/redact.ts'
import { answerOf, deltasOf, frame, frameOf } from '../converses.ts'

const header = (type: string) => ({ 'x-amzn-errortype': type })

describe('an HTTP error of a bedrock-converse upstream', () => {
  it.each([
    [
      400,
      'ValidationException:http://internal.amazon.com/coral/com.amazon.bedrock/',
      'Bad field.',
      400,
      'invalid_prompt',
    ],
    [400, 'ValidationException', 'Input is too long for requested model.', 400, 'context_length_exceeded'],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 404, 'model_not_found'],
    [400, '', 'The provided model identifier is invalid.', 404, 'model_not_found'],
    [400, 'ServiceQuotaExceededException', 'Over the quota.', 429, 'insufficient_quota'],
    [403, 'AccessDeniedException', 'No access to the model.', 502, 'upstream_authentication'],
    [403, 'UnrecognizedClientException:', 'The token is invalid.', 502, 'upstream_authentication'],
    [403, '', 'The security token included in the request is expired', 502, 'upstream_authentication'],
    [404, 'ResourceNotFoundException', 'This model version has reached its end.', 404, 'model_not_found'],
    [408, 'ModelTimeoutException', 'Too slow.', 504, 'upstream_timeout'],
    [424, 'ModelErrorException', 'The model failed.', 502, 'server_error'],
    [424, '', 'The model failed.', 502, 'server_error'],
    [429, 'ThrottlingException', 'Too many requests.', 429, 'rate_limit_exceeded'],
    [429, 'ModelNotReadyException', 'The model is loading.', 503, 'server_is_overloaded'],
    [500, 'InternalServerException', 'Oh.', 502, 'server_error'],
    [503, 'ServiceUnavailableException', 'Later.', 503, 'server_is_overloaded'],
  ])('is decoded from %i %s "%s" to %i %s', (status, type, message, expected, code) => {
    const headers = type === '' ? {} : header(type)
    for (const body of [{ message }, { Message: message }]) {
      expect(decodeError(status, headers, JSON.stringify(body))).toMatchObject({
        party: 'upstream',
        status: expected,
        code,
        message: expect.stringContaining(message),
      })
    }
  })

  it('may have its type in the body, or no type', () => {
    const coral = '{"__type":"com.amazon.coral.service#ThrottlingException","message":"Slow."}'
    expect(decodeError(400, {}, coral)).toMatchObject({ status: 429, message: 'Slow.' })
    expect(decodeError(503, { 'retry-after': '7' }, '<html><title>Busy</title>')).toMatchObject({
      status: 503,
      retryAfter: 7,
      message: expect.stringContaining('Busy'),
    })
    expect(decodeError(500, header('InternalServerException'), '{}').message).toContain('500')
  })

  it('never contains what was signed, or a key', () => {
    const message =
      'The request signature we calculated does not match.\n\nThe Canonical String for this request should have been\n' +
      "'POST\n/model/m/converse\n\nx-amz-security-token:SECRET-TOKEN\n'"
    const error = decodeError(403, header('InvalidSignatureException'), JSON.stringify({ message }))
    expect(error.message).toBe('The request signature we calculated does not match.')
    const named = decodeError(403, {}, '{"message":"The key AKIAIOSFODNN7EXAMPLE is not active."}')
    expect(hideKeys(named).message).toBe('The key [key] is not active.')
  })
})

describe('an exception in a bedrock-converse stream', () => {
  it.each([
    ['internalServerException', {}, 502, 'server_error'],
    ['modelStreamErrorException', { originalStatusCode: 424 }, 502, 'server_error'],
    ['modelStreamErrorException', { originalStatusCode: 429 }, 429, 'rate_limit_exceeded'],
    ['modelStreamErrorException', { originalStatusCode: 503 }, 503, 'server_is_overloaded'],
    ['modelStreamErrorException', {}, 502, 'server_error'],
    ['throttlingException', {}, 429, 'rate_limit_exceeded'],
    ['validationException', {}, 400, 'invalid_prompt'],
    ['serviceUnavailableException', {}, 503, 'server_is_overloaded'],
    ['somethingNewException', {}, 502, 'server_error'],
    ['constructor', {}, 502, 'server_error'],
  ])('is decoded from %s %j to %i %s', (type, more, status, code) => {
    const error = streamFailureOf(type, JSON.stringify({ message: 'It broke.', ...more }))
    expect(error).toMatchObject({ status, code, message: 'It broke.' })
  })

  it("has the message of the model's own server", () => {
    const exception = { message: 'The model failed.', originalStatusCode: 500, originalMessage: 'Out of memory.' }
    expect(streamFailureOf('modelStreamErrorException', JSON.stringify(exception)).message).toBe(
      'The model failed. (Out of memory.)',
    )
  })

  it('fails the answer and keeps the content before it', () => {
    const exception = frame(':exception throttlingException', { message: 'Too many.' })
    expect(answerOf(exception)).toMatchObject({ status: 'failed', output: [], error: { message: 'Too many.' } })
    expect(answerOf(frameOf.text(0, 'Half'), exception)).toMatchObject({
      status: 'failed',
      error: { code: 'rate_limit_exceeded' },
      output: [{ status: 'incomplete', content: [{ text: 'Half' }] }],
    })
    const input = [frameOf.tool(0, 't', 'f'), frameOf.input(0, '{"a"'), exception]
    expect(answerOf(...input).output).toMatchObject([{ type: 'function_call', status: 'incomplete' }])
  })

  it('may be an error event, or an event without a payload', () => {
    const [failure] = deltasOf({ event: ':error InternalFailure', data: '{"message":"Oh no."}' })
    expect(failure).toMatchObject({ kind: 'error', error: { code: 'server_error', message: 'Oh no.' } })
    const [bare] = deltasOf({ event: ':exception', data: 'no JSON' })
    expect(bare).toMatchObject({ kind: 'error', error: { message: expect.stringMatching(/./) } })
  })
})

describe('an error of a bedrock-converse upstream with status 200', () => {
  it.each([
    [{ message: 'Not like this.' }, 'Not like this.'],
    [{ __type: 'com.amazon.coral.service#ThrottlingException', message: 'Slow.' }, 'Slow.'],
    [{ Output: { __type: 'com.amazon.coral.service#UnknownOperationException' } }, 'unknownOperationException'],
  ])('is decoded from the body %j', (body, message) => {
    expect(decodeBody(body, {})).toMatchObject([
      { kind: 'error', error: { message: expect.stringContaining(message) } },
    ])
  })
})
