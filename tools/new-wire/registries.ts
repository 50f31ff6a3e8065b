import { existsSync, readFileSync } from 'node:fs'
import { HAS_CLIENTS } from '../../src/wires/names.ts'
import { toCamel } from './skeleton.ts'

/** The names of all wires, and whether clients speak them. */
export type Wires = Readonly<Record<string, boolean>>

/** A file with one export of each wire. */
interface Registry {
  readonly file: string
  readonly imports: readonly string[]
  readonly constant: string
  /** The end of the name of the export, after the name of the wire. */
  readonly ending: string
  /** The file that exports it. A wire without this file has no such part. */
  fileOf(wire: string): string
  readonly about: string
  /** The type of each wire, and that of the whole registry. */
  readonly check: string
  readonly declared?: string
}

const NAME = "import type { WireName } from './contract.ts'"

/** The files that `npm run wires` writes from `src/wires/names.ts` and the folders of the wires. */
const REGISTRIES: readonly Registry[] = [
  {
    file: 'src/wires/registry.ts',
    imports: ["import type { KnownWire, WireName } from './contract.ts'"],
    constant: 'WIRES',
    ending: '',
    fileOf: (wire) => `src/wires/${wire}/index.ts`,
    about: 'All wires by their names.',
    check: ' satisfies Record<WireName, KnownWire>',
  },
  {
    file: 'src/wires/stream-registry.ts',
    imports: ["import type { KnownStreamWire, WireName } from './contract.ts'"],
    constant: 'STREAM_WIRES',
    ending: 'Stream',
    fileOf: (wire) => `src/wires/${wire}/upstream/stream-wire.ts`,
    about:
      'The parts of all wires that decode answers, for programs such as the page, which load no code for requests.',
    check: ' satisfies Record<WireName, KnownStreamWire>',
  },
  {
    file: 'src/wires/answer-registry.ts',
    imports: ["import type { AnswerCodec } from './client-contract.ts'", NAME],
    constant: 'ANSWER_CODECS',
    ending: 'Answers',
    fileOf: (wire) => `src/wires/${wire}/answers.ts`,
    about: 'The parts of the client sides that encode answers. The wire of the Responses API has dialects instead.',
    check: ' satisfies Partial<Record<WireName, AnswerCodec>>',
  },
  {
    file: 'src/wires/traits-registry.ts',
    imports: [NAME, "import type { WireTraits } from './traits.ts'"],
    constant: 'WIRE_TRAITS',
    ending: 'Traits',
    fileOf: (wire) => `src/wires/${wire}/traits.ts`,
    about: 'The traits of all wires.',
    check: '',
    declared: ': Readonly<Record<WireName, WireTraits>>',
  },
  {
    file: 'test/wires/kits.ts',
    imports: ["import type { WireName } from '../../src/wires/contract.ts'", "import type { WireKit } from './kit.ts'"],
    constant: 'KITS',
    ending: 'Kit',
    fileOf: (wire) => `test/wires/${wire}/kit.ts`,
    about: 'The kits of the wires that have one; the rows of the others are in the tables of the tests.',
    check: '',
    declared: ': Readonly<Partial<Record<WireName, WireKit>>>',
  },
]

/** The path of a module for an import in another file of the repository. */
function specifierOf(target: string, from: string): string {
  const [own, other] = [from.split('/').slice(0, -1), target.split('/')]
  const shared = own.findIndex((name, at) => name !== other[at])
  const common = shared < 0 ? own.length : shared
  const up = '../'.repeat(own.length - common)
  return `${up === '' ? './' : up}${other.slice(common).join('/')}`
}

const keyOf = (wire: string): string => (wire.includes('-') ? `'${wire}'` : wire)

function textOf(registry: Registry, wires: Wires, isThere: (file: string) => boolean): string {
  const { file, imports, constant, ending, fileOf, about, check, declared = '' } = registry
  const names = Object.keys(wires).filter((wire) => isThere(fileOf(wire)))
  const loaded = names.map((wire) => `import { ${toCamel(wire)}${ending} } from '${specifierOf(fileOf(wire), file)}'`)
  const pathOf = (line: string): string => /'(.*)'/.exec(line)?.[1] ?? ''
  const sorted = [...imports, ...loaded].toSorted((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
  const rows = names.map((wire) => `  ${keyOf(wire)}: ${toCamel(wire)}${ending},\n`).join('')
  const value = `/** ${about} */\nexport const ${constant}${declared} = {\n${rows}}${check}\n`
  return `${sorted.join('\n')}\n\n// Written by \`npm run wires\`.\n\n${value}`
}

/** package.json with an entry point for each wire, in the place of those that it has. */
function packageWith(wires: Wires, before: string): string {
  const manifest: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(before)
  const isWire = (name: string): boolean => name.startsWith('./wires/')
  const own = Object.keys(wires).map((wire) => {
    const file = `./dist/wires/${wire}/index`
    return [`./wires/${wire}`, { types: `${file}.d.ts`, default: `${file}.js` }]
  })
  const all = Object.entries(manifest.exports)
  const at = all.findIndex(([name]) => isWire(name))
  const others = all.filter(([name]) => !isWire(name))
  const exports = Object.fromEntries([...others.slice(0, at), ...own, ...others.slice(at)])
  return `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`
}

/** The generated files by their paths. `isThere`: whether a file of a wire exists. */
export const registriesOf = (
  wires: Wires = HAS_CLIENTS,
  isThere: (file: string) => boolean = existsSync,
): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(REGISTRIES.map((registry) => [registry.file, textOf(registry, wires, isThere)])),
  'package.json': packageWith(wires, readFileSync('package.json', 'utf8')),
})
