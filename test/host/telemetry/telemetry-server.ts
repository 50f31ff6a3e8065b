import type { StartOptions } from '../../../src/host/start-options.ts'
import { DESTINATION_TYPES, type DestinationType } from '../../../src/observability/destination-types.ts'
import { inPieces, streamOf } from '../../mock-upstreams/server.ts'
import { configFor, uuid } from '../../observability/samples.ts'
import { KEY, sha256, startTestServer } from '../test-server.ts'

export const MANAGEMENT_KEY = 'management-key-of-nobody'

export const KEYS = [
  { name: 'tester', sha256: sha256(KEY) },
  { name: 'boss', sha256: sha256(MANAGEMENT_KEY), kind: 'management' },
]

/** Returns a destination in the format of a configuration file. */
export const entryOf = (type: DestinationType, number: number, changes: object = {}) => ({
  id: uuid(number),
  type,
  name: `${type} ${number}`,
  created_at: '2026-10-01T12:00:00Z',
  config: configFor(type),
  ...changes,
})

export const ONE_OF_EACH = DESTINATION_TYPES.map((type, at) => entryOf(type, at + 1))

export const PATH = '/api/v1/observability/destinations'

export const listing = (url: string, query = '', key: string | null = MANAGEMENT_KEY): Promise<Response> =>
  fetch(`${url}${PATH}${query}`, key === null ? {} : { headers: { authorization: `Bearer ${key}` } })

export const QUICK = { batch_seconds: 0.02, attempts: 2, timeout_seconds: 600 }
/** The behaviour of the upstream in these tests. */
export const stream = inPieces(streamOf('Seven', ' degrees.'), 60)
export const collector = (number: number, url: string, changes: object = {}) =>
  entryOf('otel-collector', number, { config: { endpoint: url }, ...changes })

export const startTelemetryServer = (
  destinations: readonly object[],
  behave = stream,
  config: object = {},
  options: StartOptions = {},
) => startTestServer(behave, { keys: KEYS, destinations, forwarding: QUICK, ...config }, options)

/** Returns the sum of the metrics whose lines begin with `start`. */
export const metricOf = async (url: string, start: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(start))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}
