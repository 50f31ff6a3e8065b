import { mockFixtures } from '../testing/load-recordings.ts'
import { MOCK_FAULTS } from '../testing/mock/faults.ts'
import { type MockSettings, parseSetting } from '../testing/mock/mock-settings.ts'
import { openMock } from '../testing/mock/open-mock.ts'
import { WIRES } from '../wires/registry.ts'
import { releaseHangUps } from './hang-up.ts'
import { servedAddress } from './listen-options.ts'
import { plain } from './output/line-style.ts'
import { holdStopSignals } from './stop-signals.ts'
import type { Streams } from './streams.ts'

export interface MockServerOptions {
  readonly port?: string
  readonly host?: string
  readonly key?: string
  readonly fault?: string
  readonly pieces?: string
  readonly delay?: string
  readonly pace?: string
  readonly cut?: string
  readonly list?: true
}

const DEFAULT_PORT = 8788

/** Runs a server with scripted answers until a signal stops it. Resolves with the exit code. */
export async function mock(
  { port, host, key, list, ...given }: MockServerOptions,
  { stdout }: Streams,
): Promise<number> {
  if (list === true) return printNames(stdout)
  const settings = settingsOf(given)
  const address = servedAddress({
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
  })
  releaseHangUps()
  const onStopSignal = holdStopSignals()
  const server = await openMock({
    port: DEFAULT_PORT,
    ...address,
    ...settings,
    ...(key === undefined ? {} : { key }),
    holdsProcess: true,
    onRequest: ({ method, path, status, refused }) => {
      stdout.write(`${method} ${plain(path)} ${status}${refused === null ? '' : `: ${plain(refused)}`}\n`)
    },
  })
  stdout.write(`Listening on ${server.url}. Base URLs: ${server.url}/v1, and for Google ${server.url}/v1beta\n`)
  await new Promise<void>((resolve) => onStopSignal(() => resolve()))
  await server.close()
  return 0
}

/** The options with their names in errors. */
function settingsOf(given: Readonly<Partial<Record<keyof MockSettings, string>>>): MockSettings {
  const all = Object.entries(given).flatMap(([name, value]) => {
    try {
      return Object.entries(parseSetting(name as keyof MockSettings, value))
    } catch (error) {
      throw new Error(`--${error instanceof Error ? error.message : String(error)}`)
    }
  })
  return Object.fromEntries(all)
}

const NAME_WIDTH = 32

function printNames(stdout: Streams['stdout']): number {
  const names = Object.values(WIRES).map(({ name }) => `${name.padEnd(NAME_WIDTH)}${mockFixtures(name).join(', ')}\n`)
  const faults = Object.entries(MOCK_FAULTS).map(([name, { about }]) => `${name.padEnd(NAME_WIDTH)}${about}\n`)
  stdout.write(`Fixtures:\n${names.join('')}\nFaults:\n${faults.join('')}`)
  return 0
}
