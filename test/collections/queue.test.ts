import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EMPTY_QUEUE, type Queue, queueAppend, queueFirst, queueShift, queueSize } from '../../src/collections/queue.ts'
import { check } from '../property.ts'

test('a queue equals an array after the same steps, also after a round trip through JSON', () => {
  check(
    fc.property(fc.array(fc.option(fc.nat()), { maxLength: 120 }), (steps) => {
      let queue: Queue<number> = EMPTY_QUEUE
      const list: number[] = []
      for (const value of steps) {
        if (value === null) {
          expect(queueFirst(queue)).toBe(list.shift() ?? null)
          queue = queueShift(queue)
        } else {
          queue = JSON.parse(JSON.stringify(queueAppend(queue, value)))
          list.push(value)
        }
        expect(queueSize(queue)).toBe(list.length)
        expect(queueFirst(queue)).toBe(list[0] ?? null)
      }
    }),
  )
})
