import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import ts from 'typescript-api'
import { expect, it } from 'vitest'
import { changesWithKeys, chooseChanges, keyOf } from '../../tools/mutate/changes.ts'
import { withChanges } from '../../tools/mutate/with-changes.ts'

/** Runs with a tree that has one file. */
function inTree<T>(text: string, run: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'changes-'))
  try {
    mkdirSync(join(root, 'src/framing'), { recursive: true })
    writeFileSync(join(root, 'src/framing/file.ts'), text)
    return run(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

/** The changes of a file of source code, and its text with all of them. */
const changed = (text: string) =>
  inTree(text, (root) => {
    const sample = chooseChanges(root, root, { count: 1000, seed: 1, area: 'src/framing/' })
    const changes = sample.map((one, number) => ({ ...one, number }))
    return { changes, text: withChanges(text, changes) }
  })

const TEXT = `
export const limits = { 'a-b': 10, nested: [true, 'word'] }
export type Named = { kind: 'typed'; 'quoted': 1 }
export function run(a: number, b: number): string {
  let found = 0
  found += a * 2
  for (const one of [1, 2, 3]) found += one * b
  a > 1 && b === 2 && (found = 100)
  if (found >= 5) found += 7
  else found -= 1
  return \`\${found}\${a <= b ? 'less' : "more"}\${limits['a-b'] ?? 'none'}\${limits.nested.join('')}\`
}
`

const OUTPUTS = new Map<string, string>()
function transpiled(text: string): string {
  const compilerOptions = { module: ts.ModuleKind.CommonJS }
  const output = OUTPUTS.get(text) ?? ts.transpileModule(text, { compilerOptions }).outputText
  OUTPUTS.set(text, output)
  return output
}

/** Runs a text with one change, or none. */
function resultOf(text: string, made?: number): string {
  const exported: { run?: (a: number, b: number) => string } = {}
  const scope = { __change: (number: number) => number === made }
  new Function('exports', 'globalThis', transpiled(text))(exported, scope)
  const run = exported.run
  return run === undefined ? '' : [run(1, 2), run(2, 2), run(3, 1)].join(' ')
}

it('gives the result of the source without a change, and of the changed source with one', () => {
  const { changes, text } = changed(TEXT)
  expect(changes.length).toBeGreaterThan(20)
  expect(resultOf(text)).toBe(resultOf(TEXT))
  for (const { number, start, end, after, before, around } of changes) {
    // Brackets, because another operator may bind less.
    const [open, close] = around.form === 'name' ? '[]' : '()'
    const expression = TEXT.slice(around.start, start) + after + TEXT.slice(end, around.end)
    const beginning = TEXT.slice(0, around.start) + (around.form === 'statement' ? '0, ' : '')
    const expected = resultOf(`${beginning}${open}${expression}${close}${TEXT.slice(around.end)}`)
    expect(resultOf(text, number), `${before} → ${after}`).toBe(expected)
  }
  expect(changes.filter(({ number }) => resultOf(text, number) !== resultOf(TEXT)).length).toBeGreaterThan(15)
})

it('leaves types, imports and texts for people as they are', () => {
  const { changes } = changed(
    `import a from './a.ts'\nexport type A = 'b'\nexport const c = { summary: 'd', e: 'two words', f: import('./g.ts') }\n`,
  )
  expect(changes.map(({ before }) => before)).toEqual([])
})

it('finds the changes of an earlier run by their keys, though their lines have moved', () => {
  const { changes } = changed(TEXT)
  const [first, second] = changes.filter(({ before }) => before === '>=' || before === '10')
  const keys = new Set([first, second].map((one) => (one === undefined ? '' : keyOf(one))))
  const found = inTree(`// A line above.\n${TEXT}`, (root) => changesWithKeys(root, keys, 'src/framing/'))
  expect(found.map(({ line, before }) => [line, before]).sort()).toEqual(
    [first, second].map((one) => [(one?.line ?? 0) + 1, one?.before]).sort(),
  )
})

it('has the same sample for a seed where lines have come and gone', () => {
  const sample = (text: string) =>
    inTree(text, (root) => chooseChanges(root, root, { count: 8, seed: 5, area: 'src/framing/' }).map(keyOf))
  const [first, second] = [TEXT, `\nexport const added = 11\n${TEXT}\nexport const more = [12, 13]\n`].map(sample)
  const added = second?.filter((key) => !first?.includes(key)) ?? []
  expect(first).toHaveLength(8)
  expect(second).toHaveLength(8)
  expect(added.filter((key) => !/added|more/.test(key))).toEqual([])
  expect(added.length).toBeLessThanOrEqual(3)
})
