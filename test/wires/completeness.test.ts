import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { WIRE_ROUTES } from '../../src/gateway/clients/client-apis.ts'
import { CLIENT_PROTOCOLS } from '../../src/page/views/explain/protocols.ts'
import { LIVE_PROTOCOLS } from '../../src/page/views/live/answer/protocols.ts'
import { wireOfProtocol } from '../../src/page/views/live/client-paths.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import type { Wire } from '../../src/wires/contract.ts'
import { detectWire } from '../../src/wires/detect-wire.ts'
import { WIRES } from '../../src/wires/registry.ts'
import { findAnswerCodec } from '../../src/wires/stream-registry.ts'

const EXPORTS = Object.keys(JSON.parse(readFileSync('package.json', 'utf8')).exports)
const VENDOR_WIRES = new Set(VENDOR_NAMES.map((name) => findVendor(name)?.wire))
const FIXTURES = (name: string): readonly string[] => {
  const folder = join('fixtures', name)
  return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []
}

/** What a wire still lacks outside its folder, in words. The compiler demands all else. */
function lacksOf(name: string, wire: Wire): readonly string[] {
  const fixtures = FIXTURES(name)
  const streams = fixtures.filter((file) => file.includes('.stream.'))
  const upstream: readonly (readonly [has: boolean, lack: string])[] = [
    [existsSync(`docs/wires/${name}.md`), `a page docs/wires/${name}.md`],
    [EXPORTS.includes(`./wires/${name}`), `an export "./wires/${name}" in package.json`],
    [streams.length > 0, `a recorded stream fixtures/${name}/NAME.stream.*`],
    [fixtures.some((file) => file.endsWith('.body.json')), `a whole body fixtures/${name}/NAME.body.json`],
    [
      streams.some((file) => detectWire(readFileSync(file)) === name),
      'the shape of its answers in src/wires/detect-wire.ts',
    ],
    [VENDOR_WIRES.has(wire.name), 'a vendor in src/vendors/'],
  ]
  const client: readonly (readonly [has: boolean, lack: string])[] = [
    [WIRE_ROUTES.some((routes) => routes.name === name), 'a route in src/gateway/clients/client-apis.ts'],
    [findAnswerCodec(name) !== undefined, 'the part that encodes answers in src/wires/stream-registry.ts'],
    [wire.passthrough !== undefined, 'passthrough between equal protocols'],
    [CLIENT_PROTOCOLS.some(([client]) => client === name), 'a row in src/page/views/explain/protocols.ts'],
    [
      LIVE_PROTOCOLS.some((protocol) => wireOfProtocol(protocol) === name),
      'a row in src/page/views/live/client-paths.ts',
    ],
  ]
  return [...upstream, ...(wire.client === undefined ? [] : client)].flatMap(([has, lack]) => (has ? [] : [lack]))
}

it.each(Object.entries<Wire>(WIRES))('the wire %s lacks nothing outside its folder', (name, wire) => {
  expect(lacksOf(name, wire)).toEqual([])
})

it('says in words what a new wire lacks', () => {
  const lacks = lacksOf('new-wire', { ...WIRES['ollama-chat'], name: 'new-wire' } as unknown as Wire)
  expect(lacks).toContain('a page docs/wires/new-wire.md')
  expect(lacks).toContain('a route in src/gateway/clients/client-apis.ts')
  expect(lacks).toHaveLength(10)
})
