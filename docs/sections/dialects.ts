import type { Dialect } from '../../src/dialects/dialect.ts'
import { DIALECTS } from '../../src/dialects/registry.ts'
import { isObject } from '../../src/text/json.ts'
import { code, codes, table } from './markdown.ts'

const { beta, openai } = DIALECTS
const BOTH: readonly Dialect[] = [beta, openai]

const MEANINGS = {
  items: 'kinds of output items',
  parts: 'kinds of content parts',
  annotations: 'kinds of annotations',
  fields: 'optional fields of items',
  offsets: 'unit of citation offsets',
  earlyUsage: 'usage that is known before the first item is in `response.created`',
  hidesSources: 'pages that a web search found are left out of its item',
  infersPhases: 'messages of upstreams without phases have inferred ones',
  sealsAll: 'every reasoning item has `encrypted_content`',
  summary: 'entries of a reasoning `summary`',
  cacheLifetimes: 'lifetimes of tokens that were written to a cache',
  eventLines: '`event:` lines before `data:`',
  numbered: '`sequence_number` on every event',
  toolChoices: 'tool choices that clients can parse',
  inputItems: 'items of unknown type in `input`: `closed` refuses them',
  values:
    'values that this service does not have: `closed` refuses them, `open` leaves them to an upstream of the same protocol',
  terminator: 'data of the last frame',
  exact: 'clients refuse events with further fields',
} as const satisfies Record<Exclude<keyof Dialect, 'name' | 'events' | 'views' | 'leavesOut'>, string>

function show(value: unknown): string {
  if (value === undefined || value === false) return 'no'
  if (value === true) return 'yes'
  if (isObject(value)) return codes(Object.keys(value))
  return Array.isArray(value) ? codes(value) : code(String(value))
}

export const dialectColumns = (): string =>
  table(
    ['', ...BOTH.map(({ name }) => code(name))],
    Object.entries(MEANINGS).map(([column, meaning]) => [
      meaning,
      ...BOTH.map((dialect) => show(dialect[column as keyof typeof MEANINGS])),
    ]),
  )

type Row = readonly [name: string, ...columns: readonly string[]]

const showRows = (rows: readonly Row[]): string =>
  rows.length === 0 ? '–' : rows.map(([name, ...columns]) => `${code(name)} (${columns.join(', ')})`).join('; then ')

export const dialectEvents = (): string =>
  table(
    ['event', ...BOTH.map(({ name }) => code(name))],
    (Object.keys(beta.events) as (keyof Dialect['events'])[]).map((event) => [
      code(event),
      ...BOTH.map((dialect) => showRows(dialect.events[event])),
    ]),
  )

export const dialectObjects = (): string =>
  table(
    ['object', ...BOTH.map(({ name }) => code(name))],
    [...new Set(BOTH.flatMap(({ views }) => Object.keys(views)))].map((object) => [
      code(object),
      ...BOTH.map(({ views }) => (views[object] === undefined ? 'all fields' : codes(views[object]))),
    ]),
  )
