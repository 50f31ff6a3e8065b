import { describe, expect, it } from 'vitest'
import { clientError, gatewayError, upstreamError } from '../../src/protocol/error.ts'
import { toErrorBody } from '../../src/protocol/error-body.ts'

describe('the error body of a failure', () => {
  it.each([
    [clientError('invalid_prompt', 'model: missing', 'model'), 'invalid_request_error', 'model'],
    [clientError('unauthorized', 'no key', null, 401), 'authentication_error', null],
    [clientError('forbidden', 'no', null, 403), 'permission_error', null],
    [clientError('not_found', 'no', null, 404), 'not_found_error', null],
    [clientError('request_too_large', 'no', null, 413), 'invalid_request_error', null],
    [upstreamError('rate_limit_exceeded', 'slow', 429), 'rate_limit_error', null],
    [gatewayError('server_error', 'oops'), 'server_error', null],
    [upstreamError('server_error', 'oops'), 'upstream_error', null],
    [upstreamError('server_is_overloaded', 'busy', 503), 'overloaded_error', null],
    [upstreamError('upstream_timeout', 'late', 504), 'timeout_error', null],
  ])('has the code, message, type and param of %j', (error, type, param) => {
    const { code, message } = error
    expect(toErrorBody(error)).toEqual({ error: { code, message, type, param }, metadata: null })
  })

  it('contains the request id if it is known', () => {
    const body = toErrorBody(gatewayError('server_error', 'oops'), 'req_1')
    expect(body).toMatchObject({ error: { request_id: 'req_1' }, metadata: null })
  })
})
