import { readFileSync } from 'node:fs'
import { FACT_DESCRIPTIONS } from '../../src/models/fact-descriptions.ts'
import { FACTS, type ModelFacts } from '../../src/models/facts.ts'
import { HOSTS } from '../../src/models/hosts.ts'
import { MAKERS } from '../../src/models/makers.ts'
import { MODEL_FAMILIES } from '../../src/models/model-facts.ts'
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

/** The comment of a row: `Grok 4; source: docs.x.ai (2026-11).` */
const COMMENT = /\/\*\* (.+?); source: (.+ \(\d{4}-\d{2}\))\. \*\//g

const FILES = ['claude', 'gpt', 'gemini', 'grok', 'open-models', 'closed-models']

const readModels = (file: string): string =>
  readFileSync(new URL(`../../src/models/${file}.ts`, import.meta.url), 'utf8')

/** The texts of the families, by their names. */
const familyTexts = (): ReadonlyMap<string, string> =>
  new Map(
    FILES.flatMap((file) => readModels(file).split(': ModelFamily = {').slice(1)).map((text) => [
      /name: '([^']+)'/.exec(text)?.[1] ?? '',
      text,
    ]),
  )

/** The cells of rows, whose comments stand in a text in the same order. */
function cellsOf(name: string, rows: readonly ModelRow[], text: string): readonly string[][] {
  const comments = [...text.matchAll(COMMENT)]
  if (comments.length !== rows.length)
    throw new Error(`src/models: ${name} has ${rows.length} rows and ${comments.length} comments with their sources`)
  return rows.map(({ facts }, at) => [comments[at]?.[1] ?? '', factsOf(facts), comments[at]?.[2] ?? ''])
}

/** One table for each family. */
export function familyTables(): string {
  const texts = familyTexts()
  return MODEL_FAMILIES.map(({ name, rows }) => {
    const cells = cellsOf(name, rows, texts.get(name) ?? '')
    return [`### ${name}`, '', table(['models', 'facts', 'source'], cells)].join('\n')
  }).join('\n\n')
}

/** The facts in which a platform differs. */
export const platformTable = (): string =>
  table(
    ['platform', 'models', 'facts', 'source'],
    Object.entries({ makers: MAKERS, hosts: HOSTS }).flatMap(([file, rows]) =>
      cellsOf(file, rows, readModels(file)).map((cells, at) => [code(rows[at]?.platform ?? ''), ...cells]),
    ),
  )
