import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FORBIDDEN_STEMS, wordsOf } from './forbidden-stems.ts'

const ROOT = new URL('../', import.meta.url)

const filesOf = (folder: string, ending: RegExp): readonly string[] =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}${file.replaceAll('\\', '/')}`)
    .filter((file) => ending.test(file) && !file.includes('/node_modules/'))
    .sort()

const textsOf = (files: readonly string[]): ReadonlyMap<string, string> =>
  new Map(files.map((file) => [file, readFileSync(new URL(file, ROOT), 'utf8')]))

const SOURCES = textsOf(filesOf('src/', /\.tsx?$/))
const TESTS = textsOf(filesOf('test/', /\.test\.ts$/))

/** Comments, strings, templates and regular expressions: text that is not an identifier. */
const NOT_CODE =
  /\/\*[\s\S]*?\*\/|\/\/.*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=[=(,:!&|?;{}[]\s*|return )\/(?![*/])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/g
const codeOf = (text: string): string => text.replace(NOT_CODE, ' ')

/** Names in comments that are those of a vendor, a package, a platform or an example. */
const OTHER_WORDS: ReadonlySet<string> = new Set([
  '$MILLRACE_KEY',
  'AdditionalToolsItem',
  'ApplyPatchTool',
  'BetaResponseInputItem',
  'CompactedResponse',
  'CompactionTrigger',
  'ConfigurationUpdateItem',
  'FunctionShellTool',
  'ResponseConfigurationUpdateItemParam',
  'ResponseInputItem.AdditionalTools',
  'ResponseOutputItem',
  'ResponseToolSearchOutputItemParam',
  'TEXT_CONTENT',
  'Tool.LocalShell',
  'ToolSearchServerTool',
  'ToolSearchTool',
  'apiKeyHelper',
  'bash_20250124',
  'call_0',
  'crm',
  'crm__find',
  'datalist',
  'exactOptionalPropertyTypes',
  'fpath',
  'iterations',
  'maxConnections',
  'mediaResolution',
  'programmatic',
  'stream_idle_timeout_ms',
])

const withoutComments = (text: string): string => text.replace(COMMENT, ' ').replace(/(?<=\s)\/\/.*$/gm, ' ')

const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm

describe('identifiers and file names of src', () => {
  it('contain no word that the glossary replaces', () => {
    const found = [...SOURCES].flatMap(([file, text]) => {
      const names = new Set(codeOf(text).match(/[A-Za-z_$][\w$]*/g) ?? [])
      return [...names, file.slice('src/'.length)]
        .filter((name) => wordsOf(name).some((word) => Object.hasOwn(FORBIDDEN_STEMS, word)))
        .map((name) => `${file}: ${name}`)
    })
    expect(found).toEqual([])
  })

  it('are unique among exports, except for the same names in several wires', () => {
    const owners = new Map<string, Set<string>>()
    for (const [file, text] of SOURCES) {
      // Entry points export the names of other files again.
      // The signatures of an overloaded function are one export.
      for (const [, name = ''] of codeOf(text).matchAll(
        /^export (?:declare )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm,
      ))
        owners.set(name, (owners.get(name) ?? new Set()).add(file))
    }
    const isWire = (file: string): boolean => /^src\/wires\/(?!shared\/)[^/]+\//.test(file)
    const repeated = [...owners]
      .map(([name, files]) => [name, [...files]] as const)
      .filter(([, files]) => files.length > 1 && !files.every(isWire))
    expect(repeated).toEqual([])
  })
})

describe('the glossary', () => {
  it('gives one meaning to each word', () => {
    const rows = readFileSync(new URL('docs/glossary.md', ROOT), 'utf8').match(/^\| .*$/gm) ?? []
    const twice = rows.filter((row) => /; (?:or|also|of)\b|, or the (?:printout|path|record|HMAC)\b/.test(row))
    expect(rows.length).toBeGreaterThan(100)
    expect(twice).toEqual([])
  })
})

describe('the recordings', () => {
  it('have no sentence about programs that speak or listen', () => {
    const answers = textsOf(filesOf('fixtures/', /\.(?:response|body)\.json$/))
    const found = [...answers].filter(([, text]) =>
      /\b(?:hear|hears|heard|hearing|tell|tells|told|telling)\b/i.test(text),
    )
    expect(found.map(([file]) => file)).toEqual([])
  })
})

/**
 * Mutable values of a module, which all streams share. Each is reset before use, is a cache of a pure function, or holds
 * hypotheses that each stream proves (`fast-path/kept-shapes.ts`).
 */
const MODULE_STATE: readonly string[] = [
  'cli/hang-up.ts isPending',
  'dialects/projection.ts NAMED',
  'engine/client-target.ts OF_WIRES',
  'engine/hooks.ts HOOKED',
  'engine/hooks.ts GUARDED',
  'engine/hooks.ts OWN_WIRES',
  'engine/passes/apply-passes.ts DECODING',
  'engine/passes/apply-passes.ts WHOLE',
  'engine/passes/client-calls.ts BACK',
  'engine/passes/custom-tools.ts BACK',
  'engine/passes/parameter-names.ts BACK',
  'engine/passthrough/passed-stream.ts PASSED',
  'engine/rules/rules.ts OF_UPSTREAMS',
  'fast-path/kept-shapes.ts KINDS',
  'fast-path/patterns/scan-string.ts NO_NAMES',
  'fast-path/track-field-access.ts WATCHED',
  'gateway/call/answer-options.ts ANSWER_LIMITS',
  'host/page/assets.ts bundled',
  'host/server/sse-response.ts scratch',
  'host/server/sse-response.ts scratchAt',
  'host/server/websocket/socket-outlet.ts scratch',
  'host/server/websocket/socket-outlet.ts filled',
  'host/server/websocket/socket-outlet.ts owner',
  'host/silence-check.ts CHECKS',
  'observability/pattern.ts COMPILED',
  'output/scratch.ts outputBuffer',
  'output/scratch.ts readMemory',
  'output/scratch.ts foundText',
  'testing/scripted/native-responses.ts count',
  'text/json-path.ts FIRST_MEMBERS',
  'validation/json-schema.ts VIEWS',
  'validation/unknown-fields.ts IGNORED',
  'validation/unknown-fields.ts WORDS',
  'wires/decoder-of.ts DECODERS',
  'wires/gemini-generate/client/fields.ts SNAKES',
  'wires/openai-chat/passthrough/message-members.ts OF_VENDORS',
  'wires/shared/upstream/model-facts.ts FACTS',
  'wires/shared/upstream/upstream-url.ts URLS',
]

describe('modules of src', () => {
  it('have no mutable state at module level but the listed', () => {
    const state = [...SOURCES].flatMap(([file, text]) =>
      [
        ...codeOf(text).matchAll(
          /^(?:export )?(?:let (\w+)|const (\w+)(?:: [^=\n]+)? = (?:\/\* @__PURE__ \*\/)? *(?:new (?:Map|Set|WeakMap|WeakSet)(?:<[^\n]*>)?\(\)|create\w+(?:<[^\n]*>)?\(\)|new[A-Z]\w*\(\)))/gm,
        ),
      ].map(([, variable, constant]) => `${file.slice('src/'.length)} ${variable ?? constant}`),
    )
    expect(state).toEqual(MODULE_STATE)
  })
})

describe('comments of src', () => {
  it('cite only documents, and sections of them, that exist', () => {
    const sections = new Map<string, ReadonlySet<string>>()
    const sectionsOf = (page: string): ReadonlySet<string> => {
      const text = existsSync(new URL(page, ROOT)) ? readFileSync(new URL(page, ROOT), 'utf8') : ''
      const found = new Set([...text.matchAll(/^#+ (\d+(?:\.\d+)*)\b/gm)].map(([, number = '']) => number))
      sections.set(page, found)
      return found
    }
    const dead = [...SOURCES].flatMap(([file, text]) =>
      [...text.matchAll(COMMENT)].flatMap(([comment]) =>
        [...comment.replace(/\s*\n\s*\*?\s*/g, ' ').matchAll(/([\w/-]+\.md)((?:,? (?:and |to )?\d+(?:\.\d+)*)*)/g)]
          .filter(([, page = '', numbers = '']) => {
            if (!page.startsWith('docs/') || !existsSync(new URL(page, ROOT))) return true
            const known = sections.get(page) ?? sectionsOf(page)
            return [...numbers.matchAll(/\d+(?:\.\d+)*/g)].some(([number]) => !known.has(number))
          })
          .map(([citation]) => `${file}: ${citation}`),
      ),
    )
    expect(dead).toEqual([])
  })

  it('name only files and identifiers of src, and the words of vendors and platforms that are listed', () => {
    const known = new Set(
      [...SOURCES.values()].flatMap((text) => withoutComments(text).match(/[A-Za-z_$][\w$]*/g) ?? []),
    )
    const files = [...SOURCES.keys()]
    const exists = (name: string): boolean =>
      /^[\w./-]+\.tsx?$/.test(name)
        ? files.some((file) => file.endsWith(`/${name}`)) || existsSync(new URL(name, ROOT))
        : !/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)?$/.test(name) || name.split('.').every((part) => known.has(part))
    const stale = [...SOURCES].flatMap(([file, text]) =>
      [...text.matchAll(COMMENT)].flatMap(([comment]) =>
        [...comment.matchAll(/`([^`\n]+)`/g)]
          .map(([, name = '']) => name)
          .filter((name) => !OTHER_WORDS.has(name) && !exists(name))
          .map((name) => `${file}: ${name}`),
      ),
    )
    expect(stale).toEqual([])
  })

  it('do not begin with a question word', () => {
    const begins = /^\s*(?:\/\*\*?|\/\/|\*)\s*(?:Who|What|Whatever|Whoever|Whose|Nobody|None)\b(?!.*\?)/m
    const found = [...SOURCES].flatMap(([file, text]) =>
      [...text.matchAll(COMMENT)].filter(([comment]) => begins.test(comment)).map(([comment]) => `${file}: ${comment}`),
    )
    expect(found).toEqual([])
  })
})

describe('test titles', () => {
  it('have at least three words', () => {
    const short = [...TESTS].flatMap(([file, text]) =>
      [...text.matchAll(/^\s*(?:it|test)(?:\.\w+)*(?:\([^'"`\n]*\))*\('((?:[^'\\\n]|\\.)*)'/gm)]
        .map(([, title = '']) => title)
        .filter((title) => title.split(' ').length < 3)
        .map((title) => `${file}: ${title}`),
    )
    expect(short).toEqual([])
  })
})
