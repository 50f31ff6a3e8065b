import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript-api'
import { joinMembers, type Member, type Objects, type TypeModel, unionOf } from './type-model.ts'

/** A type to begin with: its name, and its file below the folder of the package. */
export interface Root {
  readonly file: string
  readonly type: string
}

/** The types that can be reached from the roots of a package. */
export interface Declarations {
  readonly roots: ReadonlyMap<string, TypeModel>
  readonly objects: Objects
  /** The variants of every named union. */
  readonly unions: ReadonlyMap<string, TypeModel>
}

const LIBRARY = join(dirname(createRequire(import.meta.url).resolve('typescript-api')), 'lib.es5.d.ts')

/**
 * Without `strictNullChecks`, `X | null` is `X` and keeps its name. Imports of other packages stay unresolved: their
 * types are `anything`.
 */
const OPTIONS: ts.CompilerOptions = { strict: false, noLib: true, types: [], skipLibCheck: true, noEmit: true }

function createHost(): ts.CompilerHost {
  const host = ts.createCompilerHost(OPTIONS)
  const find = (base: string): string | undefined =>
    [`${base}.d.ts`, `${base}.d.mts`, join(base, 'index.d.ts')].find((file) => existsSync(file))
  return {
    ...host,
    getSourceFile: (file, options) => {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined
      return text === undefined ? undefined : ts.createSourceFile(file, text, options)
    },
    resolveModuleNameLiterals: (literals, from) =>
      literals.map(({ text }) => {
        const found = text.startsWith('.') ? find(resolve(dirname(from), text.replace(/\.[mc]?js$/, ''))) : undefined
        return {
          resolvedModule:
            found === undefined
              ? undefined
              : { resolvedFileName: found, extension: ts.Extension.Dts, isExternalLibraryImport: false },
        }
      }),
  }
}

/** Names of a package that mean the same: without the prefixes of betas and the suffixes of generated code. */
export type Rename = (name: string) => string

/** Reads the types of a package that can be reached from the roots. `folder`: where its `package.json` is. */
export function readDeclarations(folder: string, roots: readonly Root[], rename: Rename): Declarations {
  const files = [...new Set(roots.map(({ file }) => join(folder, file)))]
  const program = ts.createProgram([LIBRARY, ...files], OPTIONS, createHost())
  const reader = new DeclarationReader(program.getTypeChecker(), rename)
  const found = roots.map(({ file, type }) => {
    const source = program.getSourceFile(join(folder, file))
    if (source === undefined) throw new Error(`${folder} has no file ${file}`)
    return [rename(type), reader.readRoot(source, type)] as const
  })
  return { roots: new Map(found), objects: reader.objects, unions: reader.unions }
}

class DeclarationReader {
  readonly objects: Objects = new Map()
  readonly unions = new Map<string, TypeModel>()
  private readonly seen = new Map<ts.Type, string>()
  private readonly checker: ts.TypeChecker
  private readonly rename: Rename

  constructor(checker: ts.TypeChecker, rename: Rename) {
    this.checker = checker
    this.rename = rename
  }

  readRoot(source: ts.SourceFile, name: string): TypeModel {
    const module = this.checker.getSymbolAtLocation(source)
    const all = module === undefined ? [] : this.checker.getExportsOfModule(module)
    const symbol = all.find((one) => one.name === name) ?? this.nested(all, name)
    if (symbol === undefined) throw new Error(`${source.fileName} does not export ${name}`)
    return this.read(this.checker.getDeclaredTypeOfSymbol(symbol), this.rename(name))
  }

  private nested(all: readonly ts.Symbol[], name: string): ts.Symbol | undefined {
    const [outer, inner] = name.split('.')
    const space = all.find((one) => one.name === outer)
    return space === undefined || inner === undefined
      ? undefined
      : this.checker.getExportsOfModule(space).find((one) => one.name === inner)
  }

  private nameOf(symbol: ts.Symbol | undefined): string | null {
    if (symbol === undefined || symbol.name.startsWith('__')) return null
    const full = this.checker.getFullyQualifiedName(symbol)
    return this.rename(full.replace(/^".*"\./, ''))
  }

  private read(type: ts.Type, place: string): TypeModel {
    const { flags } = type
    if (flags & ts.TypeFlags.StringLiteral) return { kind: 'word', value: (type as ts.StringLiteralType).value }
    if (flags & ts.TypeFlags.NumberLiteral) return { kind: 'word', value: (type as ts.NumberLiteralType).value }
    if (flags & ts.TypeFlags.BooleanLiteral) return { kind: 'word', value: this.checker.typeToString(type) === 'true' }
    if (flags & ts.TypeFlags.Boolean) return { kind: 'flag' }
    if (flags & (ts.TypeFlags.StringLike | ts.TypeFlags.TemplateLiteral)) return { kind: 'text' }
    if (flags & ts.TypeFlags.NumberLike) return { kind: 'number' }
    if (type.isUnion()) return this.readUnion(type, place)
    if (flags & ts.TypeFlags.Object || type.isIntersection()) return this.readObject(type, place)
    return { kind: 'anything' }
  }

  private readUnion(type: ts.UnionType, place: string): TypeModel {
    const name = this.nameOf(type.aliasSymbol)
    const key = name ?? place
    const known = this.seen.get(type)
    if (known !== undefined) return { kind: 'union', name: known, of: [] }
    if (name !== null) this.seen.set(type, name)
    const variants = type.types
      .filter((one) => !this.isOpenWord(one))
      .map((one) => this.read(one, this.placeOf(one, key)))
    const model = unionOf(name, booleans(variants))
    if (name !== null) this.unions.set(name, joined(this.unions.get(name), model, name))
    return name === null ? model : { kind: 'union', name, of: [] }
  }

  /** `string & {}`, by which a list of words admits others. */
  private isOpenWord(type: ts.Type): boolean {
    return type.isIntersection() && type.types.some((one) => (one.flags & ts.TypeFlags.String) !== 0)
  }

  private readObject(type: ts.Type, place: string): TypeModel {
    const symbol = type.getSymbol()
    const own = symbol?.name ?? ''
    if (['Array', 'ReadonlyArray'].includes(own)) {
      const [element] = this.checker.getTypeArguments(type as ts.TypeReference)
      return { kind: 'list', of: element === undefined ? { kind: 'anything' } : this.read(element, place) }
    }
    if (['Uint8Array', 'Blob', 'Buffer', 'ArrayBuffer', 'Date'].includes(own)) return { kind: 'bytes' }
    if (type.getCallSignatures().length > 0) return { kind: 'anything' }
    const members = this.checker.getPropertiesOfType(type).filter((one) => this.isMember(one))
    const index = this.checker.getIndexInfosOfType(type)[0]
    if (members.length === 0)
      return index === undefined ? { kind: 'anything' } : { kind: 'map', of: this.read(index.type, `${place}.*`) }
    const known = this.seen.get(type)
    if (known !== undefined) return { kind: 'object', name: known }
    const name = this.nameOf(type.aliasSymbol) ?? this.nameOf(symbol) ?? this.nameOfParts(type) ?? place
    this.seen.set(type, name)
    joinMembers(this.objects, name, new Map(members.map((one) => [one.name, this.readMember(one, name)])))
    return { kind: 'object', name }
  }

  /** The name of `X & {type: 'word'}` is that of `X` with the word. */
  private nameOfParts(type: ts.Type): string | null {
    const parts = type.isIntersection() ? type.types : []
    const name = parts
      .map((part) => this.nameOf(part.aliasSymbol) ?? this.nameOf(part.getSymbol()))
      .find((one) => one !== null)
    return name ?? null
  }

  /** A place for each anonymous variant of a union: they would be one object otherwise. */
  private placeOf(type: ts.Type, key: string): string {
    const kind = type.getProperty('type')
    const literal = kind === undefined ? undefined : this.checker.getTypeOfSymbol(kind)
    return literal?.isStringLiteral() === true ? `${key}.${literal.value}` : key
  }

  /** Methods, accessors and members that can have no value are no part of a body. */
  private isMember(symbol: ts.Symbol): boolean {
    if ((symbol.flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Accessor)) !== 0 || symbol.name.startsWith('$'))
      return false
    const type = this.checker.getTypeOfSymbol(symbol)
    if (type.getCallSignatures().length > 0) return false
    return (type.flags & (ts.TypeFlags.Never | ts.TypeFlags.Undefined | ts.TypeFlags.Null)) === 0
  }

  private readMember(symbol: ts.Symbol, owner: string): Member {
    const optional = (symbol.flags & ts.SymbolFlags.Optional) !== 0
    return {
      type: this.read(this.checker.getTypeOfSymbol(symbol), `${owner}.${symbol.name}`),
      required: !optional && !isNullable(symbol),
      optional,
    }
  }
}

/** `X | null`: the member is there, but needs no value. */
const isNullable = ({ declarations = [] }: ts.Symbol): boolean =>
  declarations.some((declaration) => {
    const type =
      ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration) ? declaration.type : undefined
    return (
      type !== undefined &&
      ts.isUnionTypeNode(type) &&
      type.types.some((one) => ts.isLiteralTypeNode(one) && one.literal.kind === ts.SyntaxKind.NullKeyword)
    )
  })

const joined = (before: TypeModel | undefined, model: TypeModel, name: string): TypeModel =>
  unionOf(name, before === undefined ? [model] : [before, model])

/** `true | false` is `boolean`. */
function booleans(types: readonly TypeModel[]): readonly TypeModel[] {
  const flags = types.filter((type) => type.kind === 'word' && typeof type.value === 'boolean')
  return flags.length === 2 ? [...types.filter((type) => !flags.includes(type)), { kind: 'flag' }] : types
}
