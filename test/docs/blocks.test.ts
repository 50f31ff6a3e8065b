import { execFile } from 'node:child_process'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { MARKED, PAGES, readPage } from '../../docs/generate.ts'
import { parseConfig } from '../../src/gateway/config/parse-config.ts'
import { checkStart } from '../../src/host/check-start.ts'
import { type RunningServer, start } from '../../src/host/start.ts'
import { clientError } from '../../src/protocol/error.ts'
import { toErrorBody } from '../../src/protocol/error-body.ts'
import { ROOT } from './programs.ts'

interface Block {
  readonly page: string
  readonly language: string
  readonly text: string
  /** The HTML comment on the line before the block. */
  readonly mark: string
  /** The page and the first line of the block, for test titles. */
  readonly title: string
}

const FENCE = /(?:^<!-- (.*?) -->\n)?^```(\w*)\n([\s\S]*?)^```$/gm

/** Blocks that are written by hand. Generated blocks are examples, which are run as such, or output of the code. */
const BLOCKS: readonly Block[] = PAGES.flatMap((page) =>
  [...readPage(page).replace(MARKED, '').matchAll(FENCE)].map(([, mark = '', language = '', text = '']) => ({
    page,
    language,
    text,
    mark,
    title: `${page}: ${text.split('\n', 1)[0]}`,
  })),
)

/** Pages whose commands install, build or need a checkout. */
const INSTRUCTIONS = new Set(['CONTRIBUTING.md', 'SECURITY.md'])
const isRun = ({ language, mark, page }: Block): boolean =>
  language === 'sh' && !mark.startsWith('not run: ') && !INSTRUCTIONS.has(page)

const of = (language: string): readonly Block[] => BLOCKS.filter((block) => block.language === language)

it('every code block has a checked language or none', () => {
  const checked = new Set(['', 'json', 'sh', 'ini', 'nginx'])
  // test/docs/connect.test.ts runs the snippets of clients.
  const isClient = ({ language, mark }: Block): boolean => /^(?:js|py)$/.test(language) && mark.startsWith('client: ')
  expect(BLOCKS.filter((block) => !checked.has(block.language) && !isClient(block))).toEqual([])
})

it.each(of('json').filter(({ mark }) => mark === ''))('accepts the configuration in $title', ({ text }) => {
  expect(parseConfig(text)).toMatchObject({ ok: true })
})

describe('a recipe', () => {
  const recipes = readPage('docs/recipes.md')
    .split(/^## /m)
    .flatMap((section) => {
      const [, text] = /^```json\n([\s\S]*?)^```$/m.exec(section) ?? []
      const [, needs = ''] = /^Needs (.*)$/m.exec(section) ?? []
      const [title = ''] = section.split('\n', 1)
      return text === undefined
        ? []
        : [{ title, text, names: [...needs.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, it]) => it as string) }]
    })
  const starts = async (text: string, names: readonly string[]): Promise<boolean> => {
    const env = Object.fromEntries(
      names.map((name) => [name, `${name.toLowerCase().replaceAll('_', '-')}-of-the-tests`]),
    )
    const parsed = parseConfig(text, env)
    return parsed.ok && (await checkStart(parsed.config, env)).ok
  }

  it.each(recipes)('starts with all variables that it names, and with no fewer: $title', async ({ text, names }) => {
    expect(await starts(text, names)).toBe(true)
    for (const name of names)
      expect([
        name,
        await starts(
          text,
          names.filter((it) => it !== name),
        ),
      ]).toEqual([name, false])
  })

  it('has a sentence about its variables', () => {
    expect(recipes.length).toBeGreaterThanOrEqual(9)
    expect(readPage('docs/recipes.md').match(/^Needs /gm)).toHaveLength(recipes.length)
  })
})

it('an error body in the documentation has exactly the fields that the server writes', () => {
  const shown = of('json').filter(({ mark }) => mark === 'shape: error')
  const error = clientError('invalid_prompt', 'input: expected a string or a list of items', 'input')
  expect(shown.map(({ text }) => JSON.parse(text))).toEqual([toErrorBody(error, 'req_1')])
})

it('every JSON block is a configuration or an error body', () => {
  expect(of('json').filter(({ mark }) => mark !== '' && mark !== 'shape: error')).toEqual([])
})

describe('shell commands in the documentation', () => {
  const KEY = 'development-key-of-the-docs'
  let gateway: RunningServer

  beforeAll(async () => {
    gateway = await start({ listen: { port: 0 } }, { env: { MILLRACE_DEV_KEY: KEY } })
  })
  afterAll(() => gateway.close())

  it.each(BLOCKS.filter(isRun))('run without failure in $title', async ({ text }) => {
    const script = [
      'set -euo pipefail',
      // `npm run -s millrace -- …` and `npx millrace …`
      `npm() { shift 4; npx millrace "$@"; }`,
      `npx() { shift; node ${JSON.stringify(inject('program'))} "$@"; }`,
      text.replaceAll('http://127.0.0.1:8787', gateway.url),
    ].join('\n')
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      cwd: fileURLToPath(ROOT),
      env: { PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`, MILLRACE_DEV_KEY: KEY },
    })
    expect(stdout).not.toBe('')
    if (text.includes('curl')) expect(stdout).toMatch(/"type":"response\.completed"[\s\S]*data: \[DONE\]/)
  })

  it('include the requests, the hash of a key and the command line', () => {
    expect(BLOCKS.filter(isRun).length).toBeGreaterThanOrEqual(4)
  })
})

it('the systemd unit starts the server by an existing command', () => {
  const [unit] = of('ini')
  expect(unit?.text).toMatch(/^ExecStart=\S+ millrace serve --config \S+$/m)
})

it('the proxy configuration has balanced braces and complete statements', () => {
  for (const { text } of of('nginx')) {
    expect(text.split('{').length).toBe(text.split('}').length)
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    expect(lines.filter((line) => !/[{};]\s*$/.test(line))).toEqual([])
  }
})
