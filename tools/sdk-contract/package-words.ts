import type { SampleContext } from './build-sample.ts'
import { HINTS } from './hints.ts'
import { listWords, type Word } from './list-words.ts'
import { folderOf, type PackageRoot, type SdkPackage } from './packages.ts'
import { type Declarations, readDeclarations } from './read-declarations.ts'

/** A word with the first root of each direction that has it. */
export interface FoundWord {
  readonly path: string
  readonly request: { readonly word: Word; readonly root: PackageRoot } | null
  readonly answer: { readonly word: Word; readonly root: PackageRoot } | null
}

/** The words of a package, in alphabetical order. */
export function wordsOf(sdk: SdkPackage, declarations: Declarations): readonly FoundWord[] {
  const found = new Map<string, FoundWord>()
  for (const root of sdk.roots) {
    for (const word of listWords(declarations, sdk.rename(root.type), sdk.leaves, sdk.names)) {
      const { path } = word
      const known = found.get(path) ?? { path, request: null, answer: null }
      const side = root.direction === 'request' ? 'request' : 'answer'
      if (known[side] === null) found.set(path, { ...known, [side]: { word, root } })
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

const read = new Map<string, Declarations>()

/** The types of a package. Reading them takes a second, so that they are kept. */
export function declarationsOf(sdk: SdkPackage): Declarations {
  const known = read.get(sdk.id) ?? readDeclarations(folderOf(sdk), sdk.roots, sdk.rename)
  read.set(sdk.id, known)
  return known
}

const toSnake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const asIs = (name: string): string => name

export const contextOf = (sdk: SdkPackage, declarations: Declarations): SampleContext => ({
  ...declarations,
  hints: HINTS,
  spell: sdk.camelCase ? toSnake : asIs,
})
