import { existsSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseExchangeSettings, SETTINGS_FILE } from '../host/recording/exchange-format.ts'
import { readExchanges, type StoredExchange } from '../host/recording/read-exchange.ts'
import type { WireName } from '../wires/contract.ts'
import { detectWire } from '../wires/detect-wire.ts'
import { findWire } from '../wires/registry.ts'

/**
 * A recording: the folder of one exchange, a folder with such folders, or a file with the bytes of a stream or of a
 * whole body (`.json`). A path is relative to the working directory.
 */
export type RecordingPath = string | URL

export const toFilePath = (path: RecordingPath): string => (typeof path === 'string' ? path : fileURLToPath(path))

/** The settings of a file: `NAME.settings.json` beside `NAME.stream.sse`, or `settings.json` in its folder. */
function settingsBeside(path: string): string {
  const [name = ''] = basename(path).split('.')
  const beside = [`${name}.${SETTINGS_FILE}`, SETTINGS_FILE].map((file) => join(dirname(path), file))
  const found = beside.find((file) => existsSync(file))
  return found === undefined ? '{}' : readFileSync(found, 'utf8')
}

/** The folder of a fixture has the name of its wire. */
function wireOf(path: string, named: WireName | undefined, set: WireName | null): WireName {
  const wire = named ?? set ?? findWire(basename(dirname(path)))?.name ?? detectWire(readFileSync(path))
  if (wire !== null) return wire
  throw new Error(`${path}: the wire cannot be read from the recording. Name it with the option from.`)
}

function readLooseFile(path: string, from: WireName | undefined): StoredExchange {
  const settings = parseExchangeSettings(settingsBeside(path))
  if (settings === null) throw new Error(`${path}: its settings are not a JSON object.`)
  const isBody = path.endsWith('.json')
  const wire = wireOf(path, from, settings.wire)
  const headers = isBody ? { 'content-type': 'application/json' } : {}
  return {
    name: basename(path),
    settings: {
      ...settings,
      wire,
      headers: { ...headers, ...settings.headers },
      file: isBody ? 'body.json' : 'stream.bin',
    },
    request: null,
    body: () => readFile(path),
  }
}

/**
 * Reads recordings in the order of their names. `from`: the wire of a file that has no settings. Throws an Error that
 * names the path and the problem.
 */
export function loadRecordings(path: RecordingPath, from?: WireName): readonly StoredExchange[] {
  const file = toFilePath(path)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() ?? false) return [readLooseFile(file, from)]
  const { exchanges, problems } = readExchanges(file)
  const [problem] = problems
  if (problem !== undefined) throw new Error(problem)
  if (exchanges.length === 0) throw new Error(`"${file}" has no recordings.`)
  return exchanges
}
