import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('asks for nothing that this V8 does not know', () => {
  const code = "import('./src/host/heap.ts').then(({ keepHeapSmall }) => keepHeapSmall())"
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '-e', code], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})
