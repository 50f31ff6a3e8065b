/**
 * Checks a version before it is published: `npm run release:check -- v1.2.3`. The tag, package.json and the first
 * version of CHANGELOG.md must agree, and nothing may be left under "Unreleased". Prints the version's own section.
 */
import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

const ROOT = new URL('../../', import.meta.url)

/** The sections of a changelog by their titles, in its order. */
export const sectionsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(/^## /m)
      .slice(1)
      .map((section) => {
        const [title = '', ...lines] = section.split('\n')
        return [title.trim(), lines.join('\n').trim()]
      }),
  )

/** Returns the problems of a release; none: it can be published. */
export function releaseProblems(tag: string, version: string, changelog: string): readonly string[] {
  const sections = sectionsOf(changelog)
  const first = [...sections.keys()].find((title) => title !== 'Unreleased')
  return [
    ...(tag === `v${version}` ? [] : [`The tag is ${tag}, the version in package.json ${version}.`]),
    ...((sections.get('Unreleased') ?? '') === ''
      ? []
      : [`CHANGELOG.md has lines under "Unreleased". Move them to ${version}.`]),
    ...(first?.split(' ')[0] === version ? [] : [`The first version in CHANGELOG.md is ${first}, not ${version}.`]),
    ...(/^\S+ \(\d{4}-\d\d-\d\d\)$/.test(first ?? '') ? [] : [`CHANGELOG.md: expected "## ${version} (YYYY-MM-DD)".`]),
  ]
}

function main([tag = '']: readonly string[]): number {
  const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')
  const { version } = JSON.parse(read('package.json'))
  const changelog = read('CHANGELOG.md')
  const problems = releaseProblems(tag, version, changelog)
  if (problems.length > 0) {
    process.stderr.write(`${problems.join('\n')}\n`)
    return 1
  }
  const section = [...sectionsOf(changelog)].find(([title]) => title !== 'Unreleased')
  process.stdout.write(`${section?.[1]}\n`)
  return 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = main(process.argv.slice(2))
