/**
 * Measures all parts, keeps the figures in bench/results.json, and writes docs/benchmarks.md with its pictures.
 *
 *     npm run bench:all                                       every part, with the Node that runs this
 *     npm run bench:all -- --node node --node /path/to/node   with these versions of Node, in turns
 *     npm run bench:all -- --only texts --only server         these parts; the figures of the others stay
 *     npm run bench:all -- --quick                            one process a case and short rounds
 *     npm run bench:all -- --list                             the parts, with the seconds of their last run
 *     npm run bench:all -- --write                            writes the page and the pictures from the data, and measures nothing
 */
import { parseArgs } from 'node:util'
import type { Part } from './part.ts'
import { PARTS } from './parts.ts'
import { writePages } from './report/write.ts'
import { readBenchResults, writeBenchResults } from './results.ts'
import { runPart } from './run-part.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    node: { type: 'string', multiple: true, default: [process.execPath] },
    quick: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})

function chosenParts(): readonly Part[] {
  const unknown = values.only.filter((name) => !PARTS.some((part) => part.name === name))
  if (unknown.length > 0) {
    throw new Error(
      `--only: there is no part ${unknown.join(', ')}. Parts: ${PARTS.map(({ name }) => name).join(', ')}.`,
    )
  }
  return values.only.length === 0 ? PARTS : PARTS.filter(({ name }) => values.only.includes(name))
}

function list(): void {
  const results = readBenchResults()
  for (const { name, title } of PARTS) {
    const runs = Object.values(results[name] ?? {})
    const seconds = runs.reduce((sum, run) => sum + run.seconds, 0)
    const took = runs.length === 0 ? 'not measured' : `${seconds} s with ${runs.map(({ node }) => node).join(', ')}`
    process.stdout.write(`${name.padEnd(14)} ${took.padEnd(36)} ${title}\n`)
  }
}

/** The results are written after each part: a run that is interrupted keeps what it has measured. */
async function measure(part: Part): Promise<void> {
  const begun = performance.now()
  process.stdout.write(`${part.name} … `)
  const measured = await runPart(part, { nodes: values.node, isQuick: values.quick })
  const results = readBenchResults()
  writeBenchResults({ ...results, [part.name]: { ...results[part.name], ...measured } })
  writePages()
  process.stdout.write(`${Math.round((performance.now() - begun) / 1000)} s\n`)
}

/** A part that fails keeps its old figures, and the others are measured all the same. */
async function measureAll(): Promise<void> {
  for (const part of chosenParts()) {
    await measure(part).catch((error: Error) => {
      process.stderr.write(`${part.name} failed: ${error.message}\n`)
      process.exitCode = 1
    })
  }
}

if (values.list) list()
else if (values.write) writePages()
else await measureAll()
