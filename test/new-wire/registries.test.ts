import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { WIRES } from '../../src/wires/registry.ts'
import { registriesOf } from '../../tools/new-wire/registries.ts'

describe('the registries of the wires', () => {
  it.each(Object.entries(registriesOf()))('are those that `npm run wires` writes: %s', (file, text) => {
    expect(readFileSync(file, 'utf8')).toBe(text)
  })

  it('contain a new wire with the parts that it has', () => {
    const wires = { ...Object.fromEntries(Object.keys(WIRES).map((name) => [name, true])), tiny: false }
    const made = registriesOf(wires, (file) => !/\/tiny\/answers/.test(file))
    expect(made['src/wires/registry.ts']).toContain("import { tiny } from './tiny/index.ts'")
    expect(made['src/wires/stream-registry.ts']).toContain('  tiny: tinyStream,\n}')
    expect(made['src/wires/stream-registry.ts']).not.toContain('tinyAnswers')
    expect(made['package.json']).toContain('"./dist/wires/tiny/index.js"')
  })
})
