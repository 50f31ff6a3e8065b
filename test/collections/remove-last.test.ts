import { expect, it } from 'vitest'
import { removeLast } from '../../src/collections/remove-last.ts'

it('removeLast removes one entry and keeps the order of the others', () => {
  const present = ['a', 'b', 'c', 'd']
  removeLast(present, 'b')
  removeLast(present, 'b')
  removeLast(present, 'nobody')
  expect(present).toEqual(['a', 'c', 'd'])
  removeLast(present, 'd')
  removeLast(present, 'a')
  expect(present).toEqual(['c'])
})
