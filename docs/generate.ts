/**
 * Writes the generated sections of all pages: `npm run docs`. A section stands between `<!-- generated: NAME -->` and
 * `<!-- end of generated -->`; everything else in a page is written by hand. `FILES` are generated as a whole. A test fails where a section is not current.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { conformanceSummary, readConformance } from '../bench/conformance/page.ts'
import { readResults } from '../test/runtimes/results.ts'
import { absentTable } from './sections/absent-members.ts'
import { agentLosses, agentTable, firstAnswerTable } from './sections/agents.ts'
import { carriedTable } from './sections/ai-sdk.ts'
import { bundleTable } from './sections/bundles.ts'
import { checkBounds, checkRowTable, checkRuleTable, mockFaultTable } from './sections/check-server.ts'
import { configurationOf } from './sections/configuration.ts'
import { dialectColumns, dialectEvents, dialectObjects } from './sections/dialects.ts'
import { answerLimits, ranges, requestLimits } from './sections/limits.ts'
import { lossTable } from './sections/losses.ts'
import { fenced } from './sections/markdown.ts'
import { factTable, familyTables, platformTable } from './sections/models.ts'
import { pageIndex } from './sections/page-index.ts'
import { otherRefusalTable, ruleTable } from './sections/rules.ts'
import { connectionTable, runtimeTable, workerSize } from './sections/runtimes.ts'
import { contractReasons, contractSummary, lossData } from './sections/sdk-contract.ts'
import {
  clickhouseSql,
  commands,
  destinationTable,
  engineTable,
  errorTable,
  metricTable,
  snowflakeSql,
  trace,
  usage,
} from './sections/server.ts'
import {
  otherWireTable,
  quirkTable,
  recordingTable,
  vendorQuirkTable,
  vendorTable,
  wireTable,
} from './sections/vendors.ts'

const ROOT = new URL('../', import.meta.url)

export const readPage = (page: string): string => readFileSync(new URL(page, ROOT), 'utf8')

type Section = (argument: string) => string | Promise<string>

const SECTIONS: Readonly<Record<string, Section>> = {
  configuration: configurationOf,
  vendors: vendorTable,
  'other wires': otherWireTable,
  quirks: quirkTable,
  'vendor quirks': vendorQuirkTable,
  'model facts': factTable,
  'model families': familyTables,
  'model platforms': platformTable,
  rules: ruleTable,
  'other refusals': otherRefusalTable,
  wires: wireTable,
  recordings: recordingTable,
  'bundle sizes': bundleTable,
  'dialect columns': dialectColumns,
  'dialect events': dialectEvents,
  'dialect objects': dialectObjects,
  metrics: metricTable,
  destinations: destinationTable,
  clickhouse: clickhouseSql,
  snowflake: snowflakeSql,
  engines: engineTable,
  errors: errorTable,
  'absent members': absentTable,
  'request limits': requestLimits,
  ranges,
  'answer limits': answerLimits,
  losses: lossTable,
  'sdk words': contractSummary,
  'sdk reasons': contractReasons,
  'ai sdk': carriedTable,
  agents: agentTable,
  'agent losses': agentLosses,
  'first answer': firstAnswerTable,
  conformance: () => conformanceSummary(readConformance()),
  runtimes: () => runtimeTable(readResults()),
  connections: () => connectionTable(readResults()),
  'worker size': () => workerSize(readResults()),
  usage,
  commands,
  trace,
  'check rows': checkRowTable,
  'check bounds': checkBounds,
  'check rules': checkRuleTable,
  'mock faults': mockFaultTable,
  example: (name) =>
    /^(?:sdk|testing)-/.test(name)
      ? fenced('js', readPage(`examples/${name}.mjs`))
      : fenced('ts', readPage(`examples/${name}.ts`)),
}

export const MARKED = /<!-- generated: ([\w ]+?)(?:: (\S+))? -->\n[\s\S]*?<!-- end of generated -->/g

/** The text of a page with all its generated sections made anew. */
export async function regenerate(page: string): Promise<string> {
  const made = await Promise.all(
    [...page.matchAll(MARKED)].map(async ([, name = '', argument = '']) => {
      const section = Object.hasOwn(SECTIONS, name) ? SECTIONS[name] : undefined
      if (section === undefined) throw new Error(`There is no generated section "${name}".`)
      const mark = argument === '' ? name : `${name}: ${argument}`
      return `<!-- generated: ${mark} -->\n${await section(argument)}\n<!-- end of generated -->`
    }),
  )
  return page.replace(MARKED, () => made.shift() ?? '')
}

/** All pages, from the root of the repository. */
export const PAGES: readonly string[] = [
  'README.md',
  'AGENTS.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'test/README.md',
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md') && !/^site[\\/]/.test(file))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
      .sort(),
  ),
]

/** Files that are generated as a whole. */
export const FILES: Readonly<Record<string, () => string>> = {
  'docs/losses.json': lossData,
  'llms.txt': () => pageIndex(PAGES),
}

async function main(): Promise<void> {
  const write = (file: string, before: string, after: string): void => {
    if (after === before) return
    writeFileSync(new URL(file, ROOT), after)
    process.stdout.write(`${file}\n`)
  }
  for (const page of PAGES) write(page, readPage(page), await regenerate(readPage(page)))
  for (const [file, make] of Object.entries(FILES))
    write(file, existsSync(new URL(file, ROOT)) ? readPage(file) : '', make())
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main()
