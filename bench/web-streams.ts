/**
 * The cost of Web streams: how many times as long `translateStream()` takes as `createStreamTranslator()` for the same
 * reads. The input is a `ReadableStream`, as the body of a `fetch` response is; the output is read with a reader.
 *
 *     npx tsc -p tsconfig.bench.json && node bench/out/bench/web-streams.js [wire …]
 */
import { createStreamTranslator, translateStream, type WireName } from '../src/index.ts'
import { longStream } from './inputs.ts'
import { ratiosToFirst } from './measure.ts'

const ROUNDS = 31
const READ = 16 * 1024

/** The stream in reads of this size, repeated so that its start and end do not count. */
function readsOf(wire: WireName): readonly Uint8Array[] {
  const events = longStream(wire, 'text')
  const bytes = Buffer.concat(events)
  return Array.from(
    { length: Math.ceil(bytes.length / READ) },
    (_, i) => new Uint8Array(bytes.subarray(i * READ, (i + 1) * READ)),
  )
}

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

const wires = process.argv.slice(2) as WireName[]
for (const from of wires.length > 0 ? wires : (['openai-chat', 'anthropic-messages', 'gemini-generate'] as const)) {
  const reads = readsOf(from)
  const options = { from, id: 'resp_0123456789abcdef', createdAt: 1_700_000_000, model: 'bench' } as const
  const ratios = await ratiosToFirst(
    {
      direct: () => {
        const translator = createStreamTranslator(options)
        let size = 0
        for (const bytes of reads) size += translator.push(bytes).length
        return size + translator.end().length
      },
      'translateStream()': () => readAll(translateStream(toWeb(reads), options)),
      'input alone': () => readAll(toWeb(reads)),
    },
    ROUNDS,
  )
  const cost = (name: string): string => (1 / (ratios[name] as number)).toFixed(2)
  const columns = [from, `${reads.length} reads`, `translateStream() ${cost('translateStream()')}`]
  console.log([...columns, `reading the input alone ${cost('input alone')}`].join('\t'))
}
