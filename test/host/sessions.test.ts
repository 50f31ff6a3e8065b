import { expect, it } from 'vitest'
import { continuations } from '../../tools/sessions/continuations.ts'
import { conversations } from '../../tools/sessions/conversations.ts'
import { drains } from '../../tools/sessions/drains.ts'
import { hooks } from '../../tools/sessions/hooks.ts'
import { createChance, type Scenario } from '../../tools/sessions/lab.ts'
import { returns } from '../../tools/sessions/returns.ts'
import { IS_WHOLE } from '../property.ts'

/** A short form of `npm run sessions`. */
const SCENARIOS: readonly (readonly [name: string, run: Scenario, size: number])[] = [
  ['conversations over accounts that fail', conversations, 6],
  ['continuations', continuations, 20],
  ['returns', returns, 16],
  ['hooks that fail', hooks, 30],
  ['drains', drains, 1],
]

it.each(SCENARIOS)('%s hold their laws', async (_, run, size) => {
  const { faults } = await run(IS_WHOLE ? 4 * size : Math.ceil(size / 2), createChance(7))
  expect(faults).toEqual([])
})
