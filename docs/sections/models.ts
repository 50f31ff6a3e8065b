import { FACT_DESCRIPTIONS } from '../../src/models/fact-descriptions.ts'
import { FACTS, type ModelFacts } from '../../src/models/facts.ts'
import { MODEL_FAMILIES } from '../../src/models/model-facts.ts'
import { PLATFORM_ROWS } from '../../src/models/platforms.ts'
import type { ModelRow } from '../../src/models/row.ts'
import { code, codes, table } from './markdown.ts'

const valuesOf = (row: (typeof FACTS)[keyof typeof FACTS]): string => {
  if ('one' in row) return codes(row.one)
  if ('some' in row) return `some of ${codes(row.some)}`
  return row.type === 'flag' ? '`true`, `false`' : 'number'
}

const FACT_NAMES = Object.keys(FACTS) as (keyof typeof FACTS)[]

/** The names of all facts, with their values and meanings. */
export const factTable = (): string =>
  table(
    ['fact', 'values', 'meaning'],
    FACT_NAMES.map((name) => [code(name), valuesOf(FACTS[name]), FACT_DESCRIPTIONS[name]]),
  )

const showFact = ([name, value]: readonly [string, unknown]): string => {
  if (value === true) return code(name)
  return `${code(name)}: ${Array.isArray(value) ? value.join(' ') : value}`
}

/** The family stands above the table. */
const factsOf = ({ family: _, ...facts }: ModelFacts): string => Object.entries(facts).map(showFact).join('; ')

const cellsOf = ({ title, facts, source, date }: ModelRow): string[] => [title, factsOf(facts), `${source} (${date})`]

/** One table for each family. */
export const familyTables = (): string =>
  MODEL_FAMILIES.map(({ name, rows }) =>
    [`### ${name}`, '', table(['models', 'facts', 'source'], rows.map(cellsOf))].join('\n'),
  ).join('\n\n')

/** The facts in which a platform differs. */
export const platformTable = (): string =>
  table(
    ['platform', 'models', 'facts', 'source'],
    PLATFORM_ROWS.map((row) => [code(row.platform), ...cellsOf(row)]),
  )
