import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Figure } from '../../bench/figure.ts'
import { reportImports } from '../../bench/start-up/imports.ts'

const root = mkdtempSync(join(tmpdir(), 'millrace-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** A folder in which a package of this name with these entry points is installed. */
function projectWith(entries: readonly string[], name = 'millrace'): string {
  const folder = mkdtempSync(join(root, 'project-'))
  const installed = join(folder, 'node_modules', name)
  mkdirSync(installed, { recursive: true })
  writeFileSync(join(installed, 'index.js'), 'export {}')
  const exports = Object.fromEntries(entries.map((entry) => [entry, './index.js']))
  writeFileSync(join(installed, 'package.json'), JSON.stringify({ name, type: 'module', exports }))
  return folder
}

describe('the imports of installed packages', () => {
  it('have a figure for each folder and each entry point that its package has', () => {
    const [older, newer] = [projectWith(['.', './core']), projectWith(['.', './core', './ai-sdk'])]
    const figures: Figure[] = []
    reportImports([older, newer], (figure) => figures.push(figure), 1)
    expect(figures.map(({ case: name }) => name)).toEqual([
      `node without a program, ${older}, median`,
      `node without a program, ${newer}, median`,
      `import 'millrace', ${older}, median`,
      `import 'millrace', ${newer}, median`,
      `import 'millrace/core', ${older}, median`,
      `import 'millrace/core', ${newer}, median`,
      `import 'millrace/ai-sdk', ${newer}, median`,
    ])
    expect(figures.every(({ value, unit }) => value > 0 && unit === 'ms')).toBe(true)
  })

  it('are refused for a folder without the package', () => {
    const folder = projectWith(['.'], 'another')
    expect(() => reportImports([folder], () => undefined, 1)).toThrow(`import('millrace') fails in ${folder}: install`)
  })
})
