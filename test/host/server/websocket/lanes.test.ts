import { expect, it } from 'vitest'
import { Lanes } from '../../../../src/host/server/websocket/lanes.ts'

/** Tasks that end when the test ends them, and the order in which they began. */
function openLanes(named: number, parallel: number, waiting: number) {
  const began: string[] = []
  const dropped: string[] = []
  const ends = new Map<string, () => void>()
  let idle = 0
  const lanes = new Lanes({ named, parallel, waiting }, () => {
    idle += 1
  })
  const add = (lane: string | null, name: string): void =>
    lanes.add(lane, {
      run() {
        began.push(name)
        return new Promise((resolve) => void ends.set(name, resolve))
      },
      drop: () => void dropped.push(name),
    })
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { lanes, began, dropped, add, end, idle: () => idle }
}

it('runs the requests of a lane one after the other, and those of different lanes at the same time', async () => {
  const { lanes, began, add, end, idle } = openLanes(2, 16, 16)
  for (const name of ['a1', 'a2', 'a3']) add('a', name)
  add('b', 'b1')
  add(null, 'n1')
  add(null, 'n2')
  expect(began).toEqual(['a1', 'b1', 'n1'])
  await end('n1')
  await end('a1')
  expect(began).toEqual(['a1', 'b1', 'n1', 'n2', 'a2'])
  for (const name of ['a2', 'b1', 'n2']) await end(name)
  expect([began.at(-1), lanes.isIdle(), idle()]).toEqual(['a3', false, 0])
  await end('a3')
  expect([lanes.isIdle(), idle()]).toEqual([true, 1])
})

it('bounds the requests that run, those that wait and the names of lanes', async () => {
  const { lanes, began, add, end } = openLanes(2, 1, 2)
  add('a', 'a1')
  add('b', 'b1')
  expect(lanes.refusalOf('b')).toBe(null)
  add('a', 'a2')
  expect(began).toEqual(['a1'])
  expect([lanes.refusalOf('b'), lanes.refusalOf(null), lanes.refusalOf('c')]).toEqual(['requests', 'requests', 'lanes'])
  await end('a1')
  expect(began).toEqual(['a1', 'b1'])
  expect([lanes.refusalOf(null), lanes.refusalOf('c')]).toEqual([null, 'lanes'])
  await end('b1')
  expect([lanes.refusalOf('c'), began.at(-1)]).toEqual([null, 'a2'])
  lanes.clear()
  await end('a2')
  expect([began, lanes.isIdle()]).toEqual([['a1', 'b1', 'a2'], true])
})

it('does not count the lane without a name among those with one', () => {
  const { lanes, add } = openLanes(2, 16, 16)
  add(null, 'n1')
  add('a', 'a1')
  expect(lanes.refusalOf('b')).toBe(null)
  add('b', 'b1')
  expect(lanes.refusalOf('c')).toBe('lanes')
})

it('drops each request that waits when it is cleared, and none that runs', async () => {
  const { lanes, began, dropped, add, end } = openLanes(4, 1, 8)
  for (const name of ['a1', 'a2', 'a3']) add('a', name)
  add('b', 'b1')
  lanes.clear()
  expect([began, dropped]).toEqual([['a1'], ['a2', 'a3', 'b1']])
  await end('a1')
  expect([began, lanes.isIdle()]).toEqual([['a1'], true])
})
