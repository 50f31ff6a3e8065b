import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, it } from 'vitest'
import { versionsOf } from '../../bench/environment.ts'

it('the version of a package is that of the folder whose program imports it, else that of the project', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'millrace-versions-'))
  try {
    const own = path.join(folder, 'node_modules', 'vitest')
    mkdirSync(own, { recursive: true })
    writeFileSync(path.join(own, 'package.json'), '{"version":"0.0.7"}')
    expect(versionsOf(['vitest'], folder)).toEqual({ vitest: '0.0.7' })
    expect(versionsOf(['vitest'], 'bench/pipeline').vitest).not.toBe('0.0.7')
    expect(() => versionsOf(['no-such-package'], folder)).toThrow('no-such-package')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
