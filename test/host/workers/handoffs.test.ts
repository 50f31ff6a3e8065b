import type { Worker } from 'node:cluster'
import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createHandoffs, type Handoffs } from '../../../src/host/workers/handoffs.ts'

/** A worker, and what happens to it and to its connections. */
function createWorker(handoffs: Handoffs = createHandoffs(), accepts = false) {
  const sent: unknown[][] = []
  const answers: object[] = []
  const closed: number[] = []
  let disconnects = 0
  let isAccepting = accepts
  const child = Object.assign(new EventEmitter(), { send: (...args: unknown[]) => sent.push(args) })
  const { noteClosed } = handoffs.add({ process: child as unknown as Worker['process'] }, () => isAccepting)
  child.on('internalMessage', (message: object) => void answers.push(message))
  child.on('disconnect', () => {
    disconnects += 1
  })
  /** Sends a connection as `node:cluster` does, with these changes. */
  const offer = (seq: number, changes: object = {}): unknown =>
    child.send({ cmd: 'NODE_CLUSTER', act: 'newconn', key: 'a:80', seq, ...changes }, { close: () => closed.push(seq) })
  const confirm = (receipt: object): unknown => child.emit('internalMessage', { cmd: 'NODE_CLUSTER', ...receipt })
  return {
    child,
    sent,
    answers,
    closed,
    disconnects: () => disconnects,
    offer,
    confirm,
    noteClosed,
    /** The numbers of the connections that it has got. */
    got: () => sent.map(([message]) => (message as { readonly seq: number }).seq),
    accept(isSo: boolean) {
      isAccepting = isSo
    },
    async end() {
      answers.length = 0
      child.emit('close')
      await nextTurn()
      await nextTurn()
    },
  }
}

type TestWorker = ReturnType<typeof createWorker>

/** The worker receives these connections. */
function take({ offer, confirm }: TestWorker, seqs: readonly number[]): void {
  for (const ack of seqs) {
    offer(ack)
    confirm({ ack, accepted: true })
  }
}

/** A worker beside another one, which has more connections. */
function besideAnother(): TestWorker {
  const handoffs = createHandoffs()
  const other = createWorker(handoffs)
  take(other, [101, 102, 103, 104, 105])
  other.accept(true)
  return createWorker(handoffs)
}

const refusal = (ack: number) => ({ cmd: 'NODE_CLUSTER', ack, accepted: false })

describe('the connections of a worker that has ended', () => {
  it('go to another worker unless they were confirmed, those of each address', async () => {
    const { offer, confirm, end, answers, closed, disconnects } = besideAnother()
    offer(1)
    offer(2, { key: 'a:81' })
    confirm({ ack: 1, accepted: true })
    offer(3)
    await end()
    expect([answers, closed]).toEqual([[refusal(2), refusal(3)], []])
    expect(disconnects()).toBe(1)
  })

  it('are closed if there is no other worker', async () => {
    const { offer, end, answers, closed } = createWorker()
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

  it('are those that it has got in place of another one, too', async () => {
    const handoffs = createHandoffs()
    const [busy, idle] = [createWorker(handoffs, true), createWorker(handoffs)]
    take(busy, [1, 2])
    idle.accept(true)
    busy.offer(3)
    await idle.end()
    expect(idle.answers).toEqual([refusal(3)])
  })
})

describe('the next connection', () => {
  const twoWorkers = (): readonly [TestWorker, TestWorker] => {
    const handoffs = createHandoffs()
    return [createWorker(handoffs), createWorker(handoffs)]
  }

  it('goes to the worker with the fewest open ones, whichever was to have it', () => {
    const [first, second] = twoWorkers()
    take(first, [1, 2, 3])
    for (const worker of [first, second]) worker.accept(true)
    for (const seq of [4, 5, 6]) {
      first.offer(seq)
      second.confirm({ ack: seq, accepted: true })
    }
    // As many as the other one.
    take(first, [7])
    expect([first.got(), second.got()]).toEqual([
      [1, 2, 3, 7],
      [4, 5, 6],
    ])
    first.noteClosed(3)
    second.offer(8)
    expect(first.got()).toEqual([1, 2, 3, 7, 8])
  })

  it('does not go to a worker that has not confirmed the last one, is not ready, or has refused one', () => {
    const [first, second] = twoWorkers()
    take(first, [1, 2, 3])
    take(first, [4])
    second.accept(true)
    first.offer(5)
    take(first, [6])
    second.confirm({ ack: 5, accepted: false })
    take(first, [7])
    expect([first.got(), second.got()]).toEqual([[1, 2, 3, 4, 6, 7], [5]])
  })
})

describe('a burst of connections', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** A worker with ten connections, and one with none that has not confirmed the first of the burst. */
  const busyAndNew = (): readonly [TestWorker, TestWorker] => {
    const handoffs = createHandoffs()
    const [busy, fresh] = [createWorker(handoffs), createWorker(handoffs)]
    take(busy, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    for (const worker of [busy, fresh]) worker.accept(true)
    fresh.offer(11)
    busy.offer(12)
    return [busy, fresh]
  }

  it('waits for the worker that has fewer by far, until it has about as many', () => {
    const [busy, fresh] = busyAndNew()
    expect([busy.got().length, fresh.got()]).toEqual([10, [11]])
    for (const ack of [11, 12]) fresh.confirm({ ack, accepted: true })
    expect(fresh.got()).toEqual([11, 12])
    for (const seq of [13, 14, 15, 16, 17]) {
      fresh.offer(seq)
      busy.offer(seq + 100)
      if (busy.got().includes(seq + 100)) break
      for (const ack of [seq, seq + 100]) fresh.confirm({ ack, accepted: true })
    }
    expect([busy.got().at(-1), fresh.got().length]).toEqual([115, 7])
  })

  it('waits once for a worker that hangs, and not for one that ends', () => {
    const [busy] = busyAndNew()
    vi.advanceTimersByTime(100)
    expect(busy.got().at(-1)).toBe(12)
    busy.confirm({ ack: 12, accepted: true })
    busy.offer(13)
    expect(busy.got().at(-1)).toBe(13)
    const [other, ending] = busyAndNew()
    ending.accept(false)
    ending.child.emit('close')
    expect(other.got().at(-1)).toBe(12)
  })

  it('leaves a connection that waits to another worker if its own one ends', async () => {
    const [busy, fresh] = busyAndNew()
    await busy.end()
    expect(busy.answers).toEqual([refusal(12)])
    fresh.confirm({ ack: 11, accepted: true })
    expect(busy.got()).not.toContain(12)
  })
})

describe('a version of Node with other messages', () => {
  it('sends them as they are, and nothing is given to another worker', async () => {
    const { child, offer, end, sent, answers, closed } = besideAnother()
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
    const { offer, confirm, end, closed } = createWorker()
    for (let seq = 1; seq <= 1000; seq += 1) {
      offer(seq)
      confirm({ receipt: seq, accepted: true })
    }
    await end()
    expect(closed).toEqual([1000])
  })
})
