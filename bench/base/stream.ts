/**
 * Translates one stream with a build, again and again, for the process that has forked this one:
 * `node stream.js <folder> <case>`. A message is the milliseconds of a round; the reply, those of processor time that
 * one stream took in it.
 */
import { pathToFileURL } from 'node:url'
import type { createStreamTranslator } from '../../src/index.ts'
import { processorMs } from '../measure.ts'
import { cut, longStream } from '../pipeline/inputs.ts'
import { baseCases } from './cases.ts'

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

function translate(): number {
  const translator = build.createStreamTranslator(options)
  let written = 0
  for (const bytes of reads) written += translator.push(bytes).length
  return written + translator.end().length
}

function round(least: number): number {
  const begun = processorMs()
  for (let times = 1; ; times += 1) {
    translate()
    const spent = processorMs() - begun
    if (spent >= least) return spent / times
  }
}

if (translate() < 1_000) throw new Error(`${name}: hardly any output`)
process.on('message', (least: string) => process.send?.(round(Number(least))))
