import { expect, it } from 'vitest'
import { Cancellation } from '../../../src/gateway/cancellation.ts'
import { clientError } from '../../../src/protocol/error.ts'

const GONE = clientError('client_gone', 'Gone.')

it('an Abort calls each listener once, and keeps the first reason', () => {
  const abort = new Cancellation()
  const calls: string[] = []
  const forgotten = { onCancel: () => void calls.push('forgotten') }
  abort.listen({ onCancel: () => void calls.push('first') })
  abort.listen(forgotten)
  abort.listen({ onCancel: () => void calls.push(abort.aborted ? 'last' : 'too early') })
  abort.forget(forgotten)
  expect([abort.aborted, abort.reason]).toEqual([false, null])
  abort.abort(GONE)
  abort.abort(clientError('client_stalled', 'Stalled.'))
  abort.listen({ onCancel: () => void calls.push('too late') })
  expect(calls).toEqual(['first', 'last'])
  expect([abort.aborted, abort.reason]).toEqual([true, GONE])
})
