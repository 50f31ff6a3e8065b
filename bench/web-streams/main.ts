/**
 * The cost of Web streams: how many times as long `translateStream()` takes as `createStreamTranslator()` for the same
 * reads. The input is a `ReadableStream`, as the body of a `fetch` response is; the output is read with a reader.
 *
 *     npm run bench:web-streams                      three wires
 *     npm run bench:web-streams -- gemini-generate   one wire
 */
import { createStreamTranslator, translateStream, type WireName } from '../../src/index.ts'
import { openReport } from '../figure.ts'
import { timesAsLong, timesInTurns } from '../measure.ts'
import { cut, longStream } from '../pipeline/inputs.ts'

const ROUNDS = 31
const READ = 16 * 1024
const WIRES = ['openai-chat', 'anthropic-messages', 'gemini-generate'] as const
const FROM_WEB = 'translateStream()'
const INPUT = 'reading the input alone'

const toWeb = (reads: readonly Uint8Array[]): ReadableStream<Uint8Array> => {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const bytes = reads[next++]
      if (bytes === undefined) controller.close()
      else controller.enqueue(bytes)
    },
  })
}

async function readAll(stream: ReadableStream<Uint8Array>): Promise<number> {
  const reader = stream.getReader()
  let size = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return size
    size += value.length
  }
}

const report = openReport('lower is better; reads of 16 KiB')
const named = process.argv.slice(2).filter((word) => !word.startsWith('--')) as WireName[]
for (const from of named.length > 0 ? named : WIRES) {
  const reads = cut(longStream(from, 'text'), READ)
  const options = { from, id: 'resp_0123456789abcdef', createdAt: 1_700_000_000, model: 'bench' } as const
  const times = await timesInTurns(
    {
      direct: () => {
        const translator = createStreamTranslator(options)
        let size = 0
        for (const bytes of reads) size += translator.push(bytes).length
        return size + translator.end().length
      },
      [FROM_WEB]: () => readAll(translateStream(toWeb(reads), options)),
      [INPUT]: () => readAll(toWeb(reads)),
    },
    ROUNDS,
  )
  for (const name of [FROM_WEB, INPUT]) {
    report({ case: `${from}, ${name}`, value: timesAsLong(times, name, 'direct'), unit: '× the direct call' })
  }
}
