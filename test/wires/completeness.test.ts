import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { WIRE_ROUTES } from '../../src/gateway/clients/client-apis.ts'
import { FAMILIES } from '../../src/gateway/openapi/clients.ts'
import { lookup } from '../../src/text/lookup.ts'
import { findVendor, VENDOR_NAMES } from '../../src/vendors/registry.ts'
import type { KnownWire } from '../../src/wires/contract.ts'
import { detectWire } from '../../src/wires/detect-wire.ts'
import { findAnswerCodec } from '../../src/wires/find-stream-wire.ts'
import { WIRES } from '../../src/wires/registry.ts'
import type { WireTraits } from '../../src/wires/traits.ts'
import { WIRE_TRAITS } from '../../src/wires/traits-registry.ts'

const VENDOR_WIRES = new Set(VENDOR_NAMES.map((name) => findVendor(name)?.wire))
const FIXTURES = (name: string): readonly string[] => {
  const folder = join('fixtures', name)
  return existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []
}

/** What a wire still lacks outside its folder, in words. The compiler demands all else. */
function lacksOf(name: string, wire: KnownWire): readonly string[] {
  const fixtures = FIXTURES(name)
  const streams = fixtures.filter((file) => file.includes('.stream.'))
  const upstream: readonly (readonly [has: boolean, lack: string])[] = [
    [
      wire.modelInPath === lookup<WireTraits>(WIRE_TRAITS, name)?.modelInPath,
      `the same modelInPath in src/wires/${name}/index.ts and traits.ts`,
    ],
    [existsSync(`docs/wires/${name}.md`), `a page docs/wires/${name}.md`],
    [streams.length > 0, `a recorded stream fixtures/${name}/NAME.stream.*`],
    [fixtures.some((file) => file.endsWith('.body.json')), `a whole body fixtures/${name}/NAME.body.json`],
    [
      streams.some((file) => detectWire(readFileSync(file)) === name),
      `the shape of its answers in src/wires/${name}/traits.ts`,
    ],
    [VENDOR_WIRES.has(wire.name), 'a vendor in src/vendors/'],
  ]
  const client: readonly (readonly [has: boolean, lack: string])[] = [
    [WIRE_ROUTES.some((routes) => routes.name === name), 'a route in src/gateway/clients/client-apis.ts'],
    [findAnswerCodec(name) !== undefined, `the part that encodes answers in src/wires/${name}/answers.ts`],
    [wire.passthrough !== undefined, 'passthrough between equal protocols'],
    [FAMILIES[wire.name] !== undefined, 'its schemas in src/gateway/openapi/clients.ts'],
    [
      lookup<WireTraits>(WIRE_TRAITS, name)?.client !== undefined,
      `the bodies of its clients in src/wires/${name}/traits.ts`,
    ],
  ]
  return [...upstream, ...(wire.client === undefined ? [] : client)].flatMap(([has, lack]) => (has ? [] : [lack]))
}

it.each(Object.entries<KnownWire>(WIRES))('the wire %s lacks nothing outside its folder', (name, wire) => {
  expect(lacksOf(name, wire)).toEqual([])
})

it('says in words what a new wire lacks', () => {
  const lacks = lacksOf('new-wire', { ...WIRES['ollama-chat'], name: 'new-wire' } as unknown as KnownWire)
  expect(lacks).toContain('a page docs/wires/new-wire.md')
  expect(lacks).toContain('a route in src/gateway/clients/client-apis.ts')
  expect(lacks).toHaveLength(9)
})
