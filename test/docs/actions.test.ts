import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FILES = ['.github/workflows', 'examples/actions'].flatMap((folder) =>
  readdirSync(folder).map((name) => `${folder}/${name}`),
)

/** A tag can be moved to another commit; the comment names the version for updates. */
const PINNED = /^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/

it.each(FILES)('the actions of %s are pinned to commits', (file) => {
  const used = [...readFileSync(file, 'utf8').matchAll(/\buses: *(.*)$/gm)].map(([, action = '']) => action)
  expect(used.length).toBeGreaterThan(0)
  for (const action of used) expect(action).toMatch(PINNED)
})
