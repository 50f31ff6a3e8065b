/**
 * Measures one case of the library, in a process of its own: `core.js histories openai gemini-generate`. Prints a
 * `Series` as JSON.
 */
import { translateBody, translateRequest } from '../../src/index.ts'
import type { WireName } from '../../src/wires/contract.ts'
import { processorMs } from '../measure.ts'
import type { ClientName } from './histories.ts'
import { answerText, requestText } from './inputs.ts'
import { measureSizes, type PartName, type Series, SIZES } from './series.ts'

const [part, client, wire] = process.argv.slice(2) as [PartName, ClientName, WireName]
const sizes = SIZES[part]
const texts = new Map(
  sizes.map((size) => [size, part === 'answers' ? answerText(wire, size) : requestText(part, client, size)]),
)

function translate(text: string): void {
  if (part === 'answers') {
    const { outcome } = translateBody(text, { from: wire, to: client })
    if (outcome.status === 'failed') throw new Error(JSON.stringify(outcome.error))
    return
  }
  // Gemini's clients have the model and the kind of answer in the URL.
  const translated = translateRequest(text, { from: client, to: wire, model: 'm', stream: false })
  if (!translated.ok) throw new Error(JSON.stringify(translated.error))
}

function cost(size: number): number {
  const text = texts.get(size) as string
  const begun = processorMs()
  translate(text)
  return processorMs() - begun
}

const ms = await measureSizes(sizes, cost)
process.stdout.write(JSON.stringify({ part, client, wire, sizes, ms, peakMiB: null } satisfies Series))
