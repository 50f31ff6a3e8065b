/**
 * The cost of streams around the translation, one event a read, in turns in one process.
 *
 * `translateStream()` reads a `ReadableStream`, as the body of a `fetch` response is, and is one. The least that this
 * costs is the direct call, `createStreamTranslator()`, plus a stream that passes the same reads on without a change.
 * `translateIterable()` has no Web stream on either side, and is compared with the direct call alone. Code runs slower
 * between the microtasks of a stream than in a loop, so both are also compared with the smallest stream and the smallest
 * iterator by hand around the direct call: what is above those is their own.
 *
 *     npm run bench:web-streams                      three wires
 *     npm run bench:web-streams -- gemini-generate   one wire
 *     npm run bench:web-streams -- --base DIR        another build in place of this one; its figures end with "base"
 */
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type * as millrace from '../../src/index.ts'
import { caseOfBase, type Figure, openReport } from '../figure.ts'
import { median, type Times, timesInTurns } from '../measure.ts'
import { cut, longStream } from '../pipeline/inputs.ts'

const ROUNDS = 21
const AROUND = '× identity and direct call'
const NO_BYTES = new Uint8Array(0)
const WIRES = ['openai-chat', 'anthropic-messages', 'gemini-generate'] as const

function webOf(reads: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  let next = 0
  return new ReadableStream({
    pull(controller) {
      const bytes = reads[next++]
      if (bytes === undefined) controller.close()
      else controller.enqueue(bytes)
    },
  })
}

/** The calls that a stream or an iterator by hand makes. */
type Calls = Pick<millrace.StreamTranslator, 'push' | 'end'>

const IDENTITY: Calls = { push: (bytes) => bytes, end: () => NO_BYTES }

/** The smallest stream around a stream. Around `IDENTITY`: what one costs at least. */
function streamByHand(input: ReadableStream<Uint8Array>, { push, end }: Calls): ReadableStream<Uint8Array> {
  const reader = input.getReader()
  return new ReadableStream(
    {
      pull(controller) {
        void reader.read().then(({ value }) => {
          if (value !== undefined) return controller.enqueue(push(value))
          const last = end()
          if (last.length > 0) controller.enqueue(last)
          controller.close()
        })
      },
    },
    { highWaterMark: 0 },
  )
}

/** The smallest iterator around another one: one promise a read. */
function iteratorByHand(input: AsyncIterator<Uint8Array>, { push, end }: Calls): AsyncIterable<Uint8Array> {
  let isOver = false
  const take = ({ value, done }: IteratorResult<Uint8Array>): IteratorResult<Uint8Array> => {
    if (done !== true) return { done: false, value: push(value) }
    if (isOver) return { done: true, value: undefined }
    isOver = true
    return { done: false, value: end() }
  }
  return { [Symbol.asyncIterator]: () => ({ next: () => input.next().then(take) }) }
}

async function* generatorOf(reads: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const bytes of reads) yield bytes
}

async function readWeb(stream: ReadableStream<Uint8Array>): Promise<number> {
  const reader = stream.getReader()
  let size = 0
  for (;;) {
    const { value } = await reader.read()
    if (value === undefined) return size
    size += value.length
  }
}

async function readIterable(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let size = 0
  for await (const bytes of pieces) size += bytes.length
  return size
}

/** The median of the ratios of all rounds; the sides are sums. */
const ratioOf = (times: Times, above: string, below: readonly string[]): number =>
  median(
    (times[above] ?? []).map(
      (ms, round) => ms / below.reduce((sum, name) => sum + (times[name]?.[round] as number), 0),
    ),
  )

/** The first release has no `translateIterable()`. */
type Build = Pick<typeof millrace, 'createStreamTranslator' | 'translateStream'> &
  Partial<Pick<typeof millrace, 'translateIterable'>>

async function figuresOf(build: Build, from: millrace.WireName): Promise<readonly Figure[]> {
  const { createStreamTranslator, translateStream, translateIterable } = build
  const reads = cut(longStream(from, 'text'), 0)
  const options = { from, id: 'resp_0123456789abcdef', createdAt: 1_700_000_000, model: 'bench' } as const
  const times = await timesInTurns(
    {
      direct: () => {
        const translator = createStreamTranslator(options)
        let size = 0
        for (const bytes of reads) size += translator.push(bytes).length
        return size + translator.end().length
      },
      identity: () => readWeb(streamByHand(webOf(reads), IDENTITY)),
      webByHand: () => readWeb(streamByHand(webOf(reads), createStreamTranslator(options))),
      web: () => readWeb(translateStream(webOf(reads), options)),
      ...(translateIterable && {
        iterableByHand: () => readIterable(iteratorByHand(generatorOf(reads), createStreamTranslator(options))),
        iterable: () => readIterable(translateIterable(generatorOf(reads), options)),
        node: () => readIterable(Readable.from(reads)),
        ofNode: () => readIterable(translateIterable(Readable.from(reads), options)),
      }),
    },
    ROUNDS,
  )
  const stream = `${from}, translateStream()`
  const web: readonly Figure[] = [
    { case: stream, value: ratioOf(times, 'web', ['identity', 'direct']), unit: AROUND },
    { case: `${stream} against one by hand`, value: ratioOf(times, 'web', ['webByHand']), unit: '× by hand' },
  ]
  if (!translateIterable) return web
  const name = `${from}, translateIterable()`
  return [
    ...web,
    { case: name, value: ratioOf(times, 'iterable', ['direct']), unit: '× the direct call' },
    { case: `${name} against one by hand`, value: ratioOf(times, 'iterable', ['iterableByHand']), unit: '× by hand' },
    { case: `${name} of a Node stream`, value: ratioOf(times, 'ofNode', ['node', 'direct']), unit: AROUND },
  ]
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean' }, base: { type: 'string' } },
})
const entry =
  values.base === undefined ? new URL('../../src/index.js', import.meta.url) : pathToFileURL(`${values.base}/index.js`)
const build = (await import(entry.href)) as Build
const report = openReport('lower is better; one event a read')
for (const from of positionals.length > 0 ? (positionals as millrace.WireName[]) : WIRES) {
  for (const figure of await figuresOf(build, from)) {
    report(values.base === undefined ? figure : { ...figure, case: caseOfBase(figure.case) })
  }
}
