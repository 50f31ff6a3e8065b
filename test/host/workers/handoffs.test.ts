import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { recoverHandoffs } from '../../../src/host/workers/handoffs.ts'

/** A worker, and what happens to it and to its connections. */
function createWorker(hasOthers = true) {
  const sent: unknown[][] = []
  const answers: object[] = []
  const closed: number[] = []
  let disconnects = 0
  const child = Object.assign(new EventEmitter(), { send: (...args: unknown[]) => sent.push(args) })
  recoverHandoffs({ process: child as unknown as Worker['process'] }, () => hasOthers)
  child.on('internalMessage', (message: object) => void answers.push(message))
  child.on('disconnect', () => {
    disconnects += 1
  })
  return {
    child,
    sent,
    answers,
    closed,
    disconnects: () => disconnects,
    /** Sends a connection as `node:cluster` does, with these changes. */
    offer: (seq: number, changes: object = {}) =>
      child.send(
        { cmd: 'NODE_CLUSTER', act: 'newconn', key: 'a:80', seq, ...changes },
        { close: () => closed.push(seq) },
      ),
    confirm: (receipt: object) => child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ...receipt }),
    async end() {
      answers.length = 0
      child.emit('close')
      await nextTurn()
      await nextTurn()
    },
  }
}

const refusal = (ack: number) => ({ cmd: 'NODE_CLUSTER', ack, accepted: false })

describe('the connections of a worker that has ended', () => {
  it('go to another worker unless they were confirmed, those of each address', async () => {
    const { offer, confirm, end, answers, closed, disconnects } = createWorker()
    offer(1)
    offer(2, { key: 'a:81' })
    confirm({ ack: 1, accepted: true })
    offer(3)
    await end()
    expect([answers, closed]).toEqual([[refusal(2), refusal(3)], []])
    expect(disconnects()).toBe(1)
  })

  it('are closed if there is no other worker', async () => {
    const { offer, end, answers, closed } = createWorker(false)
    offer(1)
    await end()
    expect([answers, closed]).toEqual([[], [1]])
  })

  it('have no report of the end but that of Node, if it comes', async () => {
    const { child, end, disconnects } = createWorker()
    child.emit('disconnect')
    await end()
    expect(disconnects()).toBe(1)
  })
})

describe('a version of Node with other messages', () => {
  it('sends them as they are, and nothing is given to another worker', async () => {
    const { child, offer, end, sent, answers, closed } = createWorker()
    offer(1, { act: 'connection' })
    offer(2, { seq: undefined })
    child.send({ cmd: 'NODE_CLUSTER', act: 'newconn', seq: 3 })
    child.send('text', undefined, 'more')
    await end()
    expect(sent.map(([message]) => message)).toEqual([
      expect.objectContaining({ act: 'connection', seq: 1 }),
      expect.objectContaining({ act: 'newconn' }),
      expect.objectContaining({ seq: 3 }),
      'text',
    ])
    expect(sent.at(-1)).toEqual(['text', undefined, 'more'])
    expect([answers, closed]).toEqual([[], []])
  })

  it('leaves at most one connection of an address if its receipts have another form', async () => {
    const { offer, confirm, end, answers } = createWorker()
    for (let seq = 1; seq <= 1000; seq += 1) {
      offer(seq)
      confirm({ receipt: seq, accepted: true })
    }
    await end()
    expect(answers).toEqual([refusal(1000)])
  })
})
