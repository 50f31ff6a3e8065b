import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** Which folders a file may import from: its own, and those of lower floors. */
const FLOORS: Readonly<Record<string, number>> = {
  text: 0,
  protocol: 0.5,
  machine: 0.5,
  framing: 1,
  validation: 1,
  responses: 1,
  wires: 2,
  vendors: 2,
  dialects: 2,
  search: 2,
  observability: 2,
  template: 2.5,
  'engine.ts': 3,
  'hearing.ts': 3,
  'pipeline.ts': 3,
  'to-client.ts': 3,
  'legs.ts': 3,
  'index.ts': 3,
  'outcome.ts': 3,
  'streams.ts': 3,
  'decode-long.ts': 3,
  'machine-chain.ts': 3,
  'sliced-body.ts': 3,
  'sliced-decoder.ts': 3,
  'telling.ts': 3,
  host: 4,
  cli: 5,
}

/** Folders on one floor of which the first may take the types of the second. */
const NEIGHBOURS: readonly (readonly [string, string])[] = [
  ['vendors', 'wires'],
  ['text', 'protocol'],
]

const MAX_LINES = 300
/** All order lives in one file, whatever its length. */
const LONGER: Readonly<Record<string, number>> = { 'responses/respond.ts': 537 }

const DOORS = ['index.ts', 'wire.ts', 'terms.ts', 'request.ts', 'decode.ts', 'errors.ts'] as const
const FORBIDDEN =
  /(?:^|\/)(?:utils?|helpers?|common|core|manager|service|handler|processor|transformer|data|types)(?:\.ts|\/)/
/** Without comments, which hold words that are not code. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
const OUTSIDE = /^node:|^undici$|^undici\//

interface Import {
  readonly from: string
  readonly specifier: string
  /** The file of ours that it is, from src/; null for a package. */
  readonly to: string | null
  readonly typeOnly: boolean
}

/** Imports stand at the start of a line, as the formatter has them. */
const IMPORT =
  /^(?:import|export)\b(\s*(?:type\s*)?(?:[\w$]+,?\s*)?(?:\{[^}]*\}|\*(?:\s*as\s+\w+)?)?)\s*(?:\bfrom\s*)?'([^']+)'/gm
const DYNAMIC = /\bimport\(\s*'([^']+)'/g

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'))
  .sort()
const texts = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))

const resolve = (from: string, specifier: string): string | null =>
  specifier.startsWith('.') ? relative(SRC, join(SRC, dirname(from), specifier)).replaceAll('\\', '/') : null

/** Every name in the braces may be a type by itself: `import { type A, type B }`. */
const isTypeOnly = (clause: string): boolean => {
  const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? []
  const said = names.map((name) => name.trim()).filter((name) => name !== '')
  const alone = /^\s*\{/.test(clause)
  return /^\s*type\b/.test(clause) || (alone && said.length > 0 && said.every((name) => name.startsWith('type ')))
}

function importsOf(from: string, text: string): readonly Import[] {
  const found = [...text.matchAll(IMPORT)].map(([, clause = '', specifier = '']) => ({ clause, specifier }))
  const dynamic = [...text.matchAll(DYNAMIC)].map(([, specifier = '']) => ({ clause: '', specifier }))
  return [...found, ...dynamic].map(({ clause, specifier }) => ({
    from,
    specifier,
    to: resolve(from, specifier),
    typeOnly: isTypeOnly(clause),
  }))
}

const imports = [...texts].flatMap(([file, text]) => importsOf(file, text))
const inside = imports.flatMap((one) => (one.to === null ? [] : [{ ...one, to: one.to }]))
const show = ({ from, specifier }: Import): string => `${from} imports ${specifier}`

const topOf = (file: string): string => file.split('/')[0] as string
/** The room of a file: `wires/openai-chat/decode.ts` is in `wires/openai-chat`. */
const roomOf = (file: string): string | null => /^(wires|search)\/[^/]+(?=\/)/.exec(file)?.[0] ?? null

function isDownstairs({ from, to, typeOnly }: Import & { readonly to: string }): boolean {
  const [own, other] = [topOf(from), topOf(to)]
  if (own === other && own.endsWith('.ts') === false) return true
  const [floor = -1, below = 99] = [FLOORS[own], FLOORS[other]]
  if (below < floor) return true
  const loose = own.endsWith('.ts') && other.endsWith('.ts')
  return loose || (typeOnly && NEIGHBOURS.some(([a, b]) => a === own && b === other))
}

describe('the reader of imports', () => {
  it('sees every import there is', () => {
    const text = [
      "import './a.ts'",
      "import x, { type A } from '../b.ts'",
      "import type { B } from './c.ts'",
      "import {\n  type C,\n  type D,\n} from './d.ts'",
      "export { e } from './e.ts'",
      "export * from 'zod'",
      "const f = await import('./f.ts')",
      "// import g from './g.ts'",
    ].join('\n')
    const found = importsOf('responses/x.ts', text)
    expect(found.map(({ to }) => to)).toEqual([
      'responses/a.ts',
      'b.ts',
      'responses/c.ts',
      'responses/d.ts',
      'responses/e.ts',
      null,
      'responses/f.ts',
    ])
    expect(found.map(({ typeOnly }) => typeOnly)).toEqual([false, false, true, true, false, false, false])
  })

  it('finds most of them here', () => {
    expect(inside.length).toBeGreaterThan(files.length)
    expect(inside.filter(({ to }) => !texts.has(to) && !to.startsWith('..')).map(show)).toEqual([])
  })
})

describe('the floors', () => {
  it('every file stands on one', () => {
    expect(files.filter((file) => FLOORS[topOf(file)] === undefined)).toEqual([])
  })

  it('a file imports from its own folder and from lower floors', () => {
    const ours = inside.filter(({ to }) => !to.startsWith('..'))
    expect(ours.filter((one) => !isDownstairs(one)).map(show)).toEqual([])
  })

  it('a room imports no other room', () => {
    const out = inside.filter(({ from, to }) => {
      const [own, other] = [roomOf(from), roomOf(to)]
      return own !== null && other !== null && own !== other
    })
    expect(out.map(show)).toEqual([])
  })

  it('a room knows neither the registry nor a vendor', () => {
    const up = inside.filter(({ from, to }) => roomOf(from) !== null && /^(?:vendors\/|wires\/registry)/.test(to))
    expect(up.map(show)).toEqual([])
  })

  it('the reducer knows neither wire nor dialect', () => {
    const words = /openai|anthropic|gemini|bedrock|cohere|ollama|mistral|\bbeta\b/i
    const code = codeOf(texts.get('responses/respond.ts') ?? '')
    expect(words.exec(code)?.[0]).toBeUndefined()
  })

  it('only the host and the command line reach outside', () => {
    const out = imports.filter(({ from, specifier }) => OUTSIDE.test(specifier) && !/^(?:host|cli)\//.test(from))
    expect(out.map(show)).toEqual([])
  })

  it('only package.json is imported from beyond src', () => {
    expect(inside.filter(({ to }) => to.startsWith('..') && to !== '../package.json').map(show)).toEqual([])
  })

  it('no file imports itself by way of others, types included', () => {
    expect(cycleOf(new Map(files.map((file) => [file, inside.filter((one) => one.from === file)])))).toBeNull()
  })
})

/** The first cycle found, as a path; null where there is none. */
function cycleOf(graph: ReadonlyMap<string, readonly { readonly to: string }[]>): string | null {
  const clean = new Set<string>()
  const walk = (file: string, path: readonly string[]): string | null => {
    if (clean.has(file)) return null
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' -> ')
    for (const { to } of graph.get(file) ?? []) {
      const found = walk(to, [...path, file])
      if (found !== null) return found
    }
    clean.add(file)
    return null
  }
  for (const file of graph.keys()) {
    const found = walk(file, [])
    if (found !== null) return found
  }
  return null
}

describe('the rooms', () => {
  const rooms = [...new Set(files.flatMap((file) => roomOf(file) ?? []))].filter((room) => room.startsWith('wires/'))

  it.each(rooms)('%s has the same doors as every other', (room) => {
    for (const door of DOORS) expect(files).toContain(`${room}/${door}`)
  })

  it.each(rooms)('%s has nothing but types in wire.ts', (room) => {
    expect(texts.get(`${room}/wire.ts`)).not.toMatch(/^(?:export )?(?:const|let|function|class|enum)\b/m)
  })

  it.each(rooms)('%s is entered by its index', (room) => {
    const beside = inside.filter(({ from, to }) => roomOf(to) === room && roomOf(from) !== room)
    expect(beside.filter(({ to }) => to !== `${room}/index.ts`).map(show)).toEqual([])
  })
})

describe('the files', () => {
  it('have names in kebab-case', () => {
    expect(files.filter((file) => !/^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*\.ts$/.test(file))).toEqual(
      [],
    )
  })

  it('have names that say something', () => {
    expect(files.filter((file) => FORBIDDEN.test(file))).toEqual([])
  })

  it('can be read in one go', () => {
    const lengths = [...texts].map(([file, text]) => ({ file, lines: text.split('\n').length - 1 }))
    expect(lengths.filter(({ file, lines }) => lines > (LONGER[file] ?? MAX_LINES))).toEqual([])
  })

  it('keep the types', () => {
    const silenced = /@ts-(?:ignore|nocheck|expect-error)|biome-ignore/
    const loose = /(?:[:<,|&]|\bas)\s*any\b|\bany\[\]/
    const found = [...texts].flatMap(([file, text]) => {
      const word = silenced.exec(text) ?? loose.exec(codeOf(text).replace(/'(?:[^'\\\n]|\\.)*'/g, "''"))
      return word === null ? [] : [`${file}: ${word[0]}`]
    })
    expect(found).toEqual([])
  })
})
