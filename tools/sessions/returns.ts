import { WIRE_UPSTREAMS } from '../../test/mock-upstreams/wires.ts'
import {
  answerOf,
  below,
  type Chance,
  choose,
  eachOf,
  Lab,
  percent,
  RESPONSES,
  type Scenario,
  SESSION_WIRES,
  send,
} from './lab.ts'
import { framesIn, numberIn, textIn, wordsOf } from './texts.ts'

/**
 * Clients that lose the connection at any byte, up to three times, and come back for the rest of their stream. Laws: each
 * event arrives once and in order, with the text of the own stream.
 */
const MOST_CUTS = 3
const LONGEST_CUT = 9000
const HEADERS = { 'x-millrace-resume': '1' }

interface Part {
  readonly status: number
  readonly stream: string
}

/** Reads an answer up to so many bytes, and leaves. */
async function readPart(url: string, body: object | null, bytes: number): Promise<Part> {
  const leaving = new AbortController()
  const answer = await send(url, body, { headers: HEADERS, signal: leaving.signal })
  const pieces: Uint8Array[] = []
  let size = 0
  const reader = answer.body?.getReader()
  while (reader !== undefined && size < bytes) {
    const { done, value } = await reader.read()
    if (done) break
    pieces.push(value)
    size += value.length
  }
  leaving.abort()
  return { status: answer.status, stream: Buffer.concat(pieces).subarray(0, bytes).toString() }
}

const idIn = (frame: string): string => /"id":"(resp_\w+)"/.exec(frame)?.[1] ?? ''

interface Read {
  readonly frames: readonly string[]
  readonly returns: number
  readonly fault: string | null
}

async function readInParts(url: string, body: object, cuts: readonly number[]): Promise<Read> {
  const frames: string[] = []
  let returns = 0
  for (const bytes of [...cuts, Number.POSITIVE_INFINITY]) {
    const id = idIn(frames[0] ?? '')
    const after = frames.map(numberIn).findLast((number) => number !== null)
    const from = id === '' ? '' : `/${id}?stream=true&starting_after=${after}`
    const { status, stream } = await readPart(`${url}${RESPONSES}${from}`, id === '' ? body : null, bytes)
    if (status !== 200) return { frames, returns, fault: `status ${status} after ${frames.length} events` }
    if (id !== '') returns += 1
    frames.push(...framesIn(stream))
    if (frames.at(-1)?.includes('[DONE]') === true) break
  }
  return { frames, returns, fault: null }
}

function faultIn({ frames, fault }: Read, text: string): string | null {
  if (fault !== null) return fault
  const numbers = frames.map(numberIn).filter((number) => number !== null)
  if (numbers.some((number, at) => number !== at)) return `the events have the numbers ${numbers.join(' ')}`
  if (frames.at(-1)?.includes('[DONE]') !== true) return 'the stream has no end'
  const received = textIn(`${frames.join('\n\n')}\n\n`)
  return received === text ? null : `"${received}" instead of "${text}"`
}

const cutsBy = (chance: Chance): readonly number[] =>
  Array.from({ length: below(MOST_CUTS + 1, chance) }, () => below(LONGEST_CUT, chance))

/** `size`: streams. */
export const returns: Scenario = async (size, chance) => {
  const lab = new Lab()
  let calls = 0
  const texts = new Map<string, string>()
  const vendors: Record<string, object> = {}
  for (const wire of SESSION_WIRES) {
    const { contentType, quirks } = WIRE_UPSTREAMS[wire]
    const { url } = await lab.upstream(async (response, { text: request }) => {
      calls += 1
      const text = texts.get(/stream (\d+) \./.exec(request)?.[1] ?? '') ?? ''
      const bytes = answerOf(wire, { text: text.split(/(?<=\s)/), calls: [] }, `${calls}`)
      response.writeHead(200, { 'content-type': contentType })
      for (let at = 0; at < bytes.length; at += 500) {
        response.write(bytes.subarray(at, at + 500))
        await new Promise((resolve) => setImmediate(resolve))
      }
      response.end()
    })
    vendors[wire] = { wire, base_url: url, key: 'x', quirks }
  }
  const server = await lab.server({ vendors, resume: { seconds: 600, upstream_seconds: 600 } })
  let cut = 0
  let returned = 0
  const found = await eachOf(size, async (at) => {
    const wire = choose(SESSION_WIRES, chance)
    const text = wordsOf(30, at, chance)
    texts.set(String(at), text)
    const cuts = cutsBy(chance)
    const body = { model: `${wire}/${WIRE_UPSTREAMS[wire].model}`, input: `stream ${at} .`, stream: true }
    const read = await readInParts(server.url, body, cuts)
    if (cuts.length > 0) cut += 1
    returned += read.returns
    const fault = faultIn(read, text)
    return fault === null ? [] : [`stream ${at} over ${wire}, cut at ${cuts.join(', ')}: ${fault}`]
  })
  const faults = found.flat()
  return {
    figure: `${percent(size - faults.length, size)} of ${size} streams whole, ${cut} with cuts, ${returned} returns`,
    faults: [...faults, ...(await lab.close())],
  }
}
