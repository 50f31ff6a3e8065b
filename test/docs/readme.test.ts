import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { median } from '../../bench/measure.ts'
import { readBenchResults } from '../../bench/results.ts'
import { readPage } from '../../docs/generate.ts'
import { checkRowNames } from '../../src/api/check-server/check-server.ts'
import { COMMANDS } from '../../src/cli/commands.ts'
import { MOCK_FAULTS } from '../../src/testing/mock/faults.ts'
import { VENDOR_NAMES } from '../../src/vendors/registry.ts'
import { ROOT } from './programs.ts'

/** What README says of the program, held against the program. Links, code blocks and scripts have tests of their own. */

const README = readPage('README.md')
const lines = README.split('\n')

/** Names of companies whose vendors have another name. */
const VENDOR_OF: Readonly<Record<string, string>> = { aws: 'bedrock', 'github copilot': 'copilot' }

describe('README', () => {
  it('says in its first screen what it is for, how it starts, for whom, how fast, and how it looks', () => {
    const screen = lines.slice(0, 20).join('\n')
    expect(lines[2]).toMatch(/^\*\*.+\*\*/)
    for (const part of [
      'npx millrace launch',
      'npx millrace serve',
      'docs/vendors.md',
      ' ms ',
      'never dropped silently',
    ])
      expect(screen).toContain(part)
    const [, picture = ''] = /!\[[^\]]{30,}\]\((\S+)\)/.exec(screen) ?? []
    const header = readFileSync(new URL(picture, ROOT)).subarray(0, 24)
    expect([header.toString('latin1', 1, 4), header.readUInt32BE(16)]).toEqual(['PNG', 1280])
  })

  it('names only providers that the program knows', () => {
    const [, names = ''] = /It knows (.+?) and \[/.exec(README) ?? []
    const known = (name: string): boolean => {
      const id = (VENDOR_OF[name] ?? name).replaceAll(/[ .]/g, '')
      return VENDOR_NAMES.includes(id)
    }
    const list = names.toLowerCase().split(', ')
    expect(list.length).toBeGreaterThan(15)
    expect(list.filter((name) => !known(name))).toEqual([])
    expect(VENDOR_NAMES.length).toBeGreaterThan(1.5 * list.length)
  })

  it('has the figure of the benchmarks', () => {
    const [, figure, major, command] =
      /adds ([\d.]+) ms to the first byte \(Node (\d+), median, `npm run bench:all -- --only (\w+)`/.exec(README) ?? []
    const figures = readBenchResults()[command ?? '']?.[`v${major}`]?.figures
    const values = figures?.['time to first byte that the server adds, median']?.values ?? []
    expect(figure).toBe(median(values).toFixed(1))
  })

  it('counts the requests of check and the errors of the mock as they are', () => {
    expect(README).toContain(`\`check\` sends up to ${checkRowNames().length} kinds of requests`)
    expect(Object.keys(MOCK_FAULTS).length).toBeGreaterThan(100)
  })

  it('names every command, and none that does not exist', () => {
    const called = [...README.matchAll(/npx millrace ([a-z]+)/g)].map(([, name = '']) => name)
    expect(called.filter((name) => name !== 'help' && !COMMANDS.has(name))).toEqual([])
    expect([...COMMANDS.keys()].filter((name) => name !== 'completion' && !README.includes(`\`${name}\``))).toEqual([])
  })
})
