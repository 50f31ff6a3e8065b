import { parseArgs } from 'node:util'
import { continuations } from './continuations.ts'
import { conversations } from './conversations.ts'
import { drains } from './drains.ts'
import { hooks } from './hooks.ts'
import { createChance, type Scenario } from './lab.ts'
import { returns } from './returns.ts'

/**
 * `npm run sessions [-- --scale N] [--seed N] [--only NAME]`: long sessions over upstreams of four wires that fail by
 * chance. Each scenario prints its figure, and what broke a law. The exit code is 1 if anything did. `--scale` multiplies
 * the sizes.
 */
const SCENARIOS: Readonly<Record<string, readonly [run: Scenario, size: number]>> = {
  conversations: [conversations, 250],
  continuations: [continuations, 200],
  returns: [returns, 200],
  hooks: [hooks, 200],
  drains: [drains, 12],
}

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})
const SHOWN = 10

let broken = 0
let ran = 0
for (const [name, [run, size]] of Object.entries(SCENARIOS).filter(([name]) => name.includes(values.only))) {
  const { figure, faults } = await run(
    Math.max(1, Math.round(size * Number(values.scale))),
    createChance(Number(values.seed)),
  )
  ran += 1
  broken += faults.length
  process.stdout.write(`${faults.length === 0 ? 'held  ' : 'BROKEN'} ${name}: ${figure}\n`)
  for (const fault of faults.slice(0, SHOWN)) process.stdout.write(`       ${fault}\n`)
}
process.stdout.write(`${ran} scenarios, seed ${values.seed}: ${broken} faults\n`)
process.exitCode = broken === 0 && ran > 0 ? 0 : 1
