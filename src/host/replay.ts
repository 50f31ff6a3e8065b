import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { clientError, type GatewayError } from '../protocol/error.ts'
import { isObject, parseJson } from '../text/json.ts'
import type { Quirks } from '../wires/quirks.ts'
import type { WireName } from '../wires/wire.ts'
import { type Attempt, failure, success } from './attempt.ts'
import { openPlayer } from './player.ts'
import type { Answer, Source } from './source.ts'

/** One recorded answer, ready to be played. */
export interface Recording {
  readonly stream: string
  readonly pace: number
  readonly quirks: Quirks
  /** The same answer as a whole body, where there is one. */
  readonly body: string | null
}

/** Beside `src/` and beside `dist/` alike: that is where the package has them. */
export const FIXTURES = new URL('../../fixtures/', import.meta.url)

const STREAM = /^([a-z0-9-]+)\.stream\.sse$/
const DEFAULT_PACE = 25

/** The names of the recordings of one wire. Looked up once: no name of a request ever reaches the file system. */
export function listRecordings(wire: WireName, root: URL = FIXTURES): readonly string[] {
  try {
    return readdirSync(new URL(`${wire}/`, root)).flatMap((file) => STREAM.exec(file)?.[1] ?? [])
  } catch {
    return []
  }
}

export async function readRecording(wire: WireName, name: string, root: URL = FIXTURES): Promise<Recording> {
  const at = (role: string): URL => new URL(`${wire}/${name}.${role}`, root)
  const stream = await readFile(at('stream.sse'), 'utf8')
  const body = await readFile(at('body.json'), 'utf8').catch(() => null)
  return { stream, body, ...readSettings(stream) }
}

/** A recording says in its first comments how it is played: `: pace 40` (ms an event), `: quirks {"thinkTags":true}`. */
export function readSettings(stream: string): { readonly pace: number; readonly quirks: Quirks } {
  const pace = /^: pace (\d+)$/m.exec(stream)?.[1]
  const quirks = parseJson(/^: quirks (\{.*\})$/m.exec(stream)?.[1] ?? '{}')
  return { pace: pace === undefined ? DEFAULT_PACE : Number(pace), quirks: isObject(quirks) ? (quirks as Quirks) : {} }
}

/** What an upstream that has made this recording would send: whole to those who ask so, else event by event in its pace. */
export const replaySource =
  ({ stream, body, pace }: Recording): Source =>
  (call, signal): Promise<Attempt<Answer>> => {
    if (signal.aborted) return Promise.resolve(failure(signal.reason as GatewayError))
    const whole = !call.stream && body !== null
    const pieces = whole ? [body] : call.stream ? splitEvents(stream) : [stream]
    const headers = { 'content-type': whole ? 'application/json' : 'text/event-stream' }
    return Promise.resolve(success(openPlayer(pieces, pace, headers, signal)))
  }

const splitEvents = (stream: string): readonly string[] => stream.split(/(?<=\n\r?\n)/)

export const unknownRecording = (): GatewayError =>
  clientError('model_not_found', 'There is no recording of this name.', 'model', 404)
