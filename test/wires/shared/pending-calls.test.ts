import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createUnmatchedCalls, type UnmatchedCall } from '../../../src/wires/shared/client/pending-calls.ts'
import { check } from '../../property.ts'

const word = fc.constantFrom('a', 'b', 'c')

type Step =
  | { readonly add: UnmatchedCall }
  | { readonly id: string }
  | { readonly name: string }
  | { readonly first: true }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ add: fc.record({ id: word, name: word }) }),
  fc.record({ id: word }),
  fc.record({ name: word }),
  fc.constant({ first: true } as const),
)

/** Takes the same call from a list that is searched from its beginning. */
function takeFrom(calls: UnmatchedCall[], fits: (call: UnmatchedCall) => boolean): UnmatchedCall | undefined {
  const at = calls.findIndex(fits)
  return at < 0 ? undefined : calls.splice(at, 1)[0]
}

test('takes pending calls as from a list: the first that matches, each once', () => {
  check(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const pending = createUnmatchedCalls()
      const list: UnmatchedCall[] = []
      for (const one of steps) {
        if ('add' in one) {
          pending.add(one.add)
          list.push(one.add)
        } else if ('id' in one) expect(pending.takeById(one.id)).toEqual(takeFrom(list, ({ id }) => id === one.id))
        else if ('name' in one)
          expect(pending.takeByName(one.name)).toEqual(takeFrom(list, ({ name }) => name === one.name))
        else expect(pending.takeFirst()).toEqual(list.shift())
      }
    }),
  )
})
