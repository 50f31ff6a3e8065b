import { expect, it } from 'vitest'
import type { Figure } from '../../bench/figure.ts'
import { slowCases } from '../../bench/pipeline/guard.ts'

const BOUNDS = { a: 4, b: 2, c: 1 }

/** Measures the ratios of each job in their order, the last one again and again. Notes which jobs ran. */
function machine(ratios: Readonly<Record<string, readonly number[]>>) {
  const ran: string[] = []
  const measure = async (job: string): Promise<readonly Figure[]> => {
    const run = ran.filter((one) => one === job).length
    ran.push(job)
    const of = ratios[job] ?? []
    return [{ case: job, value: of[Math.min(run, of.length - 1)] ?? 0, unit: '× the floor' }]
  }
  return { ran, measure }
}

const guarded = async (ratios: Readonly<Record<string, readonly number[]>>) => {
  const { ran, measure } = machine(ratios)
  return { slow: await slowCases(Object.keys(ratios), measure, BOUNDS), ran }
}

it('the guard finds code that is slow in every run, and only that', async () => {
  const { slow, ran } = await guarded({ a: [1.9, 1.95, 1.8, 1.7], b: [1], c: [0.4999] })
  expect(slow).toEqual(['a: 1.95, committed 4', 'c: 0.5, committed 1'])
  expect(ran).toEqual(['a', 'b', 'c', 'a', 'c', 'a', 'c', 'a', 'c'])
})

it('the guard repeats a slow run when all other cases were measured, up to three times', async () => {
  const { slow, ran } = await guarded({ a: [0.1, 0.1, 0.1, 3], b: [2], c: [0.1, 0.9] })
  expect(slow).toEqual([])
  expect(ran).toEqual(['a', 'b', 'c', 'a', 'c', 'a', 'a'])
})

it('a case without a committed ratio passes', async () => {
  expect((await guarded({ d: [0.001] })).slow).toEqual([])
})
