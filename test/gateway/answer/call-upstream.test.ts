import { expect, it } from 'vitest'
import { callUpstream } from '../../../src/gateway/answer/call-upstream.ts'
import type { Deliverer } from '../../../src/gateway/answer/open-turns.ts'
import type { Prepared } from '../../../src/gateway/call/prepare-request.ts'
import type { RequestContext } from '../../../src/gateway/exchange/request-context.ts'

it('opens the answer in the turn after the request was sent, and rejects with an exception of it', async () => {
  const steps: string[] = []
  const bug = new Error('The answer cannot be opened.')
  const prepared = {
    call: { json: {}, stream: true, isLarge: false, onWritten: () => undefined },
    source: () => {
      steps.push('sent')
      return new Promise(() => undefined)
    },
    get options() {
      steps.push('opened')
      throw bug
    },
  } as unknown as Prepared
  const guarded = { isProbe: false, started: () => undefined, end: () => undefined, cancel: () => undefined }
  const call = { guarded, failure: null }
  const exchange = { gateway: {} as Deliverer, prepared, context: {} as RequestContext, further: null, call }
  const called = callUpstream(exchange, () => undefined)
  await Promise.resolve()
  expect(steps).toEqual(['sent'])
  await expect(called).rejects.toBe(bug)
  expect(steps).toEqual(['sent', 'opened'])
})
