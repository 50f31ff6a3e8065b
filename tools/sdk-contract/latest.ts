import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { declarationsOf, wordsOf } from './package-words.ts'
import { folderOf, PACKAGES } from './packages.ts'
import { byWord, findRow, readRows } from './rows.ts'

const versionIn = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly version: string }).version

/**
 * Installs the newest version of each package in a temporary folder, and writes the words that no table has: those that
 * the vendors added since the pinned versions. Returns their number.
 */
export function compareLatest(write: (text: string) => void): number {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-contract-'))
  try {
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const names = PACKAGES.map(({ name }) => `${name}@latest`)
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', ...names], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return PACKAGES.reduce((sum, sdk) => {
      const pinned = versionIn(folderOf(sdk))
      process.env[sdk.variable] = join(folder, 'node_modules', sdk.name)
      const known = byWord(readRows(sdk.id))
      const added = wordsOf(sdk, declarationsOf(sdk))
        .map(({ path }) => path)
        .filter((word) => findRow(known, word) === undefined)
      write(`${sdk.name}: ${pinned} pinned, ${versionIn(folderOf(sdk))} newest, ${added.length} new words\n`)
      for (const word of added) write(`  ${word}\n`)
      return sum + added.length
    }, 0)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
