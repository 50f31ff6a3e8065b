import { readFileSync } from 'node:fs'
import { table } from './markdown.ts'

/** The sizes that `test/bundle.test.ts` has measured. */
export function bundleTable(): string {
  const text = readFileSync(new URL('../../test/bundle-sizes.json', import.meta.url), 'utf8')
  const sizes = JSON.parse(text) as Readonly<Record<string, number>>
  return table(
    ['bundle', 'KiB'],
    Object.entries(sizes).map(([name, size]) => [name, String(size)]),
  )
}
