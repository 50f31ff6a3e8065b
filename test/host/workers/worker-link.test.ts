import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import type { UpstreamNotice } from '../../../src/gateway/upstream/upstream-guard.ts'
import { openWorkerLink } from '../../../src/host/workers/worker-link.ts'

it('a worker sends the others what it has noticed about an upstream, and hears what they have noticed', () => {
  const channel = Object.assign(new EventEmitter(), { send: (message: unknown) => void sent.push(message) })
  const sent: unknown[] = []
  const heard: unknown[] = []
  const { group } = openWorkerLink(channel)
  const notice = { upstream: { vendor: 'acme', member: null } } as unknown as UpstreamNotice
  group.onNoticed((one) => void heard.push(one))
  group.share(notice)
  expect(sent).toEqual([{ kind: 'noticed', notice }])
  channel.emit('message', sent[0])
  expect(heard).toEqual([notice])
})

it.each([[[false]], [[true]], [[false, true]]])(
  'a stop that is ordered while the worker starts is carried out when it listens: %j',
  (orders) => {
    const channel = new EventEmitter()
    const link = openWorkerLink(channel)
    for (const isAtOnce of orders) channel.emit('message', { kind: 'stop', isAtOnce })
    const stops: boolean[] = []
    link.follow({ reload: () => undefined, stop: (isAtOnce) => void stops.push(isAtOnce) })
    expect(stops).toEqual(orders.slice(-1))
    channel.emit('message', { kind: 'stop', isAtOnce: true })
    expect(stops).toEqual([...orders.slice(-1), true])
  },
)
