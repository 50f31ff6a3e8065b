/** Adds the rows of bundles that have none: a new wire starts with the size that it has. */
import { readFileSync, writeFileSync } from 'node:fs'
import { BUNDLES, bundle } from '../../test/bundles.ts'

const FILE = 'test/bundle-sizes.json'

const known: Readonly<Record<string, number>> = JSON.parse(readFileSync(FILE, 'utf8'))
const rows: Record<string, number> = {}
for (const [name, contents] of Object.entries(BUNDLES)) rows[name] = known[name] ?? (await bundle(contents)).size
writeFileSync(FILE, `${JSON.stringify(rows, null, 2)}\n`)
