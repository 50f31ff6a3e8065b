import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { SLICE_MS } from '../../src/gateway/run-in-slices.ts'
import { TickQueue } from '../../src/host/tick-queue.ts'

/** A queue whose clock stands still but for the work of the acts. */
function open() {
  const state = { now: 0 }
  return { queue: new TickQueue(() => state.now), state }
}

it('acts at once while a turn has time, and in the order of the calls after it', async () => {
  const { queue, state } = open()
  const acted: number[] = []
  const act = (at: number): void => {
    queue.run(() => {
      acted.push(at)
      state.now += 3
    })
  }
  for (let at = 0; at < 10; at += 1) act(at)
  expect(acted).toEqual([0, 1, 2])
  for (let turn = 0; turn < 5; turn += 1) await nextTurn()
  expect(acted).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

it('lets the loop turn between the links of chains of promises, and every chain in its order', async () => {
  const { queue, state } = open()
  const links: string[] = []
  let turns = 0
  const chain = async (name: string): Promise<void> => {
    for (let at = 0; at < 20; at += 1) {
      await queue.tick()
      for (let hop = 0; hop < 5; hop += 1) await null
      links.push(`${name} ${turns}`)
      state.now += SLICE_MS
    }
  }
  const all = Promise.all([chain('a'), chain('b'), chain('c')])
  let isOver = false
  void all.then(() => (isOver = true))
  while (!isOver && turns < 1000) {
    await nextTurn()
    turns += 1
  }
  // A link takes a whole turn.
  expect(turns).toBeGreaterThan(55)
  const names = links.map((one) => one[0])
  for (let at = 3; at + 3 <= names.length; at += 3) expect(new Set(names.slice(at, at + 3)).size).toBe(3)
})
