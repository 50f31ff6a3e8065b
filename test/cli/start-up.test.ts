import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const SRC = new URL('../../src/', import.meta.url)

/** An import that is no type, and that is loaded before the first line of its file. */
const STATIC = /^(?:import|export) (?!type\b)(?:[\w*{][^'();=]*? from )?'([^']+)'/gm

/** The files that a file loads before anything is called, and the packages. */
function loadedBy(entry: URL, found = new Set<string>()): ReadonlySet<string> {
  found.add(fileURLToPath(entry).slice(fileURLToPath(SRC).length))
  for (const [clause, specifier = ''] of readFileSync(entry, 'utf8').matchAll(STATIC)) {
    if (/^import \{(?:\s*type [^,}]+,?)+\s*\}/.test(clause)) continue
    if (!specifier.startsWith('.')) {
      found.add(specifier)
      continue
    }
    const next = new URL(specifier, entry)
    if (!found.has(fileURLToPath(next).slice(fileURLToPath(SRC).length))) loadedBy(next, found)
  }
  return found
}

it('--version and the list of commands load neither engine nor server nor parser', () => {
  const loaded = new Set(['cli/main.ts', 'cli/run.ts'].flatMap((file) => [...loadedBy(new URL(file, SRC))]))
  expect(loaded).toContain('cli/commands/serve.ts')
  const others = [...loaded].filter(
    (file) => !/^cli\/(?:\w[\w-]*\.ts$|commands\/|output\/|program\/|log\/log-level)/.test(file),
  )
  expect(others.toSorted()).toEqual(['node:tty', 'protocol/version.ts', 'text/lookup.ts'])
})
