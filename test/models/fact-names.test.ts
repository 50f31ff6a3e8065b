import { expect, it } from 'vitest'
import { FACT_NAMES } from '../../src/models/fact-names.ts'
import { FACTS } from '../../src/models/facts.ts'
import { QUIRK_NAMES } from '../../src/wires/quirk-names.ts'
import { QUIRKS } from '../../src/wires/quirk-table.ts'

it.each([
  ['facts', FACT_NAMES, FACTS],
  ['quirks', QUIRK_NAMES, QUIRKS],
])('the names of the %s are those of their table, in its order', (_, names, table) => {
  expect(names).toEqual(Object.keys(table))
})
