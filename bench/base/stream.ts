/** Prints the milliseconds of processor time that a build needs for one stream: `node stream.js <folder> <case>`. */
import { pathToFileURL } from 'node:url'
import type { createStreamTranslator } from '../../src/index.ts'
import { median, timesInTurns } from '../measure.ts'
import { cut, longStream } from '../pipeline/inputs.ts'
import { baseCases } from './cases.ts'

const WARM_MS = 1_500
const ROUNDS = 21

interface Build {
  readonly createStreamTranslator: typeof createStreamTranslator
}

const [folder = '', name = ''] = process.argv.slice(2)
const found = baseCases().find((one) => one.name === name)
if (found === undefined) throw new Error(`There is no case "${name}".`)
const { wire: from, kind, cut: size } = found
const build = (await import(pathToFileURL(`${folder}/index.js`).href)) as Build
const reads = cut(longStream(from, kind), size)
const options = { from, id: 'resp_0123456789abcdef', createdAt: 1_700_000_000, model: 'bench' } as const

function run(): number {
  const translator = build.createStreamTranslator(options)
  let size = 0
  for (const bytes of reads) size += translator.push(bytes).length
  return size + translator.end().length
}

if (run() < 5_000) throw new Error(`${name}: hardly any output`)
const times = await timesInTurns({ run }, ROUNDS, WARM_MS)
process.stdout.write(JSON.stringify({ ms: median(times.run ?? []), bytes: run() }))
