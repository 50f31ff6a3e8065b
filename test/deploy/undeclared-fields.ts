import { fileURLToPath } from 'node:url'
import ts from 'typescript-api'

/** An object with the type that it is to have: the exported name of a module. */
export interface TypedObject {
  readonly module: string
  readonly type: string
  readonly value: unknown
}

const FILE = fileURLToPath(new URL('manifest-objects.ts', import.meta.url))

/**
 * Returns what the compiler reports for the objects, as constants of their types. The schemas of Kubernetes allow fields
 * that they do not describe; its types do not.
 */
export function undeclaredFields(objects: readonly TypedObject[]): readonly string[] {
  const lines = objects.map(
    ({ module, type, value }, n) =>
      `import type { ${type} as Type${n} } from '${module}'\nexport const object${n}: Type${n} = ${JSON.stringify(value)}`,
  )
  const options: ts.CompilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (name) => name === FILE || fileExists(name)
  host.getSourceFile = (name, ...rest) =>
    name === FILE
      ? ts.createSourceFile(name, lines.join('\n'), {
          languageVersion: ts.ScriptTarget.ES2022,
          impliedNodeFormat: ts.ModuleKind.ESNext,
        })
      : getSourceFile(name, ...rest)
  const program = ts.createProgram([FILE], options, host)
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))
}
