import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

/** The files whose exports programs outside of src read: the public entries, and the roots of programs. */
const PUBLIC: ReadonlySet<string> = new Set(
  JSON.stringify(JSON.parse(readFileSync('package.json', 'utf8')).exports)
    .match(/\.\/dist\/[^"]+\.js/g)
    ?.map((file) => file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')),
)

const EXPORT = /^export (?:async )?(?:abstract )?(?:const|function\*?|class|let) (\w+)/gm
const TYPE = /^export (?:declare )?(?:interface|type|enum) (\w+)/gm
const FROM = /^(?:import|export)\b([^'";]*?)\bfrom\s*'(\.[^']+)'/gm
const DYNAMIC = /import\(\s*'(\.[^']+)'\s*\)(?:\.([A-Z]\w*))?/g

/** The schema file of the package, which a test writes and compares; and the one variant of a table that no dialect has. */
const EXPECTED: ReadonlySet<string> = new Set([
  'src/gateway/config/parse-config.ts: toFileSchema',
  'src/conformance/item-schemas.ts: EVENT_SCHEMAS',
])

type Texts = ReadonlyMap<string, string>

const filesOf = (folder: string): Texts =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/(?:^|\/)(?:node_modules|out)\//.test(file))
      .map((file) => [join(folder, file), readFileSync(join(folder, file), 'utf8')]),
  )

/** `file#name` of each import; `file#*` if a program reads all exports of the file. */
function importsIn(file: string, text: string): readonly string[] {
  const named = [...text.matchAll(FROM)].flatMap(([, clause = '', specifier = '']) => {
    const to = join(dirname(file), specifier)
    const names = /\{([^}]*)\}/.exec(clause)?.[1]
    if (names === undefined) return [`${to}#*`]
    return names.split(',').map(
      (name) =>
        `${to}#${
          name
            .trim()
            .replace(/^type /, '')
            .split(' as ')[0]
        }`,
    )
  })
  const dynamic = [...text.matchAll(DYNAMIC)].map(
    ([, specifier = '', type = '*']) => `${join(dirname(file), specifier)}#${type}`,
  )
  return [...named, ...dynamic]
}

const importsOf = (texts: Texts): ReadonlySet<string> =>
  new Set([...texts].flatMap(([file, text]) => importsIn(file, text)))

const isUsedIn = (text: string, name: string): boolean =>
  [...text.replace(/\/\*[\s\S]*?\*\//g, '').matchAll(new RegExp(`\\b${name}\\b`, 'g'))].length > 1

/**
 * The exported values without a purpose: no other file of src imports them, and either their own file does not use them,
 * so that only tests have them, or no file at all imports them. `outside`: the imports of tests and programs.
 */
function purposeless(src: Texts, outside: ReadonlySet<string>): readonly string[] {
  const inside = importsOf(src)
  return [...src].flatMap(([file, text]) => {
    if (PUBLIC.has(file) || inside.has(`${file}#*`)) return []
    return [...text.matchAll(EXPORT)].flatMap(([, name = '']) => {
      const one = `${file}#${name}`
      return inside.has(one) || (isUsedIn(text, name) && outside.has(one)) ? [] : [`${file}: ${name}`]
    })
  })
}

/** The shapes of a protocol's bodies and events: readers look them up, and the machines read unknown values. */
const isProtocol = (file: string): boolean => /^src\/wires\/[^/]+\/json\.ts$/.test(file)

/** The exported types that no other file imports. */
const privateTypes = (src: Texts, imported: ReadonlySet<string>): readonly string[] =>
  [...src].flatMap(([file, text]) =>
    PUBLIC.has(file) || isProtocol(file) || imported.has(`${file}#*`)
      ? []
      : [...text.matchAll(TYPE)].flatMap(([, name = '']) =>
          imported.has(`${file}#${name}`) ? [] : [`${file}: ${name}`],
        ),
  )

it('every exported type of src is imported somewhere, part of a public entry, or a shape of a protocol', () => {
  const all = ['src', 'test', 'tools', 'bench', 'docs', 'examples'].flatMap((folder) => [...filesOf(folder)])
  expect(privateTypes(filesOf('src'), importsOf(new Map(all)))).toEqual([])
})

it('an exported type that nothing imports is found, and none that is imported by name, as a whole or in a type', () => {
  const one = new Map([
    ['src/a.ts', 'export interface A {}\nexport type B = A\nexport interface C {}\nexport type D = C'],
    ['src/b.ts', "import type { A } from './a.ts'\nexport { type B } from './a.ts'\ntype E = import('./a.ts').C"],
    ['src/c.ts', 'export interface F {}'],
    ['src/d.ts', "import * as c from './c.ts'"],
  ])
  expect(privateTypes(one, importsOf(one))).toEqual(['src/a.ts: D'])
})

it('every exported value of src is imported in src or part of a public entry, or else its own file uses it', () => {
  const docs = importsOf(filesOf('docs'))
  const outside = importsOf(new Map([...filesOf('test'), ...filesOf('tools'), ...filesOf('bench'), ...filesOf('docs')]))
  const found = purposeless(filesOf('src'), outside).filter((one) => !EXPECTED.has(one))
  expect(found.filter((one) => !docs.has(one.replace(': ', '#')))).toEqual([])
})

it('an export that only tests import is found, and one that nothing imports', () => {
  const one = new Map([
    ['src/a.ts', 'export const used = 1\nexport function* tested() {}\nexport const aliased = 2'],
    [
      'src/b/c.ts',
      "import {\n  type A,\n  used,\n  aliased as other,\n} from '../a.ts'\nexport const own = 1\nown + 1",
    ],
    ['src/d.ts', 'export const own = 1\nown + 1'],
  ])
  expect(purposeless(one, new Set(['src/a.ts#tested', 'src/d.ts#own']))).toEqual([
    'src/a.ts: tested',
    'src/b/c.ts: own',
  ])
})
