/**
 * `npm run style` counts the mannerisms of `docs/style.md` in all pages, help texts and messages, per 1,000 words.
 * `npm run style -- --list` prints each with its file.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { PAGES } from '../../docs/generate.ts'
import { countMannerisms, foundIn, MANNERISMS, type MannerismCount, proseOf, textsOf } from './mannerisms.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

const SOURCES: readonly string[] = ['src', 'docs/sections', 'docs/site'].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
    .sort(),
)

/** Every text that people read, by its file. */
export const READ_TEXTS: ReadonlyMap<string, string> = new Map([
  ...PAGES.map((page): [string, string] => [page, proseOf(read(page))]),
  ...SOURCES.map((file): [string, string] => [file, textsOf(read(file))]),
])

const perThousand = ({ total, words }: MannerismCount): string => ((1000 * total) / Math.max(words, 1)).toFixed(2)

function main(args: readonly string[]): void {
  if (args.includes('--list')) {
    for (const [file, text] of READ_TEXTS)
      for (const found of foundIn(text)) process.stdout.write(`${file}: ${found}\n`)
    return
  }
  const pages = [...READ_TEXTS].filter(([file]) => file.endsWith('.md'))
  const groups: readonly (readonly [string, string])[] = [
    ['pages', pages.map(([, text]) => text).join('\n')],
    [
      'help, messages and the page',
      [...READ_TEXTS]
        .filter(([file]) => !file.endsWith('.md'))
        .map(([, text]) => text)
        .join('\n'),
    ],
  ]
  for (const [name, text] of groups) {
    const count = countMannerisms(text)
    process.stdout.write(`${name}: ${count.total} in ${count.words} words, ${perThousand(count)} per 1,000\n`)
    for (const mannerism of Object.keys(MANNERISMS) as (keyof typeof MANNERISMS)[])
      process.stdout.write(`  ${String(count.counts[mannerism]).padStart(4)} ${mannerism}\n`)
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main(process.argv.slice(2))
