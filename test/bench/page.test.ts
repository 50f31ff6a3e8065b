import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { caseOfBase, type UNITS } from '../../bench/figure.ts'
import { PARTS } from '../../bench/parts.ts'
import { verdict } from '../../bench/report/goals.ts'
import { isWorse, toCell } from '../../bench/report/tables.ts'
import { renderedFiles } from '../../bench/report/write.ts'
import { type NodeResults, type PartResults, readBenchResults, textOfResults } from '../../bench/results.ts'

const ROOT = new URL('../../', import.meta.url)
const read = (file: string): string => readFileSync(new URL(file, ROOT), 'utf8')

const results = readBenchResults()

describe('the page of benchmarks', () => {
  it.each(Object.keys(renderedFiles(results)))(
    'has in %s exactly what the data give (npm run bench:all -- --write)',
    (file) => {
      expect(read(file)).toBe(renderedFiles(results)[file])
    },
  )

  it('keeps its data in the format that a run writes', () => {
    expect(read('bench/results.json')).toBe(textOfResults(results))
  })

  it('shows every measured case of every part', () => {
    const page = read('docs/benchmarks.md') + read('docs/benchmark-tables.md')
    for (const part of PARTS) {
      if (results[part.name] === undefined) continue
      for (const { figures } of Object.values(results[part.name] as PartResults)) {
        for (const { values } of Object.values(figures)) expect(page).toContain(toCell(values))
      }
    }
  })

  it('has a figure for each row of its first table', () => {
    const first =
      read('docs/benchmarks.md')
        .split('\n\n')
        .find((block) => block.startsWith('| ')) ?? ''
    expect(first.split('\n').length).toBeGreaterThan(6)
    expect(first).not.toContain('–')
  })

  it('has data only of parts that exist', () => {
    expect(Object.keys(results).filter((name) => !PARTS.some((part) => part.name === name))).toEqual([])
  })

  it('changes where a figure of the data changes', () => {
    const [part = '', own = {}] = Object.entries(results)[0] ?? []
    const [major = '', run] = Object.entries(own)[0] ?? []
    const [name = '', values] = Object.entries((run as NodeResults).figures)[0] ?? []
    const figures = { ...run?.figures, [name]: { ...values, values: [12_345] } }
    const changed = { ...results, [part]: { ...own, [major]: { ...run, figures } } } as typeof results
    expect(Object.values(renderedFiles(changed)).join('')).toContain('12345')
  })
})

const partOf = (unit: keyof typeof UNITS, figures: Readonly<Record<string, readonly number[]>>): PartResults => ({
  v20: {
    figures: Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, { unit, values }])),
  } as unknown as NodeResults,
})

describe('a goal', () => {
  const goal = { text: 'fast', isAbout: (name: string) => name.startsWith('text'), atLeast: 4 }

  it('is reached if the median of each of its cases reaches the bound', () => {
    expect(verdict(goal, partOf('× the floor', { 'text a': [3, 4, 5], 'text b': [9], other: [1] }), 'v20')).toBe(
      'reached',
    )
  })

  it('names the worst case if some cases do not reach it', () => {
    const own = partOf('× the floor', { 'text a': [3], 'text b': [2, 2.5, 9], 'text c': [8] })
    expect(verdict(goal, own, 'v20')).toBe('**not reached** by 2 of 3 cases; worst 2.50, text b')
  })

  it('names the highest value if lower is better', () => {
    const own = partOf('ms', { 'text a': [160], 'text b': [155] })
    expect(verdict({ text: 'slow', isAbout: () => true, atMost: 150 }, own, 'v20')).toContain('worst 160, text a')
  })

  it('is not about the same case of another build', () => {
    const own = partOf('× the floor', { 'text a': [5], [caseOfBase('text a')]: [3] })
    expect(verdict(goal, own, 'v20')).toBe('reached')
  })

  it('without a measured case says so', () => {
    expect(verdict(goal, {}, 'v20')).toBe('not measured')
  })
})

describe('a case in which the other side is better', () => {
  it.each([
    ['× the floor', 0.9, true],
    ['× the floor', 1.1, false],
    ['× the relay', 1.1, true],
    ['× the relay', 0.9, false],
    ['KiB', 1000, false],
  ] as const)('is known by its unit: %s, %f', (unit, value, expected) => {
    expect(isWorse({ unit, values: [value] })).toBe(expected)
  })
})

describe('the folders of the benchmarks', () => {
  const files = readdirSync(new URL('bench/', ROOT), { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /\.(?:ts|mjs)$/.test(file) && !/^(?:out|peers\/node_modules)\//.test(file))

  it('are the programs that the jobs of the parts start', () => {
    const programs = PARTS.flatMap((part) => part.jobs(true).map(({ program }) => program.replace(/\.js$/, '.ts')))
    expect(programs.filter((program) => !files.includes(program))).toEqual([])
  })
})
