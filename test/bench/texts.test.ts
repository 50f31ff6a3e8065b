import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FOLDER = new URL('../../bench/peers/', import.meta.url)

/** The names that a program of the peers imports; it runs only where their packages are installed. */
function importedBy(program: string): readonly string[] {
  const source = readFileSync(new URL(program, FOLDER), 'utf8')
  const [, names = ''] = /import \{ ([^}]+) \} from '\.\/texts\.mjs'/.exec(source) ?? []
  return names.split(', ')
}

for (const program of ['candidates.mjs', 'libraries.mjs', 'servers.mjs'])
  it(`${program} imports only readers of texts that exist`, async () => {
    const exported = Object.keys(await import(new URL('texts.mjs', FOLDER).href))
    expect(exported).toEqual(expect.arrayContaining([...importedBy(program)]))
  })
