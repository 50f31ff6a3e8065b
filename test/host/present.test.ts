import { expect, it } from 'vitest'
import { leave } from '../../src/host/present.ts'

it('takes one out and leaves the others as they came', () => {
  const present = ['a', 'b', 'c', 'd']
  leave(present, 'b')
  leave(present, 'b')
  leave(present, 'nobody')
  expect(present).toEqual(['a', 'c', 'd'])
  leave(present, 'd')
  leave(present, 'a')
  expect(present).toEqual(['c'])
})
