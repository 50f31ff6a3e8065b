import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { VENDOR_NAMES } from '../src/vendors/registry.ts'
import { WIRES } from '../src/wires/registry.ts'

const SRC = fileURLToPath(new URL('../src/', import.meta.url))

/** The layer of each folder. A file may import from its own folder and from lower layers. */
const FLOORS: Readonly<Record<string, number>> = {
  text: 0,
  protocol: 0.5,
  collections: 0.5,
  machine: 0.5,
  output: 0.7,
  framing: 1,
  responses: 1,
  validation: 1.2,
  conformance: 1.5,
  models: 0.9,
  wires: 2,
  vendors: 2,
  dialects: 2,
  search: 2,
  observability: 2,
  'fast-path': 2.5,
  engine: 3,
  targets: 3.1,
  api: 3.2,
  alignment: 3.2,
  'ai-sdk': 3.3,
  'page-api': 3.3,
  'index.ts': 3.5,
  'core.ts': 3.5,
  'ai-sdk.ts': 3.5,
  'conformance.ts': 3.5,
  gateway: 3.8,
  fetch: 4,
  host: 4,
  page: 4,
  testing: 4.2,
  'fetch.ts': 4.5,
  'testing.ts': 4.5,
  'server.ts': 4.5,
  cli: 5,
}

/**
 * The layers inside of a folder, the lowest first: subfolders and files; `.` for its other files, `*` for each of its
 * other subfolders. Two of one layer import nothing of each other.
 */
const INNER_FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  gateway: [
    ['hashes.ts', 'cancellation.ts', 'run-in-slices.ts'],
    ['config'],
    ['body'],
    ['upstream'],
    ['exchange'],
    ['auth'],
    ['telemetry', 'clients'],
    ['vendors', 'call'],
    ['search', 'counts', 'resume', 'openapi'],
    ['answer'],
    ['gateway.ts'],
    ['endpoints'],
    ['routing'],
    ['memories.ts', 'reloadable-config.ts'],
    ['open-gateway.ts'],
  ],
  host: [
    [
      'pace.ts',
      'silence-check.ts',
      'content-decoders.ts',
      'node-hashes.ts',
      'random.ts',
      'tick-queue.ts',
      'v8-flags.ts',
    ],
    ['recording', 'upstream', 'auth'],
    ['config', 'telemetry'],
    ['server'],
    ['page', 'workers'],
    ['open-server-gateway.ts'],
    ['start-options.ts'],
    ['start.ts'],
    ['check-start.ts'],
  ],
  wires: [
    ['.'],
    ['shared'],
    ['create-wire.ts'],
    ['*'],
    ['registry.ts', 'answer-registry.ts', 'stream-registry.ts', 'traits-registry.ts'],
    ['find-wire.ts', 'find-stream-wire.ts', 'detect-wire.ts', 'detect-client.ts', 'model-names.ts'],
  ],
  'wires/shared': [['.'], ['client'], ['upstream'], ['passthrough', 'google']],
}

/** Pairs of folders on one layer of which the first may import types of the second. */
const NEIGHBOURS: readonly (readonly [string, string])[] = [
  ['vendors', 'wires'],
  ['text', 'protocol'],
]

/** Folders that translate. A program that only translates streams does not load zod, which is larger than all of them. */
const ZOD_FREE: ReadonlySet<string> = new Set([
  'text',
  'protocol',
  'collections',
  'machine',
  'output',
  'framing',
  'responses',
  'models',
  'wires',
  'vendors',
  'dialects',
  'fast-path',
  'engine',
  'targets',
  'alignment',
])
/** The files of these folders that validate requests. */
const ZOD_READERS: ReadonlySet<string> = new Set(['engine/call/read-search.ts', 'engine/client-request.ts'])

const MAX_IMPORTS = 20

const WIRE_FILES = [
  'index.ts',
  'json.ts',
  'terms.ts',
  'errors.ts',
  'upstream/body.ts',
  'traits.ts',
  'upstream/request.ts',
  'upstream/stream.ts',
  'upstream/stream-wire.ts',
] as const
/** What every wire has besides whose clients are served. */
const CLIENT_FILES = ['client/index.ts', 'client/request.ts', 'client/stream.ts', 'client/body.ts'] as const
const FORBIDDEN =
  /(?:^|\/)(?:utils?|helpers?|common|core|manager|service|handler|processor|transformer|data|types)(?:\.ts|\/)/
/** Removes comments, because their text is not code. */
const codeOf = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
const OUTSIDE = /^node:|^undici$|^undici\//

interface Import {
  readonly from: string
  readonly specifier: string
  /** The imported file, relative to src/; null for a package. */
  readonly to: string | null
  readonly typeOnly: boolean
}

/** Matches an import at the start of a line, where the formatter puts it. */
const IMPORT =
  /^(?:import|export)\b(\s*(?:type\s*)?(?:[\w$]+,?\s*)?(?:\{[^}]*\}|\*(?:\s*as\s+\w+)?)?)\s*(?:\bfrom\s*)?'([^']+)'/gm
const DYNAMIC = /\bimport\(\s*'([^']+)'/g

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => /\.tsx?$/.test(file))
  .sort()
const texts = new Map(files.map((file) => [file, readFileSync(join(SRC, file), 'utf8')]))

const resolve = (from: string, specifier: string): string | null =>
  specifier.startsWith('.') ? relative(SRC, join(SRC, dirname(from), specifier)).replaceAll('\\', '/') : null

/** Also true if each name in the braces is marked as a type: `import { type A, type B }`. */
const isTypeOnly = (clause: string): boolean => {
  const names = /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? []
  const imported = names.map((name) => name.trim()).filter((name) => name !== '')
  const alone = /^\s*\{/.test(clause)
  return (
    /^\s*type\b/.test(clause) || (alone && imported.length > 0 && imported.every((name) => name.startsWith('type ')))
  )
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
/** Style sheets of the page have no layer. */
const inside = imports.flatMap((one) => (one.to === null || one.to.endsWith('.css') ? [] : [{ ...one, to: one.to }]))
const runtimeImports = new Map(
  files.map((file) => [file, imports.filter(({ from, typeOnly }) => from === file && !typeOnly)]),
)
const show = ({ from, specifier }: Import): string => `${from} imports ${specifier}`

const topOf = (file: string): string => file.split('/')[0] as string
/** The subfolder of a file with its own layer rules: `wires/openai-chat/upstream/stream.ts` is in `wires/openai-chat`. */
const roomOf = (file: string): string | null => /^wires\/(?!shared\/)[^/]+(?=\/)/.exec(file)?.[0] ?? null

function isDownstairs({ from, to, typeOnly }: Import & { readonly to: string }): boolean {
  const [own, other] = [topOf(from), topOf(to)]
  if (own === other && own.endsWith('.ts') === false) return true
  const [floor = -1, below = 99] = [FLOORS[own], FLOORS[other]]
  if (below < floor) return true
  const loose = own.endsWith('.ts') && other.endsWith('.ts')
  return loose || (typeOnly && NEIGHBOURS.some(([a, b]) => a === own && b === other))
}

/** The name of a file in the table of the layers inside of a folder; null if the file is outside of the folder. */
function innerName(folder: string, file: string): string | null {
  if (!file.startsWith(`${folder}/`)) return null
  const [first = '', ...rest] = file.slice(folder.length + 1).split('/')
  return rest.length > 0 || INNER_FLOORS[folder]?.flat().includes(first) ? first : '.'
}

/** The layer of such a name; -1 if the table has none for it. */
function innerFloor(folder: string, name: string): number {
  const floors = INNER_FLOORS[folder] ?? []
  const own = floors.findIndex((names) => names.includes(name))
  return own >= 0 || name === '.' ? own : floors.findIndex((names) => names.includes('*'))
}

/** Whether an import points to the same name of each table that both files are in, or to a lower layer. */
const isDownInside = ({ from, to }: { readonly from: string; readonly to: string }): boolean =>
  Object.keys(INNER_FLOORS).every((folder) => {
    const [own, other] = [innerName(folder, from), innerName(folder, to)]
    return own === null || other === null || own === other || innerFloor(folder, own) > innerFloor(folder, other)
  })

describe('the reader of imports', () => {
  it('finds static, type, multi-line, re-exported and dynamic imports', () => {
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

  it('finds the imports of this project, each with an existing file', () => {
    expect(inside.length).toBeGreaterThan(files.length)
    expect(inside.filter(({ to }) => !texts.has(to) && !to.startsWith('..')).map(show)).toEqual([])
  })
})

describe('the layers of the source tree', () => {
  it('contain every file of the tree', () => {
    expect(files.filter((file) => FLOORS[topOf(file)] === undefined)).toEqual([])
  })

  it('allow imports only from the same folder and from lower layers', () => {
    const ours = inside.filter(({ to }) => !to.startsWith('..'))
    expect(ours.filter((one) => !isDownstairs(one)).map(show)).toEqual([])
  })

  it('contain every file of a folder whose subfolders have layers, and nothing else', () => {
    const tables = Object.entries(INNER_FLOORS)
    const lost = files.filter((file) =>
      tables.some(([folder]) => innerFloor(folder, innerName(folder, file) ?? '') < 0 && file.startsWith(`${folder}/`)),
    )
    const unused = tables.flatMap(([folder, floors]) => {
      const used = new Set(files.map((file) => innerName(folder, file)))
      return floors.flat().flatMap((name) => (name === '*' || used.has(name) ? [] : `${folder}/${name}`))
    })
    expect([...lost, ...unused]).toEqual([])
  })

  it.each([
    ['gateway/config/config.ts', 'gateway/upstream/aws.ts', false],
    ['gateway/upstream/aws.ts', 'gateway/config/config.ts', true],
    ['gateway/search/engines.ts', 'gateway/counts/count-memory.ts', false],
    ['gateway/answer/delivery.ts', 'gateway/gateway.ts', false],
    ['wires/contract.ts', 'wires/shared/matches.ts', false],
    ['wires/openai-chat/terms.ts', 'wires/cohere-chat/terms.ts', false],
    ['wires/openai-chat/terms.ts', 'wires/openai-chat/upstream/stream.ts', true],
    ['wires/shared/client/x.ts', 'wires/shared/upstream/x.ts', false],
  ])('read an import of %s from %s as allowed or not', (from, to, isAllowed) => {
    expect(isDownInside({ from, to })).toBe(isAllowed)
  })

  it('allow imports only to lower layers inside of these folders, also of types', () => {
    expect(inside.filter((one) => !isDownInside(one)).map(show)).toEqual([])
  })

  it('allow no import of the registry or a vendor in the folder of a wire', () => {
    const up = inside.filter(({ from, to }) => roomOf(from) !== null && /^(?:vendors\/|wires\/[\w-]*registry)/.test(to))
    expect(up.map(show)).toEqual([])
  })

  it('keep names of wires and dialects out of the reducer', () => {
    const words = /openai|anthropic|gemini|bedrock|cohere|ollama|mistral|\bbeta\b/i
    const code = codeOf(texts.get('responses/respond.ts') ?? '')
    expect(words.exec(code)?.[0]).toBeUndefined()
  })

  it('keep names of wires and vendors out of the engine, which reads properties of a wire instead', () => {
    const [wires, vendors] = [Object.keys(WIRES).join('|'), VENDOR_NAMES.join('|')]
    const names = new RegExp(`${wires}|^.(?:${vendors}).$|vendor (?:${vendors})\\b`)
    expect(`'anthropic-messages' 'groq' 'the vendor groq'`.match(/'[^']*'/g)?.every((word) => names.test(word))).toBe(
      true,
    )
    const found = [...texts].flatMap(([file, text]) => {
      if (topOf(file) !== 'engine') return []
      const strings =
        codeOf(text)
          .replace(IMPORT, '')
          .match(/'[^'\n]*'|`[^`]*`/g) ?? []
      return strings.filter((word) => names.test(word)).map((word) => `${file}: ${word}`)
    })
    expect(found).toEqual([])
  })

  it('allow imports of node: and undici only in the host, the command line and the servers of tests', () => {
    const out = imports.filter(
      ({ from, specifier }) => OUTSIDE.test(specifier) && !/^(?:host|cli|testing)\//.test(from),
    )
    expect(out.map(show)).toEqual([])
  })

  it('allow imports of the packages of the page only in the page', () => {
    const out = imports.filter(({ from, specifier }) => /^preact\b/.test(specifier) && !from.startsWith('page/'))
    expect(out.map(show)).toEqual([])
  })

  it('allow package.json as the only import from outside src', () => {
    expect(inside.filter(({ to }) => to.startsWith('..') && to !== '../package.json').map(show)).toEqual([])
  })

  it('reach zod only through the validation of requests in the folders that translate', () => {
    const translating = files.filter((file) => ZOD_FREE.has(topOf(file)) && !ZOD_READERS.has(file))
    expect(translating.flatMap((file) => pathToZod(file)?.join(' -> ') ?? [])).toEqual([])
    expect([...ZOD_READERS].filter((file) => pathToZod(file) === null)).toEqual([])
  })

  it('contain no import cycle, counting types', () => {
    expect(cycleOf(new Map(files.map((file) => [file, inside.filter((one) => one.from === file)])))).toBeNull()
  })
})

/** Returns the shortest path of imports from a file to zod, without types; null if there is none. */
function pathToZod(file: string): readonly string[] | null {
  const queue: (readonly string[])[] = [[file]]
  const seen = new Set([file])
  for (const path of queue) {
    const from = path.at(-1) as string
    for (const { specifier, to } of runtimeImports.get(from) ?? []) {
      if (specifier === 'zod') return [...path, specifier]
      if (to === null || seen.has(to)) continue
      seen.add(to)
      queue.push([...path, to])
    }
  }
  return null
}

/** Returns the first import cycle as a path, or null if there is none. */
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

describe('the folders of the wires', () => {
  const rooms = [...new Set(files.flatMap((file) => roomOf(file) ?? []))].filter((room) => room.startsWith('wires/'))

  it.each(rooms)('have the same standard files in %s', (room) => {
    for (const name of WIRE_FILES) expect(files).toContain(`${room}/${name}`)
    if (!files.some((file) => file.startsWith(`${room}/client/`))) return
    for (const name of CLIENT_FILES) expect(files).toContain(`${room}/${name}`)
  })

  it.each(rooms)('have only types in json.ts of %s', (room) => {
    expect(texts.get(`${room}/json.ts`)).not.toMatch(/^(?:export )?(?:const|let|function|class|enum)\b/m)
  })

  it.each(rooms)('are imported only by the index file of %s, or as parts by the registries', (room) => {
    const beside = inside.filter(({ from, to }) => roomOf(to) === room && roomOf(from) !== room)
    const isPart = ({ from, to }: (typeof beside)[number]): boolean =>
      /^wires\/(?:answer|stream|traits)-registry\.ts$/.test(from) &&
      /\/(?:answers|traits|upstream\/stream-wire)\.ts$/.test(to)
    const deep = beside.filter((one) => one.to !== `${room}/index.ts` && !isPart(one))
    expect(deep.map(show)).toEqual([])
  })
})

describe('the source files', () => {
  it('have names in kebab-case', () => {
    expect(
      files.filter((file) => !/^(?:[a-z0-9]+(?:-[a-z0-9]+)*\/)*[a-z0-9]+(?:-[a-z0-9]+)*\.tsx?$/.test(file)),
    ).toEqual([])
  })

  it('have no generic names such as utils or helpers', () => {
    // The entry point `millrace/core` is named like its sub-path.
    expect(files.filter((file) => file !== 'core.ts' && FORBIDDEN.test(file))).toEqual([])
  })

  it('have at most 20 imports, except for the entry points', () => {
    const inFolders = files.filter((file) => file.includes('/'))
    const long = inFolders.filter((file) => imports.filter(({ from }) => from === file).length > MAX_IMPORTS)
    expect(long).toEqual([])
  })

  it('contain no any, no @ts-ignore and no biome-ignore', () => {
    const silenced = /@ts-(?:ignore|nocheck|expect-error)|biome-ignore/
    const loose = /(?:[:<,|&]|\bas)\s*any\b|\bany\[\]/
    const found = [...texts].flatMap(([file, text]) => {
      const word = silenced.exec(text) ?? loose.exec(codeOf(text).replace(/'(?:[^'\\\n]|\\.)*'/g, "''"))
      return word === null ? [] : [`${file}: ${word[0]}`]
    })
    expect(found).toEqual([])
  })

  // V8 keeps a hidden class in old memory for each of them, and with it everything that the closure refers to.
  it('make no generator functions for each request', () => {
    const nested = /^[ \t]+.*\bfunction\s*\*/m
    const found = [...texts].filter(
      ([file, text]) => /^(?:gateway|host|fetch)\//.test(file) && nested.test(codeOf(text)),
    )
    expect(found.map(([file]) => file)).toEqual([])
  })
})
