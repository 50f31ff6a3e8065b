import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Framing } from '../../framing/framing.ts'
import type { Transport, UpstreamResponse } from '../../gateway/upstream/transport.ts'
import { clientError, type GatewayError } from '../../protocol/error.ts'
import { err, ok, type Result } from '../../protocol/result.ts'
import { didYouMean } from '../../text/did-you-mean.ts'
import { describeValue } from '../../validation/messages.ts'
import type { WireName } from '../../wires/contract.ts'
import type { Quirks } from '../../wires/quirks.ts'
import { WIRES } from '../../wires/registry.ts'
import { type Pace, parseSettings } from './exchange-format.ts'
import { piecesAt } from './paced-pieces.ts'
import { createPlayback } from './playback.ts'

interface Recording {
  readonly framing: Framing
  readonly stream: Uint8Array
  /** The same answer as a whole body; null if it was not recorded. */
  readonly body: Uint8Array | null
  readonly pace: Pace
  readonly quirks: Quirks
}

/** The package has this folder beside both `src/` and `dist/`. */
export const FIXTURES = new URL('../../../fixtures/', import.meta.url)

export const framingOf = (wire: WireName): Framing => WIRES[wire].framing

/**
 * The names of the recordings of one wire. They are listed once, so that no name in a request ever reaches the file
 * system.
 */
export function listRecordings(wire: WireName, root: URL = FIXTURES): readonly string[] {
  const ending = `.stream.${framingOf(wire).extension}`
  const isName = (name: string): boolean => /^[a-z0-9-]+$/.test(name)
  try {
    const files = readdirSync(new URL(`${wire}/`, root)).filter((file) => file.endsWith(ending))
    return files.map((file) => file.slice(0, -ending.length)).filter(isName)
  } catch {
    return []
  }
}

export async function readRecording(wire: WireName, name: string, root: URL = FIXTURES): Promise<Recording> {
  const framing = framingOf(wire)
  const at = (role: string): URL => new URL(`${wire}/${name}.${role}`, root)
  const stream = await readFile(at(`stream.${framing.extension}`))
  const body = await readFile(at('body.json')).catch(() => null)
  const settings = await readFile(at('settings.json'), 'utf8').catch(() => '{}')
  return { framing, stream, body, ...parseSettings(settings) }
}

/**
 * Plays the recording as its upstream would: whole if the call requests a whole body, else event by event at its pace.
 */
export const recordedTransport =
  ({ framing, stream, body, pace }: Recording): Transport =>
  (call, signal): Promise<Result<UpstreamResponse>> => {
    if (signal.reason !== null) return Promise.resolve(err(signal.reason))
    const whole = !call.stream && body !== null
    const pieces = call.stream
      ? piecesAt(stream, pace, framing)
      : [{ bytes: whole ? body : stream, delayMs: typeof pace === 'number' ? pace : 0 }]
    const headers = { 'content-type': whole ? 'application/json' : framing.mediaTypes[0] }
    return Promise.resolve(ok(createPlayback({ status: 200, headers, pieces, error: null }, signal)))
  }

export function unknownRecording(name: string, names: readonly string[]): GatewayError {
  // Only recordings of this wire are named without it.
  const short = name.replace(/^openai-chat\//, '')
  const hint = didYouMean(names.includes(short) ? short : name, names) || ' GET /v1/models lists them.'
  return clientError('model_not_found', `model: no recording has the name ${describeValue(name)}.${hint}`, 'model')
}
