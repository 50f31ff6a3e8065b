import { describe, expect, it } from 'vitest'
import { checkServer, type ServerReport } from '../../../src/api/check-server/check-server.ts'
import type { CheckedProtocol } from '../../../src/api/check-server/protocols.ts'
import type { MockOptions } from '../../../src/testing/mock/open-mock.ts'
import type { WireName } from '../../../src/wires/contract.ts'
import { WIRE_UPSTREAMS } from '../../mock-upstreams/wires.ts'
import { KEY, startGateway, UPSTREAM_KEY } from '../test-server.ts'
import { isFault, openWebSocket, PROTOCOL_NAMES, PROTOCOLS, startMock } from './checked-servers.ts'

/** The checker of live servers finds nothing in this server, over a mock of each wire. */

/** Upstreams without stop sequences, which a check of a client protocol that has them shows. */
const WITHOUT_STOP: readonly WireName[] = ['openai-responses', 'gemini-interactions']

const faultsOver = (wire: WireName, { rows }: ServerReport) =>
  rows.filter((row) => isFault(row) && !(row.name === 'stop' && row.status === 'warned' && WITHOUT_STOP.includes(wire)))

const expectClean = ({ rows }: ServerReport): void => {
  expect(rows.filter(isFault)).toEqual([])
  expect(rows.filter(({ status }) => status === 'passed').length).toBeGreaterThan(25)
}

/** The base URLs of the mock, as those of the vendors. */
const UPSTREAM_PATHS: Readonly<Partial<Record<WireName, string>>> = {
  'gemini-generate': '/v1beta',
  'gemini-interactions': '/v1beta',
  'bedrock-converse': '',
  'cohere-chat': '',
  'ollama-chat': '',
}

/** A gateway whose vendors are all wires of a mock. */
async function startOwn(options: MockOptions = {}): Promise<string> {
  // Without pauses: the mock paces its long answers for checks that look at their pieces.
  const mock = await startMock({ key: UPSTREAM_KEY, pace: 0, ...options })
  const vendors = Object.fromEntries(
    Object.values(WIRE_UPSTREAMS).map(({ wire, quirks }) => [
      wire,
      { wire, base_url: mock + (UPSTREAM_PATHS[wire] ?? '/v1'), key: { env: 'ACME_KEY' }, quirks },
    ]),
  )
  const { url } = await startGateway({ vendors })
  return url
}

const checkOwn = (url: string, protocol: CheckedProtocol, wire: WireName): Promise<ServerReport> =>
  checkServer({
    url: url + PROTOCOLS[protocol].own,
    key: KEY,
    model: `${wire}/${WIRE_UPSTREAMS[wire].model}`,
    protocol,
    openWebSocket,
  })

describe('a check of this server', () => {
  it.each(Object.values(WIRE_UPSTREAMS))('finds nothing over an upstream of $wire', async ({ wire }) => {
    expectClean(await checkOwn(await startOwn(), 'responses', wire))
  })

  // The first test has the Responses API over each upstream.
  it.each(PROTOCOL_NAMES.filter((name) => name !== 'responses'))(
    'finds nothing in its answers of %s over any upstream',
    async (protocol) => {
      const url = await startOwn()
      for (const { wire } of Object.values(WIRE_UPSTREAMS)) {
        expect([wire, faultsOver(wire, await checkOwn(url, protocol, wire))]).toEqual([wire, []])
      }
    },
  )

  it.each([1, 7])('finds nothing if the upstream sends pieces of %d bytes', async (pieces) => {
    expectClean(await checkOwn(await startOwn({ pieces }), 'responses', 'openai-chat'))
  })
})
