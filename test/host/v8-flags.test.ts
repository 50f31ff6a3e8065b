import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it('setServerFlags sets only flags that this version of V8 supports', () => {
  const code = "import('./src/host/v8-flags.ts').then(({ setServerFlags }) => setServerFlags())"
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '-e', code], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})
