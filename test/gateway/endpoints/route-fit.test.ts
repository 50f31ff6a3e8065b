import { expect, it } from 'vitest'
import { shownOf } from '../../../src/gateway/endpoints/route-fit.ts'
import { upstreamError } from '../../../src/protocol/error.ts'

/** After several routes, a client receives one failure: a conversation that is too long for one of them hides no other. */

const TOO_LONG = upstreamError('context_length_exceeded', 'Too long.', 400)
const BUSY = upstreamError('server_is_overloaded', 'Busy.', 503)
const BROKEN = upstreamError('server_error', 'Broken.', 500)
const LONGER = { ...TOO_LONG, message: 'Too long as well.' }

it.each([
  ['the only one', null, BUSY, BUSY],
  ['the only one, which is the length', null, TOO_LONG, TOO_LONG],
  ['the last of several faults', BROKEN, BUSY, BUSY],
  ['the first fault, although the conversation is too long for the last route', BUSY, TOO_LONG, BUSY],
  ['the length, if the route that the client asked for has it', TOO_LONG, BUSY, TOO_LONG],
  ['the last of several lengths', TOO_LONG, LONGER, LONGER],
])('shows %s', (_, first, last, shown) => {
  expect(shownOf(first, last)).toBe(shown)
})
