import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addDistinct, NO_VALUES } from '../../src/collections/distinct.ts'
import { listToArray } from '../../src/collections/list.ts'
import { check } from '../property.ts'

test('a list of distinct values keeps each value once, in the order of first occurrence', () => {
  check(
    fc.property(fc.array(fc.string({ maxLength: 2 })), (values) => {
      expect(listToArray(values.reduce(addDistinct, NO_VALUES).values)).toEqual([...new Set(values)])
    }),
  )
})
