import type { ClientMessage } from './client-message.ts'
import type { Outlet } from './socket-reply.ts'

/**
 * Refuses input for a response that is being created, which no upstream over HTTP accepts, by the events that the
 * protocol has for it. Returns false for any other message.
 */
export function refuseSteering({ type, fields }: ClientMessage, outlet: Outlet): boolean {
  const refusal =
    type === 'response.steer' ? steerFailed(fields) : type === 'response.inject' ? injectFailed(fields) : null
  if (refusal !== null) outlet.send(JSON.stringify({ ...refusal, sequence_number: 0 }))
  return refusal !== null
}

type Fields = ClientMessage['fields']

const steerFailed = ({ input = [], previous_response_id = '' }: Fields) => ({
  type: 'response.steer.failed',
  error: {
    type: 'invalid_request_error',
    code: 'steering_not_supported',
    message: 'Steering is not supported. Send the input in a response.create when the response has ended.',
  },
  steer: { input, previous_response_id },
})

const injectFailed = ({ input = [], response_id = '' }: Fields) => ({
  type: 'response.inject.failed',
  error: {
    code: 'response_not_found',
    message: 'Injection is not supported. Send the input in a response.create when the response has ended.',
  },
  input,
  response_id,
})
