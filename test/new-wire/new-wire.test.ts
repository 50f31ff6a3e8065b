import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript-api'
import { describe, expect, it } from 'vitest'
import { HAS_CLIENTS } from '../../src/wires/names.ts'
import { registriesOf } from '../../tools/new-wire/registries.ts'
import { faultOfName, skeletonOf } from '../../tools/new-wire/skeleton.ts'

describe('the name of a new wire', () => {
  it.each([
    ['tiny', null],
    ['tiny-chat', null],
    ['chat2', 'is not a name'],
    ['Tiny', 'is not a name'],
    ['tiny_chat', 'is not a name'],
    ['', 'is not a name'],
    ['ollama-chat', 'the wire ollama-chat exists'],
  ])('%s is valid, or there is an error: %s', (name, fault) => {
    if (fault === null) expect(faultOfName(name, ['ollama-chat'])).toBeNull()
    else expect(faultOfName(name, ['ollama-chat'])).toContain(fault)
  })
})

describe('npm run new-wire', () => {
  const made = skeletonOf('sample-wire')
  const files = {
    ...made,
    ...registriesOf({ ...HAS_CLIENTS, 'sample-wire': false }, (file) => file in made || existsSync(file)),
  }

  it('replaces every name in the skeleton', () => {
    for (const [file, text] of Object.entries(made)) expect(`${file} ${text}`).not.toMatch(/__(?:name|camel|Name)__/)
  })

  it('writes a folder, a page, fixtures and tests, and adds a line to two files', () => {
    const places = Object.keys(made).map((file) => file.replace(/sample-wire.*/, ''))
    expect([...new Set(places)].sort()).toEqual([
      'docs/wires/',
      'fixtures/',
      'src/vendors/rows.ts',
      'src/wires/',
      'src/wires/names.ts',
      'test/wires/',
    ])
  })

  // A file of the wire compiles together with those that it imports; the registries show that it is complete.
  it('writes files that compile with the strictest options', { timeout: 240_000 }, () => {
    const read = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
    const { options } = ts.parseJsonConfigFileContent({ ...read.config, include: [] }, ts.sys, process.cwd())
    const written = new Map(Object.entries(files).map(([file, text]) => [resolve(file), text]))
    const host = ts.createCompilerHost(options)
    const { fileExists, readFile, getSourceFile, directoryExists } = host
    host.fileExists = (file) => written.has(resolve(file)) || fileExists(file)
    host.readFile = (file) => written.get(resolve(file)) ?? readFile(file)
    host.directoryExists = (folder) => folder.includes('sample-wire') || directoryExists?.(folder) === true
    host.getSourceFile = (file, language, ...rest) => {
      const text = written.get(resolve(file))
      return text === undefined
        ? getSourceFile(file, language, ...rest)
        : ts.createSourceFile(file, text, language, true)
    }
    const own = Object.keys(files).filter((file) => file.endsWith('.ts'))
    const program = ts.createProgram(own, options, host)
    const faults = own.flatMap((file) => {
      const source = program.getSourceFile(join(process.cwd(), file)) ?? program.getSourceFile(file)
      if (source === undefined) return [`${file} is not part of the program`]
      return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
        ({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
      )
    })
    expect(faults).toEqual([])
  })
})
