import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseExchangeSettings, SETTINGS_FILE } from '../host/recording/exchange-format.ts'
import { readExchanges, type StoredExchange } from '../host/recording/read-exchange.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import type { WireName } from '../wires/contract.ts'
import { detectWire } from '../wires/detect-wire.ts'
import { findWire } from '../wires/find-wire.ts'
import { WIRES } from '../wires/registry.ts'

/**
 * A recording: the folder of one exchange, a folder with such folders, or a file with the bytes of a stream or of a
 * whole body (`.json`). A path is relative to the working directory.
 */
export type RecordingPath = string | URL

export const toFilePath = (path: RecordingPath): string => (typeof path === 'string' ? path : fileURLToPath(path))

const FIXTURES = new URL('../../fixtures/', import.meta.url)

/**
 * The address of a recording of this package, such as `openai-chat/hello.stream.sse`. Throws an Error that lists the
 * others of its wire if there is none of this name.
 */
export function fixture(name: string): URL {
  const address = new URL(name, FIXTURES)
  if (existsSync(address)) return address
  const folder = new URL('.', address)
  const wires = Object.keys(WIRES)
  const known = existsSync(folder) && wires.includes(basename(fileURLToPath(folder))) ? readdirSync(folder) : wires
  const streams = known.filter((one) => !one.includes('.') || /\.(?:stream|body)\./.test(one))
  throw new Error(`"${name}" is not a fixture.${didYouMean(basename(name), streams)} There are ${streams.join(', ')}.`)
}

/** The address of the stream or the body of a fixture; null if the wire has none of this name in this form. */
export function fixtureOf(wire: WireName, name: string, stream: boolean): URL | null {
  const folder = new URL(`${wire}/`, FIXTURES)
  const start = `${name}.${stream ? 'stream' : 'body'}.`
  const [found] = existsSync(folder)
    ? readdirSync(folder)
        .filter((file) => file.startsWith(start))
        .sort()
    : []
  return found === undefined ? null : new URL(found, folder)
}

export const mockFixtures = (wire: WireName): readonly string[] => {
  const folder = new URL(`${wire}/`, FIXTURES)
  const files = existsSync(folder) ? readdirSync(folder) : []
  return [...new Set(files.flatMap((file) => /^([\w-]+)\.(?:stream|body)\./.exec(file)?.[1] ?? []))]
}

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
  if (!existsSync(file)) throw new Error(`"${file}" does not exist${isAbsolute(file) ? '' : ` in ${process.cwd()}`}.`)
  if (statSync(file, { throwIfNoEntry: false })?.isFile() ?? false) return [readLooseFile(file, from)]
  const { exchanges, problems } = readExchanges(file)
  const [problem] = problems
  if (problem !== undefined) throw new Error(problem)
  if (exchanges.length === 0) throw new Error(`"${file}" has no recordings.`)
  return exchanges
}
