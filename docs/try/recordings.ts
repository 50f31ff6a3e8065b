import { type Pace, parseSettings } from '../../src/host/recording/exchange-format.ts'
import { piecesAt } from '../../src/host/recording/paced-pieces.ts'
import { isObject, parseJson } from '../../src/text/json.ts'
import type { WireName } from '../../src/wires/contract.ts'
import type { Quirks } from '../../src/wires/quirks.ts'
import { WIRES } from '../../src/wires/registry.ts'

/** A recording among the files of the site: `fixtures/<wire>/<name>.stream.…`, and a body beside it. */
export interface SiteRecording {
  readonly wire: WireName
  readonly name: string
  readonly hasBody: boolean
  readonly pace: Pace
  readonly quirks: Quirks
}

/** An entry of `fixtures/index.json`: the text of its settings is that of the file. */
export interface IndexEntry {
  readonly wire: WireName
  readonly name: string
  readonly hasBody: boolean
  readonly settings: string
}

async function read(path: string): Promise<Response> {
  const response = await fetch(`fixtures/${path}`)
  if (!response.ok) throw new Error(`The file fixtures/${path} cannot be read: status ${response.status}.`)
  return response
}

export async function listSiteRecordings(): Promise<readonly SiteRecording[]> {
  const entries = (await (await read('index.json')).json()) as readonly IndexEntry[]
  return entries.map(({ settings, ...entry }) => ({ ...entry, ...parseSettings(settings) }))
}

export const framingOf = ({ wire }: Pick<SiteRecording, 'wire'>) => WIRES[wire].framing

export const readStream = async (recording: Pick<SiteRecording, 'wire' | 'name'>): Promise<Uint8Array> =>
  new Uint8Array(
    await (await read(`${recording.wire}/${recording.name}.stream.${framingOf(recording).extension}`)).arrayBuffer(),
  )

/** The vendor whose upstream plays the recording: quirks are those of a vendor. */
export const vendorOf = ({ wire, name, quirks }: SiteRecording): string =>
  Object.keys(quirks).length === 0 ? wire : `${wire}-${name}`

/** The address of the vendors, which exists nowhere; its path begins with the name of the vendor. */
export const UPSTREAM = 'https://recordings.invalid'

/** Answers a request for an upstream with the recording of its model, at its pace, or whole. */
export async function playRecording(
  recordings: readonly SiteRecording[],
  url: URL,
  init: RequestInit,
): Promise<Response> {
  const [, vendor = '', ...path] = decodeURIComponent(url.pathname).split('/')
  const body = parseJson(await new Response(init.body ?? '').text())
  const fields = isObject(body) ? body : {}
  const model = typeof fields.model === 'string' ? fields.model : path.join('/')
  const recording = recordings.find(
    (one) => vendorOf(one) === vendor && (one.name === model || new RegExp(`(?:^|/)${one.name}[:/]`).test(model)),
  )
  if (recording === undefined)
    return Response.json({ error: { message: `There is no recording for ${url.pathname}.` } }, { status: 404 })
  const isStream = fields.stream === true || /stream/i.test(path.join('/').replace(recording.name, ''))
  if (!isStream && recording.hasBody) return read(`${recording.wire}/${recording.name}.body.json`)
  const framing = framingOf(recording)
  const pieces = piecesAt(await readStream(recording), isStream ? recording.pace : 0, framing)
  return new Response(paced(pieces, init.signal ?? null), { headers: { 'content-type': framing.mediaTypes[0] } })
}

function paced(pieces: ReturnType<typeof piecesAt>, signal: AbortSignal | null): ReadableStream<Uint8Array> {
  const left = pieces.values()
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = left.next()
      if (done === true) return controller.close()
      if (value.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, value.delayMs))
      if (signal?.aborted === true) return controller.error(signal.reason)
      controller.enqueue(value.bytes)
    },
  })
}
