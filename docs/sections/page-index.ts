import { readFileSync } from 'node:fs'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

/** Pages of a folder that the package leaves out are for contributors. */
function isForContributors(page: string): boolean {
  const { files } = JSON.parse(read('package.json')) as { readonly files: readonly string[] }
  const names = files.flatMap((file) => /^!docs\/\{(.*)\}\.md$/.exec(file)?.[1]?.split(',') ?? [])
  return names.some((name) => page === `docs/${name}.md`) || !/^(?:docs|examples)\//.test(page)
}

/** The first sentence of a page, which is its purpose, without links. */
function purposeOf(text: string): string {
  const line = text.split('\n')[2] ?? ''
  const plain = line.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?= (?:[A-Z`]|millrace)|$)/.exec(plain)?.[0].replace(/[.:]$/, '') ?? plain
}

/** `llms.txt` (llmstxt.org): every page with its purpose, for programs that read documentation. */
export function pageIndex(pages: readonly string[]): string {
  const [title, , purpose] = read('README.md').split('\n')
  const lines = (some: readonly string[]): string =>
    some
      .map((page) => {
        const text = read(page)
        return `- [${text.slice(2, text.indexOf('\n'))}](${page}): ${purposeOf(text)}`
      })
      .join('\n')
  const [forUsers, forContributors] = [false, true].map((side) =>
    pages.filter((page) => page !== 'README.md' && isForContributors(page) === side),
  ) as [string[], string[]]
  return [
    title,
    `> ${purpose}`,
    'A library (`npm install millrace`), a gateway (`npx millrace serve`) and a command line. Start with [the README](README.md).',
    `## Pages\n\n${lines(forUsers)}`,
    `## Optional\n\n${lines(forContributors)}`,
  ]
    .join('\n\n')
    .concat('\n')
}
