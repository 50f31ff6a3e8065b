import { readFileSync } from 'node:fs'
import { PACKAGES } from '../../tools/sdk-contract/packages.ts'
import { type Row, readRows } from '../../tools/sdk-contract/rows.ts'
import { table } from './markdown.ts'

const versions = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>
  }
).devDependencies

/** The words of a cell, the best first. */
const WORDS = ['carried', 'mapped', 'dropped', 'refused', 'no effect', 'unused', 'unreported'] as const

/** The word that is true of most protocols, or the best one of several. */
const count = (rows: readonly Row[], cells: readonly (keyof Row)[], word: string): number =>
  rows.filter((row) => cells.some((cell) => new RegExp(`\\b${word}\\b`).test(row[cell]))).length

const REQUEST = ['requestSame', 'requestOthers'] as const
const ANSWER = ['answerSame', 'answerOthers'] as const

/** How many rows of each table have each word, for requests and for answers. */
export function contractSummary(): string {
  const lines = PACKAGES.flatMap(({ id, name }) => {
    const rows = readRows(id)
    const line = (title: string, cells: readonly (keyof Row)[]): readonly string[] => [
      title,
      ...WORDS.map((word) => `${count(rows, cells, word)}`),
    ]
    return [line(`${name} ${versions[name]}: requests`, REQUEST), line(`${name}: answers`, ANSWER)]
  })
  return table(['rows with the word', ...WORDS], lines)
}

/** The words of a cell that are losses. */
const LOSSES = ['mapped', 'dropped', 'refused'] as const
const SHOWN_REASONS = 4
/** Some reasons contain a semicolon themselves. */
const BETWEEN_REASONS = /; (?!the Responses API has both|send the text)/

/** What the clients and upstreams of other protocols lose of one package, with the most frequent reasons. */
export function contractReasons(id: string): string {
  const rows = readRows(id)
  const lines = (['requestOthers', 'answerOthers'] as const).flatMap((cell) =>
    LOSSES.flatMap((word) => {
      const found = rows.filter((row) => new RegExp(`\\b${word}\\b`).test(row[cell]))
      if (found.length === 0) return []
      const counts = new Map<string, number>()
      for (const why of found.flatMap((row) => new Set(row.why.split(BETWEEN_REASONS))))
        for (const reason of why) counts.set(reason, (counts.get(reason) ?? 0) + 1)
      counts.delete('')
      const reasons = [...counts].sort(([, one], [, other]) => other - one).slice(0, SHOWN_REASONS)
      const side = cell === 'requestOthers' ? 'requests' : 'answers'
      return [[`${side}: ${word}`, `${found.length}`, reasons.map(([why, times]) => `${why} (${times})`).join('; ')]]
    }),
  )
  return table(['to other protocols', 'rows', 'most frequent reasons'], lines)
}

/** What becomes of some words of one type of a package: a line of `docs/losses.json`. */
export interface LossEntry {
  readonly package: string
  readonly side: 'request' | 'answer'
  readonly type: string
  /** Members of the type, or values of the enumeration, that fare alike. */
  readonly words: readonly string[]
  /** Empty if the word does not occur between two ends of one protocol. */
  readonly same: string
  readonly others: string
  readonly why: string
}

/** The rows of all packages: members of one type that fare alike are one entry. */
export function lossEntries(): readonly LossEntry[] {
  return PACKAGES.flatMap(({ id }) => {
    const rows = readRows(id)
    const side = (name: LossEntry['side'], [same, others]: typeof REQUEST | typeof ANSWER): readonly LossEntry[] => {
      const groups = new Map<string, { readonly words: string[]; readonly row: Row; readonly type: string }>()
      for (const row of rows) {
        if (row[same] === '' && row[others] === '') continue
        const [type, word] = split(row.word)
        const key = JSON.stringify([type, row[same], row[others], row.why])
        const group = groups.get(key)
        if (group === undefined) groups.set(key, { words: [word], row, type })
        else group.words.push(word)
      }
      return [...groups.values()].map(({ words, row, type }) => ({
        package: id,
        side: name,
        type,
        words,
        same: row[same],
        others: row[others],
        why: row.why,
      }))
    }
    return [...side('request', REQUEST), ...side('answer', ANSWER)]
  })
}

/** The packages and the entries as JSON, one entry a line. */
export function lossData(): string {
  const packages = PACKAGES.map(({ id, name }) => ({ id, name, version: versions[name] }))
  const list = (values: readonly object[]): string => values.map((value) => `\n${JSON.stringify(value)}`).join(',')
  return `{"packages":[${list(packages)}\n],"entries":[${list(lossEntries())}\n]}\n`
}

/** The type or the union of a word, and the rest. */
function split(word: string): readonly [string, string] {
  const value = word.indexOf(' = ')
  if (value >= 0) return [word.slice(0, value), word.slice(value + 3)]
  if (word.endsWith(']')) return [word.slice(0, word.lastIndexOf('[')), word.slice(word.lastIndexOf('['))]
  const dot = word.lastIndexOf('.')
  return dot < 0 ? ['', word] : [word.slice(0, dot), word.slice(dot + 1)]
}
