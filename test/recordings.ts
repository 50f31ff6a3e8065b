import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { JsonObject } from '../src/protocol/json.ts'
import { findVendor } from '../src/vendors/registry.ts'
import type { KnownWire } from '../src/wires/contract.ts'
import { findWire } from '../src/wires/find-wire.ts'
import type { Quirks } from '../src/wires/quirks.ts'
import { IS_WHOLE } from './property.ts'

/**
 * Recorded answers of real vendors. The recordings are not part of the package: RECORDINGS_DIR names their folder.
 * `npm test` reads them only if it is set, `npm run test:all` also beside the repository.
 */
const ROOT = fileURLToPath(new URL('../', import.meta.url))
export const RECORDINGS_DIR = resolve(ROOT, process.env.RECORDINGS_DIR ?? '../shared/recordings')

export interface Recorded {
  readonly file: string
  readonly wire: KnownWire
  readonly vendor: string
  readonly model: string
  readonly kind: string
  readonly status: number
  readonly quirks: Quirks
}

function readIndex(): readonly Recorded[] {
  if (!IS_WHOLE && process.env.RECORDINGS_DIR === undefined) return []
  const index = resolve(RECORDINGS_DIR, 'INDEX.tsv')
  if (!existsSync(index)) return []
  const [head = '', ...rows] = readFileSync(index, 'utf8').trimEnd().split('\n')
  const names = head.split('\t')
  return rows.flatMap((row) => {
    const cells = row.split('\t')
    const cell = (name: string): string => cells[names.indexOf(name)] ?? ''
    const wire = findWire(cell('wire'))
    if (wire === undefined) return []
    const vendor = cell('vendor')
    const quirks = findVendor(vendor)?.quirks ?? {}
    const [file, kind, status] = [cell('file'), cell('kind'), Number(cell('http_status'))]
    return [{ file, wire, vendor, model: cell('model'), kind, status, quirks }]
  })
}

export const RECORDED = readIndex()
export const RECORDED_STREAMS = RECORDED.filter(({ kind, status }) => kind === 'stream' && status === 200)

export const readRecorded = (file: string): Uint8Array => readFileSync(resolve(RECORDINGS_DIR, file))

/** Returns the request that was answered; null if it was not kept. */
export function readRecordedRequest(file: string): JsonObject | null {
  const beside = resolve(RECORDINGS_DIR, file.replace(/\.[^.]+$/, '.request.json'))
  return existsSync(beside) ? (JSON.parse(readFileSync(beside, 'utf8')) as JsonObject) : null
}
