/** Writes the skeleton of a wire and everything that is generated from it: `npm run new-wire NAME`. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { HAS_CLIENTS } from '../../src/wires/names.ts'
import { faultOfName, skeletonOf } from './skeleton.ts'

/** What depends on the list of wires, in this order. */
const GENERATED: readonly (readonly string[])[] = [
  ['npm', 'run', '-s', 'wires'],
  ['npx', 'biome', 'check', '--write', 'src/wires', 'src/vendors', 'test/wires'],
  ['node', '--import', 'tsx', 'tools/new-wire/bundle-row.ts'],
  ['npx', 'vitest', 'run', '--project', 'unit', 'test/fixtures.test.ts', 'test/cli/explain.test.ts', '-u'],
  ['npx', 'vitest', 'run', '--project', 'host', 'test/host/config/config.test.ts', '-u'],
  ['npm', 'run', '-s', 'contract'],
  ['npm', 'run', '-s', 'docs'],
]

const [wire = ''] = process.argv.slice(2)
const fault = faultOfName(wire, Object.keys(HAS_CLIENTS))
if (fault !== null) {
  process.stderr.write(`npm run new-wire NAME: ${fault}.\n`)
  process.exit(2)
}
for (const [file, text] of Object.entries(skeletonOf(wire))) {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
for (const [program = '', ...args] of GENERATED) {
  process.stdout.write(`${program} ${args.join(' ')}\n`)
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
}
process.stdout.write(`The wire ${wire} is complete: npm test. docs/add-a-wire.md explains its files.\n`)
