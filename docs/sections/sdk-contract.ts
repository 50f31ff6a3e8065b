import { readFileSync } from 'node:fs'
import { PACKAGES } from '../../test/sdk-contract/packages.ts'
import { type Row, readRows } from '../../test/sdk-contract/rows.ts'
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
    return [line(`[${name}](losses/${id}.md) ${versions[name]}: requests`, REQUEST), line(`${name}: answers`, ANSWER)]
  })
  return table(['rows with the word', ...WORDS], lines)
}

/** The rows of one package: members of one type that fare alike are one line. */
export function contractTable(id: string): string {
  const rows = readRows(id)
  const side = (title: string, [same, others]: readonly [keyof Row, keyof Row]): string => {
    const found = rows.filter((row) => row[same] !== '' || row[others] !== '')
    const groups = new Map<string, { readonly names: string[]; readonly row: Row; readonly owner: string }>()
    for (const row of found) {
      const [owner, name] = split(row.word)
      const key = JSON.stringify([owner, row[same], row[others], row.why])
      const group = groups.get(key)
      if (group === undefined) groups.set(key, { names: [name], row, owner })
      else group.names.push(name)
    }
    const lines = [...groups.values()].map(({ names, row, owner }) => [
      `${owner}: ${names.map((name) => `\`${name}\``).join(' ')}`,
      row[same] || '–',
      row[others],
      row.why,
    ])
    return `### ${title}\n\n${table(['words', 'same protocol', 'other protocols', 'why'], lines)}`
  }
  return `${side('Requests', REQUEST)}\n\n${side('Answers', ANSWER)}`
}

/** The type or the union of a word, and the rest. */
function split(word: string): readonly [string, string] {
  const value = word.indexOf(' = ')
  if (value >= 0) return [word.slice(0, value), word.slice(value + 3)]
  if (word.endsWith(']')) return [word.slice(0, word.lastIndexOf('[')), word.slice(word.lastIndexOf('['))]
  const dot = word.lastIndexOf('.')
  return dot < 0 ? ['', word] : [word.slice(0, dot), word.slice(dot + 1)]
}
