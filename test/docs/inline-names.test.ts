import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-api'
import { expect, it } from 'vitest'
import { PAGES, readPage } from '../../docs/generate.ts'

/** Names in the text of a page that look like a call, such as `collectResponse(input, { from })`, exist and are callable. */

const root = (file: string): string => fileURLToPath(new URL(`../../${file}`, import.meta.url))

const ENTRIES = [
  ...new Set(
    JSON.stringify(JSON.parse(readFileSync(root('package.json'), 'utf8')).exports).match(/\.\/dist\/[^"]+\.js/g),
  ),
].map((file) => root(file.replace('./dist/', 'src/').replace(/\.js$/, '.ts')))

/** The functions, classes and methods that a program can call: exports of the package, and members of what they return. */
function callablesOf(entries: readonly string[]): ReadonlySet<string> {
  const { config } = ts.readConfigFile(root('tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root(''))
  const program = ts.createProgram(entries, { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const found = new Set<string>()
  const seen = new Set<ts.Type>()
  const modules = entries.map((entry) => program.getSourceFile(entry)).filter((file) => file !== undefined)
  const exported = modules.flatMap((file) => {
    const module = checker.getSymbolAtLocation(file)
    return module === undefined ? [] : checker.getExportsOfModule(module)
  })
  const symbolOf = (one: ts.Symbol) => (one.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(one) : one)
  const open = new Set(exported.map(symbolOf))
  /** A class or interface that the package does not export, although a type of it has one. */
  const isHidden = (symbol: ts.Symbol | undefined): boolean =>
    symbol !== undefined &&
    (symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface)) !== 0 &&
    !open.has(symbol)
  const isOurs = ({ declarations = [] }: ts.Symbol): boolean =>
    declarations.some((one) => one.getSourceFile().fileName.startsWith(root('src/')))
  const visit = (type: ts.Type, isReturned = false): void => {
    if (seen.has(type) || (!isReturned && isHidden(type.symbol))) return
    seen.add(type)
    if (type.isUnionOrIntersection()) for (const one of type.types) visit(one, isReturned)
    for (const signature of [...type.getCallSignatures(), ...type.getConstructSignatures()])
      visit(checker.getReturnTypeOfSignature(signature), true)
    for (const argument of checker.getTypeArguments(type as ts.TypeReference)) visit(argument)
    for (const member of type.getProperties().filter(isOurs)) {
      const own = checker.getNonNullableType(checker.getTypeOfSymbol(member))
      if (own.getCallSignatures().length > 0) found.add(member.name)
      visit(own)
    }
  }
  for (const one of exported) {
    const symbol = symbolOf(one)
    const isType = (symbol.flags & ts.SymbolFlags.Value) === 0
    const type = isType ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol)
    if (!isType && type.getCallSignatures().length + type.getConstructSignatures().length > 0) found.add(one.name)
    visit(type)
  }
  return found
}

/** Functions of the tree, which the pages for contributors name. */
const INTERNAL: ReadonlySet<string> = new Set(
  ['src', 'test'].flatMap((folder) =>
    readdirSync(root(folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(root(`${folder}/${file}`), 'utf8').matchAll(
          /^export (?:async )?(?:const|function\*?|class) (\w+)|^ {2}(?:readonly )?(\w+)\??(?:\(.*\)|: \(.*\) =>)/gm,
        ),
      ])
      .map(([, exported, member]) => exported ?? member ?? ''),
  ),
)

/** Functions of other packages, and of the language. */
const FOREIGN: ReadonlySet<string> = new Set([
  'useChat',
  'toUIMessageStreamResponse',
  'google.interactions',
  'http.post',
  'server.use',
  'server.resetHandlers',
  'Stream.fromSSEResponse',
  'doStream',
  'createReadStream',
  'import',
  'require',
  'return',
])

/** A call between backquotes; `fix(host): …` is the beginning of a commit message. */
const CALL = /`(?!\w+\(\w+\): )(?:await |new )?([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)\([^`\n]*`/g

const callsIn = (text: string): readonly string[] =>
  [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(CALL)].map(([, name = '']) => name)

const nameless = (text: string, known: ReadonlySet<string>, internal: ReadonlySet<string>): readonly string[] =>
  callsIn(text).filter((name) => {
    const last = name.split('.').at(-1) ?? ''
    return !FOREIGN.has(name) && !known.has(last) && !internal.has(last)
  })

/** Pages for contributors name functions that the package does not export. */
const INSIDE =
  /^(?:CONTRIBUTING|AGENTS|CHANGELOG|test\/README|docs\/(?:architecture|decisions|slices|fast-path|losses|add-a-wire|benchmarks|wires\/.*))\.md$|^CHANGELOG/

it('finds a property that is written as a call', () => {
  const known = new Set(['collectResponse'])
  expect(nameless('`outcome()`, `collectResponse(input)`, `useChat()`, `fix(host): …`', known, new Set())).toEqual([
    'outcome',
  ])
})

it('names in the pages that look like a call can be called', () => {
  const callables = callablesOf(ENTRIES)
  expect(callables.size).toBeGreaterThan(50)
  expect(callables).not.toContain('outcome')
  const pages = PAGES.filter((page) => page !== 'CHANGELOG.md')
  const found = pages.flatMap((page) =>
    nameless(readPage(page), callables, INSIDE.test(page) ? INTERNAL : new Set()).map((name) => `${page}: ${name}`),
  )
  expect(found).toEqual([])
})
