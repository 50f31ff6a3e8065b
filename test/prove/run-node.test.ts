import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { runNode } from '../../tools/prove/run-node.ts'

it('returns the whole output of a program that exits at once, and its code', () => {
  // More than a pipe takes before its reader reads.
  const program = `
    process.stdout.write('o'.repeat(4_000_000))
    process.stderr.write('e'.repeat(4_000_000))
    process.exit(3)
  `
  const { status, stdout, stderr } = runNode(['-e', program], tmpdir())
  expect([status, stdout.length, stderr.length]).toEqual([3, 4_000_000, 4_000_000])
})
