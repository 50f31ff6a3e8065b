import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ModelFacts } from '../../src/models/facts.ts'
import { modelFacts } from '../../src/models/model-facts.ts'
import type { Platform } from '../../src/models/row.ts'
import { RECORDINGS_DIR } from '../recordings.ts'

/**
 * Compares the table of models with a collection of published facts, one row for a family on a platform. The collection
 * is not part of the repository: it lies beside the folder of recordings.
 */
const FILE = resolve(RECORDINGS_DIR, '../reference/model-facts.tsv')

interface PublishedRow {
  readonly platform: string
  readonly model: string
  readonly cells: ReadonlyMap<string, string>
}

function readRows(): readonly PublishedRow[] {
  if (!existsSync(FILE)) return []
  const [head = '', ...lines] = readFileSync(FILE, 'utf8').trimEnd().split('\n')
  const names = head.split('\t')
  return lines.flatMap((line) => {
    const values = line.split('\t')
    const cells = new Map(names.map((name, at) => [name, values[at] ?? '']))
    const examples = (cells.get('examples') ?? '').split(' ').filter((example) => example !== '')
    return examples.map((model) => ({ platform: cells.get('platform') ?? 'any', model, cells }))
  })
}

const PLATFORMS: Readonly<Record<string, Platform>> = {
  'bedrock-converse': 'bedrock',
  'gemini-api': 'google',
  'openai-api': 'openai',
  'chatgpt-backend': 'chatgpt',
  vertex: 'vertex',
  foundry: 'foundry',
  xai: 'xai',
  deepseek: 'deepseek',
  moonshot: 'moonshot',
  zai: 'zai',
  mistral: 'mistral',
  alibaba: 'alibaba',
  minimax: 'minimax',
  cohere: 'cohere',
  perplexity: 'perplexity',
  groq: 'groq',
}

/** The first statement of a cell, without its marks and without those about other platforms. */
const plain = (cell: string): string =>
  cell.replace(/\[[^\]]*\]/g, '').split(/;? (?:Bedrock|Groq|Together|at [A-Z])/)[0] ?? ''

type Statement = readonly [fact: string, published: unknown, ours: unknown]

function reasonsOf(cell: string): ModelFacts['reasons'] {
  const text = plain(cell)
  if (/^always/.test(text)) return 'always'
  if (/^never/.test(text)) return 'never'
  return /can be turned off|off by default|off with 0/.test(text) ? 'optional' : undefined
}

function effortsOf(cell: string): readonly string[] | undefined {
  const steps =
    /(?:effort|level) (?:none\|)?((?:minimal|low|medium|high|xhigh|max)(?:\|\w+)+|(?:medium|high)(?= only))/.exec(
      plain(cell),
    )?.[1]
  return steps?.split('|').filter((step) => step !== 'none')
}

function forcedOf(cell: string): ModelFacts['forcedTools'] {
  if (/^auto and none only/.test(cell)) return 'none'
  return /^any and tool accepted/.test(cell) ? 'all' : undefined
}

function limitOf(cell: string): number | undefined {
  const number = /^(\d{4,})\b/.exec(cell)?.[1]
  return number === undefined ? undefined : Number(number)
}

function statementsOf({ platform, model, cells }: PublishedRow): readonly Statement[] {
  const facts = modelFacts(model, { platform: PLATFORMS[platform] })
  const cell = (name: string): string => cells.get(name) ?? ''
  const all: readonly Statement[] = [
    ['reasons', reasonsOf(cell('reasoning')), facts.reasons],
    ['efforts', effortsOf(cell('reasoning')), facts.efforts],
    ['forcedTools', forcedOf(cell('tool_choice')), facts.forcedTools ?? 'all'],
    ['context', limitOf(cell('context')), facts.context],
    ['mostOutput', cell('output_limit').includes(',') ? undefined : limitOf(cell('output_limit')), facts.mostOutput],
  ]
  return all.filter(([, published]) => published !== undefined)
}

/** Why the table differs: `model fact` → reason. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'any gpt-5.6 efforts': '`max` is a step of the Responses API only: chatEfforts',
  'any gpt-5.6-sol efforts': '`max` is a step of the Responses API only: chatEfforts',
  'any us.openai.gpt-5.6-luna efforts': '`max` is a step of the Responses API only: chatEfforts',
  'openrouter deepseek/deepseek-v4-pro efforts': 'routers map efforts to the model themselves',
  'any gemma-4-31b-it efforts': 'the steps are those of Google’s API; the weights have a switch',
  'any kimi-k3': 'Moonshot’s API refuses `none`, the template of the weights has it',
  'any moonshotai/kimi-k3': 'Moonshot’s API refuses `none`, the template of the weights has it',
  'any global.moonshotai.kimi-k3': 'Moonshot’s API refuses `none`, the template of the weights has it',
  'any MiniMax-M2.7 efforts': 'the steps are those of MiniMax’s API; the weights have none',
  'any minimax-m2.5-highspeed efforts': 'the steps are those of MiniMax’s API; the weights have none',
  'perplexity sonar-pro efforts': 'the steps are those of sonar-deep-research, in the same row',
}

describe('the table of models beside published facts', () => {
  const rows = readRows()

  it.runIf(rows.length === 0)('has a collection to compare with', ({ skip }) => skip(`There is no ${FILE}.`))

  it.runIf(rows.length > 0)('states the same, but for the listed differences', () => {
    const statements = rows.flatMap((row) => statementsOf(row).map((statement) => [row, statement] as const))
    const different = statements.filter(([, [, published, ours]]) => JSON.stringify(published) !== JSON.stringify(ours))
    const lines = different.map(
      ([{ platform, model }, [fact, published, ours]]) =>
        `${platform} ${model} ${fact}: ${JSON.stringify(published)}, here ${JSON.stringify(ours)}`,
    )
    expect(lines.filter((line) => !Object.keys(DIFFERENCES).some((known) => line.startsWith(known)))).toEqual([])
    expect(Object.keys(DIFFERENCES).filter((known) => !lines.some((line) => line.startsWith(known)))).toEqual([])
    expect(statements.length).toBeGreaterThan(100)
  })
})
