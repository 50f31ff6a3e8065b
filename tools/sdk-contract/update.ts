/**
 * Writes the tables of `rows/` anew: `npm run contract`, or `npm run contract openai` for one package. `npm run contract
 * -- --latest` compares them with the newest versions of the packages instead.
 */
import { writeFileSync } from 'node:fs'
import { compareLatest } from './latest.ts'
import { measurePackage } from './measure.ts'
import { PACKAGES } from './packages.ts'
import { formatRows, readRows } from './rows.ts'

const chosen = process.argv.slice(2)
if (chosen.includes('--latest')) {
  process.exitCode = compareLatest((text) => process.stdout.write(text)) === 0 ? 0 : 1
} else {
  for (const sdk of PACKAGES) {
    if (chosen.length > 0 && !chosen.includes(sdk.id)) continue
    // Words that the installed package does not have yet keep their rows.
    const newer = readRows(sdk.id).filter(({ word }) => sdk.newer?.includes(word) === true)
    const rows = [...measurePackage(sdk), ...newer]
    writeFileSync(new URL(`rows/${sdk.id}.tsv`, import.meta.url), formatRows(rows))
    process.stdout.write(`${sdk.id}: ${rows.length} rows\n`)
  }
}
