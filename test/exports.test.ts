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
const FROM = /^(?:import|export)\b([^'";]*?)\bfrom\s*'(\.[^']+)'/gm
const DYNAMIC = /import\(\s*'(\.[^']+)'/g

/** The schema file of the package, which a test writes and compares; and the one variant of a table that no dialect has. */
const EXPECTED: ReadonlySet<string> = new Set([
  'src/gateway/config/parse-config.ts: toFileSchema',
  'src/conformance/item-schemas.ts: EVENT_SCHEMAS',
])

type Texts = ReadonlyMap<string, string>

const filesOf = (folder: string): Texts =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('node_modules'))
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
  const whole = [...text.matchAll(DYNAMIC)].map(([, specifier = '']) => `${join(dirname(file), specifier)}#*`)
  return [...named, ...whole]
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
