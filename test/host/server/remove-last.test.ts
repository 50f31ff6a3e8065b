import { expect, it } from 'vitest'
import { leave } from '../../../src/host/server/drain.ts'

it('leave removes one entry and keeps the order of the others', () => {
  const present = ['a', 'b', 'c', 'd']
  leave(present, 'b')
  leave(present, 'b')
  leave(present, 'nobody')
  expect(present).toEqual(['a', 'c', 'd'])
  leave(present, 'd')
  leave(present, 'a')
  expect(present).toEqual(['c'])
})
