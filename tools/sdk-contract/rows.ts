import { existsSync, readFileSync } from 'node:fs'

/**
 * A line of a table: a word, or all words of a type that is passed on or dropped as a whole (`Type.*`, `Type = *`), and
 * what becomes of it. A cell is empty if the word does not occur in that direction.
 */
export interface Row {
  readonly word: string
  /** A request of a client to an upstream of the same protocol. */
  readonly requestSame: string
  /** A request of a client to upstreams of the other protocols. */
  readonly requestOthers: string
  /** An answer of an upstream to a client of the same protocol. */
  readonly answerSame: string
  /** An answer of an upstream to clients of the other protocols. */
  readonly answerOthers: string
  readonly why: string
}

export const CELLS = ['requestSame', 'requestOthers', 'answerSame', 'answerOthers'] as const

const TITLES = ['word', 'request, same protocol', 'request, others', 'answer, same protocol', 'answer, others', 'why']

const fileOf = (id: string): URL => new URL(`rows/${id}.tsv`, import.meta.url)

export const formatRows = (rows: readonly Row[]): string =>
  [TITLES, ...rows.map((row) => [row.word, ...CELLS.map((cell) => row[cell]), row.why])]
    .map((line) => `${line.join('\t')}\n`)
    .join('')

export function readRows(id: string): readonly Row[] {
  if (!existsSync(fileOf(id))) return []
  const [, ...lines] = readFileSync(fileOf(id), 'utf8').trimEnd().split('\n')
  return lines.map((line) => {
    const [word = '', requestSame = '', requestOthers = '', answerSame = '', answerOthers = '', why = ''] =
      line.split('\t')
    return { word, requestSame, requestOthers, answerSame, answerOthers, why }
  })
}

/** The pattern of all words of the same type; null for variants of a union, which have rows of their own. */
export function patternOf(word: string): string | null {
  if (word.endsWith(']')) return null
  const value = word.indexOf(' = ')
  if (value >= 0) return `${word.slice(0, value)} = *`
  const member = word.lastIndexOf('.')
  return member < 0 ? null : `${word.slice(0, member)}.*`
}

/** The row of a word: its own, or the one of its type. */
export const findRow = (rows: ReadonlyMap<string, Row>, word: string): Row | undefined =>
  rows.get(word) ?? rows.get(patternOf(word) ?? '')

export const byWord = (rows: readonly Row[]): ReadonlyMap<string, Row> => new Map(rows.map((row) => [row.word, row]))

const isWhole = ({ requestOthers, answerOthers }: Row): boolean =>
  !/carried|mapped/.test(`${requestOthers} ${answerOthers}`)

/** Joins the rows of a type that no other protocol has, if all of them are alike. `roots` keep a row for each member. */
export function joinRows(rows: readonly Row[], roots: readonly string[]): readonly Row[] {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const pattern = patternOf(row.word)
    const key = pattern === null || roots.includes(pattern.replace(/(\.| = )\*$/, '')) ? row.word : pattern
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups].flatMap(([pattern, group]) => {
    const [first] = group
    const alike = first !== undefined && group.every((row) => CELLS.every((cell) => row[cell] === first[cell]))
    if (!alike || group.length < 2 || !isWhole(first)) return group
    return [{ ...first, word: pattern }]
  })
}
