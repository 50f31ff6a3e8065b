import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { openWorkerLink } from '../../../src/host/workers/worker-link.ts'

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
