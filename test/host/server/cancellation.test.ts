import { expect, it } from 'vitest'
import { Cancellation } from '../../../src/host/cancellation.ts'
import { clientError } from '../../../src/protocol/error.ts'

const GONE = clientError('client_gone', 'Gone.')

it('an Abort calls each listener once, and keeps the first reason', () => {
  const abort = new Cancellation()
  const told: string[] = []
  const forgotten = (): void => void told.push('forgotten')
  abort.listen(() => void told.push('first'))
  abort.listen(forgotten)
  abort.listen(() => void told.push(abort.aborted ? 'last' : 'too early'))
  abort.forget(forgotten)
  expect([abort.aborted, abort.reason]).toEqual([false, null])
  abort.abort(GONE)
  abort.abort(clientError('client_stalled', 'Stalled.'))
  abort.listen(() => void told.push('too late'))
  expect(told).toEqual(['first', 'last'])
  expect([abort.aborted, abort.reason]).toEqual([true, GONE])
})
